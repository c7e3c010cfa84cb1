import Testing
import TestSupport

/// `docs/versions.md` must name each command that reads a run or a store, and each must be tested
/// with files of version 0.1.0.
struct VersionsPageTests {
  /// Returns the commands whose options name a run or a store, from the help texts.
  private static func readers() throws -> Set<String> {
    let help = try Program.run("nightjar", ["--help"]).output
    let list = help.split(separator: "SUBCOMMANDS:").dropFirst().joined()
    let commands = list.matches(of: /\n  ([a-z]+)\b/).map { String($0.1) }
    #expect(commands.count > 10)
    let options = ["--work", "--store", "--run-dir"]
    func reads(_ help: String) -> Bool { options.contains { help.contains($0 + " <") } }
    return Set(try commands.filter { reads(try Program.run("nightjar", [$0, "--help"]).output) })
  }

  /// Returns the commands that the tables of a page name. `erase --dry-run` counts as `erase`.
  private static func named(in page: MarkdownPage) -> Set<String> {
    let spans = page.cells.flatMap { cell in
      cell.text.matches(of: /`([a-z][a-z -]*)`/).map { String($0.1) }
    }
    return Set(spans.compactMap { $0.split(separator: " ").first.map(String.init) })
  }

  private static let tested: Set<String> = {
    let lists: [[TypedCommand]] = [
      OldRunTests.continuing, OldRunTests.reading.map(\.command), OldRunTests.stages,
      [OldRunTests.erasing, OldRunTests.exporting], OldStoreTests.reading.map(\.command),
      OldStoreTests.upgrading.map(\.command),
    ]
    return Set(lists.joined().map(\.name))
  }()

  @Test func `each command that reads a run or a store is in a table, and tested`() throws {
    let readers = try Self.readers()
    #expect(readers.count > 12)
    let named = Self.named(in: try MarkdownPage("docs/versions.md"))
    #expect(readers.subtracting(named).sorted() == [])
    #expect(named.subtracting(readers).sorted() == [])
    #expect(Self.tested.symmetricDifference(readers).sorted() == [])
  }

  @Test func `only commands in tables are found`() {
    let text =
      "Use `show`.\n\n| store | program |\n| --- | --- |\n| old | `near`, `erase --dry-run`, `fit` |\n"
    let page = MarkdownPage(path: "planted.md", text: text)
    #expect(Self.named(in: page) == ["near", "erase", "fit"])
  }
}
