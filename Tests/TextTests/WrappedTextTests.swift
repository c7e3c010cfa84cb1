import Concurrency
import Testing
import Text

@Suite struct WrappedTextTests {
  @Test(arguments: [
    ("  warning: a b c", 80, ["  warning: a b c"]),
    ("  one two three", 9, ["  one two", "    three"]),
    ("one two", 6, ["one", "    two"]),
    ("12 345 users, 7 dogs", 13, ["12 345 users,", "    7 dogs"]),
    ("a, 6 merged", 5, ["a,", "    6 merged"]),
    ("a 1 993 b", 5, ["a", "    1 993 b"]),
    ("see /a/long/path/to/a/file now", 12, ["see", "    /a/long/path/to/a/file", "    now"]),
    ("/a/long/path", 4, ["/a/long/path"]),
    ("日本 日本", 4, ["日本", "    日本"]),
  ])
  func `lines break at spaces, numbers stay with their words, and paths stay whole`(
    text: String, width: Int, lines: [String]
  ) {
    #expect(text.wrapped(to: width, indent: 4) == lines)
  }

  @Test func `continuations are indented by two more spaces than their line`() {
    let lines = ["  aaaa bbbb cccc dddd", "eeee"]
    #expect(lines.wrapped(to: 13) == ["  aaaa bbbb", "    cccc dddd", "eeee"])
    #expect(lines.wrapped(to: nil) == lines)
  }

  /// Every word must occur once, in order. A line may be too wide only if it has a single word.
  @Test(arguments: 0..<40 as Range<UInt64>) func `wrapping only breaks lines`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let words = (0..<30).map { _ in
      String(repeating: "x", count: Int.random(in: 1...12, using: &random))
        + (Bool.random(using: &random) ? "" : "é")
    }
    let width = Int.random(in: 8...60, using: &random)
    let lines = words.joined(separator: " ").wrapped(to: width, indent: 3)
    #expect(lines.flatMap { $0.split(separator: " ").map(String.init) } == words)
    #expect(lines.allSatisfy { $0.terminalColumns <= width || $0.split(separator: " ").count == 1 })
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("   ") && !$0.hasPrefix("    ") })
  }
}
