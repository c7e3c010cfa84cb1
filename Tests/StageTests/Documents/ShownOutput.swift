import Testing
import TestSupport

/// The output of a command, as a `text` block of a page shows it.
///
/// A line `...` stands for any number of lines, and `...` at the end of a line stands for the rest of the
/// line. Seconds and rows per second differ on each machine, so all such numbers count as equal. The block
/// may begin at any printed line. It must end with the last printed line, unless its last line is `...`.
struct ShownOutput {
  private let lines: [String]

  init(_ text: String) { lines = Self.lines(of: text) }

  /// Returns the first shown line that the command did not print in its place; `nil` if there is none.
  func firstDifference(from printed: String) -> String? {
    let printed = Self.lines(of: printed)
    let groups = lines.split(omittingEmptySubsequences: false) {
      $0.allSatisfy { $0 == " " || $0 == "." } && $0.hasSuffix("...")
    }
    var next = 0
    for (index, group) in groups.enumerated() where !group.isEmpty {
      let starts =
        index == groups.count - 1
        ? [max(next, printed.count - group.count)] : Array(next..<max(next, printed.count) + 1)
      // For each start, the number of leading lines of the group that match the output.
      let equal = starts.map { start in
        zip(group, printed[min(start, printed.count)...]).prefix { Self.isEqual($0, $1) }.count
      }
      guard let place = equal.firstIndex(of: group.count) else {
        return group[group.startIndex + (equal.max() ?? 0)]
      }
      next = starts[place] + group.count
    }
    return nil
  }

  private static func isEqual(_ shown: String, _ printed: String) -> Bool {
    shown.hasSuffix("...") ? printed.hasPrefix(shown.dropLast(3)) : shown == printed
  }

  /// The lines without the numbers that differ on each machine, and without empty lines at the end.
  private static func lines(of text: String) -> [String] {
    var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        // A terminal shows only the text after the last erasure of the line.
        var line =
          line.split(separator: "\u{1B}[K", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        line.replace(/[ ]+[0-9][0-9 ]*(\.[0-9]+)? s\b/, with: " N s")
        line.replace(/[0-9][0-9 ]* rows\/s/, with: "N rows/s")
        line.replace(/[ \r]+$/, with: "")
        return line
      }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

@Suite struct ShownOutputTests {
  private static let printed = """
    started\r
    \u{1B}[Kfit 3 s\u{1B}[K  fit          3.1 s  3 746 models\r
                          1 873 Cholesky\r
      publish      0.5 s  generation 1, 38 010 rows/s\r
      times       run.json\r

    """

  @Test(arguments: [
    // The whole output, from the second line on, with other times and rates.
    """
      fit         12.0 s  3 746 models
                          1 873 Cholesky
      publish        0 s  generation 1, 9 rows/s
      times       run.json
    """,
    // With omitted lines, and with the rest of a line omitted.
    "  fit  1.0 s  3 746 models\n  ...\n  times       ru...", "started\n...", "...\n  times       run.json",
  ])
  func `shown lines are in the output`(shown: String) {
    #expect(ShownOutput(shown).firstDifference(from: Self.printed) == nil)
  }

  @Test(arguments: [
    ("started\n  fit 3.1 s  3 747 models\n...", "  fit N s  3 747 models"),
    // Without `...`, no line is missing between two shown lines, or at the end.
    ("started\n                      1 873 Cholesky\n...", "                      1 873 Cholesky"),
    ("started\n  fit 3.1 s  3 746 models", "started"),
    // The order counts.
    ("  times       run.json\n...\nstarted\n...", "started"),
    ("  times       run.json\nmore", "  times       run.json"), ("  times       x...", "  times       x..."),
  ])
  func `a wrong line is found`(shown: String, wrong: String) {
    #expect(ShownOutput(shown).firstDifference(from: Self.printed) == wrong)
  }
}
