import Foundation
import Testing
import TestSupport

/// Compares `docs/reference/commands.md` with the help texts of the programs.
@Suite struct CommandReferenceTests {
  /// The output of ArgumentParser's `--experimental-dump-help`.
  struct Dump: Decodable {
    var command: Command
  }

  struct Command: Decodable {
    var commandName: String
    var arguments: [Argument]?
    var subcommands: [Command]?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var kind: String
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var isOptional: Bool
    var shouldDisplay: Bool

    /// The long name, such as `--radius-km`; `nil` for positional arguments, `--help` and `--version`.
    var option: String? {
      guard shouldDisplay, let name = names?.first(where: { $0.kind == "long" })?.name,
        name != "help", name != "version"
      else { return nil }
      return "--" + name
    }
  }

  /// The options of each command, with their declared defaults.
  typealias Options = [String: [String: String?]]

  private static func options() throws -> Options {
    var options: Options = [:]
    func add(_ command: Command, _ parents: String) {
      let name = parents + command.commandName
      let own = (command.arguments ?? []).compactMap { argument in
        argument.option.map { ($0, argument.defaultValue) }
      }
      // `nightjar` itself has only subcommands.
      if name != "nightjar" {
        options[name] = Dictionary(own) { first, _ in first }
      }
      for other in command.subcommands ?? [] where other.commandName != "help" { add(other, name + " ") }
    }
    let ended = try Program.run("nightjar", ["--experimental-dump-help"])
    try #require(ended.ending == .status(0))
    add(try JSONDecoder().decode(Dump.self, from: Data(ended.output.utf8)).command, "")
    return options
  }

  /// The options in the table of each section of the page, with their documented defaults.
  private static func documented(_ page: MarkdownPage) -> [String: [String: String]] {
    var found: [String: [String: String]] = [:]
    var section: String?
    for (_, line) in page.prose {
      if let heading = line.wholeMatch(of: /## (nightjar.*)/) {
        let name = String(heading.1)
        section = name
        found[name] = [:]
      } else if let row = line.firstMatch(of: /^\| `(--[a-z0-9-]+)[^`]*` \| (.*?) \|/), let section {
        found[section, default: [:]][String(row.1)] = String(row.2)
      }
    }
    return found
  }

  private static func differences(_ code: Options, _ page: MarkdownPage) -> [String] {
    let documented = documented(page)
    var differences = Set(code.keys).symmetricDifference(documented.keys).map { "command \($0)" }
    for (command, options) in code {
      guard let rows = documented[command] else { continue }
      differences += Set(options.keys).symmetricDifference(rows.keys).map { "\(command) \($0)" }
      for case (let option, let value?) in options {
        guard let row = rows[option], !row.replacing("`", with: "").contains(value) else { continue }
        differences.append("\(command) \(option) has the default \(value)")
      }
    }
    return differences.sorted()
  }

  @Test func `every command and option is on the page, and no other`() throws {
    let code = try Self.options()
    #expect(code.count > 20)
    let page = try MarkdownPage("docs/reference/commands.md")
    #expect(Self.differences(code, page) == [])
  }

  /// Returns the page with `old` replaced by `new`.
  private static func page(_ old: String, _ new: String) throws -> MarkdownPage {
    let text = try String(
      contentsOf: SharedData.repository.appending(path: "docs/reference/commands.md"), encoding: .utf8)
    try #require(text.contains(old))
    return MarkdownPage(path: "planted", text: text.replacingOccurrences(of: old, with: new))
  }

  @Test(arguments: [
    ("## nightjar verify", "## nightjar verify\n\n## nightjar no-such", "command nightjar no-such"),
    ("## nightjar verify", "## nightjar verify\n\n| `--no-such N` | 1 | x |", "nightjar verify --no-such"),
    (
      "| `--search METHOD` | `auto` |", "| `--search METHOD` | `scan` |",
      "nightjar rank --search has the default auto"
    ),
    ("| `--search METHOD` | `auto` |", "| `--seek METHOD` | `auto` |", "nightjar rank --search"),
    ("## nightjar rollback\n", "## Rolling back\n", "command nightjar rollback"),
  ])
  func `an entry that differs from the programs is found`(old: String, new: String, finding: String) throws {
    #expect(Self.differences(try Self.options(), try Self.page(old, new)).contains(finding))
  }

  @Test func `a command and an option without entries are found`() throws {
    var code = try Self.options()
    code["nightjar new"] = [:]
    code["nightjar verify"]?["--new"] = .some("1")
    #expect(
      Self.differences(code, try MarkdownPage("docs/reference/commands.md")) == [
        "command nightjar new", "nightjar verify --new",
      ])
  }
}
