import Foundation
import Ingest
import ServingStore
import System
import Testing
import TestSupport

/// A list of names on a reference page that must equal the names in the code.
enum ReferenceList: String, CaseIterable {
  case rejectRules, exitStatuses, environment, tables, redisKeys, gauges, events

  var page: String {
    switch self {
    case .rejectRules: "docs/reference/reject-rules.md"
    case .exitStatuses: "docs/reference/exit-statuses.md"
    case .environment: "docs/reference/environment.md"
    case .tables, .redisKeys: "docs/reference/store-schemas.md"
    case .gauges: "docs/reference/metrics.md"
    case .events: "docs/reference/formats.md"
    }
  }

  /// Returns the names in the code.
  func names(in files: [SwiftFiles], manifest: String = "") -> Set<String> {
    switch self {
    case .rejectRules: Set(IngestRule.allCases.map(\.rawValue))
    case .exitStatuses: Set(ExitStatus.allCases.map { String($0.rawValue) })
    case .environment: Self.variables(files, manifest)
    case .tables:
      Self.matches(
        of: /CREATE (?:OR REPLACE )?(?:TABLE|VIEW|VIRTUAL TABLE|FUNCTION) (?:nightjar\.)?([a-z_]+)/,
        in: files, under: "Sources/ServingStore/"
      ).subtracting(["new_contents"])
    case .redisKeys:
      Self.matches(
        of: /(?:\bkey\(|\btable\(of: generation, )"([a-z_]+)"/, in: files,
        under: "Sources/ServingStore/Redis/"
      ).union(TableKind.allCases.map(\.rawValue))
    case .gauges:
      Set(
        Self.matches(of: /add\(\s*"([a-z_]+)",\s*"/, in: files, under: "Sources/NightlyRuns/RunMetrics").map {
          "nightjar_" + $0
        })
    case .events:
      ["Sources/NightlyRuns/RunReporter", "Sources/CommandLine/"].reduce(into: []) {
        $0.formUnion(Self.matches(of: /(?:print\(\s*|event: )"([a-z_]+)"[,)]/, in: files, under: $1))
      }
    }
  }

  /// Returns the environment variables that the code reads: names that start with `NIGHTJAR_`, and
  /// other names in look-ups.
  private static func variables(_ files: [SwiftFiles], _ manifest: String) -> Set<String> {
    let own = /"(NIGHTJAR_[A-Z_]+)"/
    let others = /"(PG[A-Z]{4,}|OPENLINEAGE_[A-Z_]+|REDISCLI_AUTH|NO_COLOR)"/
    let files = files.filter { !$0.path.hasPrefix("Tests/DocumentationTests/") }
    return matches(of: own, in: files + [SwiftFiles(path: "Package.swift", text: manifest)], under: "")
      .union(matches(of: others, in: files, under: "Sources/"))
      // libpq reads PGPASSWORD. Only a test sets NIGHTJAR_CHILD_TEST, for its own child process.
      .union(["PGPASSWORD"]).subtracting(["NIGHTJAR_CHILD_TEST"])
  }

  private static func matches(
    of pattern: Regex<(Substring, Substring)>, in files: [SwiftFiles], under folder: String
  ) -> Set<String> {
    var found: Set<String> = []
    for file in files where file.path.hasPrefix(folder) {
      for match in file.text.matches(of: pattern) { found.insert(String(match.1)) }
    }
    return found
  }

  /// The names of the page's entries.
  func entries(of page: MarkdownPage) -> [String] {
    let all = page.namesInHeadings(from: self == .exitStatuses ? 2 : 3)
    // The entries of Redis begin with `current`, the key of the served generation.
    let redis = all.firstIndex(of: "current") ?? all.endIndex
    switch self {
    case .rejectRules, .exitStatuses, .environment: return all
    case .tables: return Array(all[..<redis])
    case .redisKeys:
      return all[redis...].map { name in
        let parts = name.split(separator: ":")
        return String(parts.count > 1 ? parts[1] : parts[0])
      }
    case .gauges: return all.filter { $0.hasPrefix("nightjar_") }
    case .events:
      return page.headings.compactMap { $0.text.wholeMatch(of: /Event `(.+)`/).map { String($0.1) } }
    }
  }

  /// Returns the entries that are missing from the page and those that are missing from the code.
  func findings(_ code: Set<String>, _ page: MarkdownPage) -> [String] {
    differences(code, entries(of: page))
  }
}

/// Returns the elements that only one of the two collections contains.
func differences(_ code: some Sequence<String>, _ page: some Sequence<String>) -> [String] {
  let (code, page) = (Set(code), Set(page))
  return code.subtracting(page).map { "undocumented: \($0)" }.sorted()
    + page.subtracting(code).map { "not in the code: \($0)" }.sorted()
}

@Suite struct ReferenceTests {
  private static func code(_ list: ReferenceList, with planted: [SwiftFiles] = []) throws -> Set<String> {
    try whole.get()[list, default: []].union(list.names(in: planted))
  }

  /// The names of all lists in the repository. They are computed once, because reading all files is
  /// slow.
  private static let whole = Result {
    let manifest = try String(
      contentsOf: SharedData.repository.appending(path: "Package.swift"), encoding: .utf8)
    return try ReferenceList.allCases.reduce(into: [ReferenceList: Set<String>]()) {
      $0[$1] = $1.names(in: try SwiftFiles.all, manifest: manifest)
    }
  }

  @Test(arguments: ReferenceList.allCases)
  func `the page has what the code has, and nothing else`(list: ReferenceList) throws {
    let code = try Self.code(list)
    #expect(code.count >= 8)
    #expect(list.findings(code, try MarkdownPage(list.page)) == [])
  }

  /// Returns an entry that the code does not have, and the page with this entry.
  private static func planted(_ list: ReferenceList) throws -> (entry: String, page: MarkdownPage) {
    let heading: String
    let entry: String
    var line: Substring?
    switch list {
    case .rejectRules: (heading, entry) = ("### `no_such_rule`", "no_such_rule")
    case .exitStatuses: (heading, entry) = ("## `42`: no such status", "42")
    case .environment: (heading, entry) = ("### `NO_COLOR`, `NIGHTJAR_NO_SUCH`", "NIGHTJAR_NO_SUCH")
    case .tables: (heading, entry, line) = ("### `no_such`", "no_such", "## Tables of SQL stores")
    case .redisKeys: (heading, entry) = ("### `N:no_such_key:NAME`", "no_such_key")
    case .gauges: (heading, entry) = ("### `nightjar_no_such_gauge`", "nightjar_no_such_gauge")
    case .events: (heading, entry) = ("### Event `no_such_event`", "no_such_event")
    }
    let text = try String(
      contentsOf: SharedData.repository.appending(path: list.page), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var place = lines.endIndex
    if let line { place = try #require(lines.firstIndex(of: line)) + 1 }
    let changed = lines[..<place].joined(separator: "\n") + "\n\n\(heading)\n\n"
    return (
      entry, MarkdownPage(path: list.page, text: changed + lines[place...].joined(separator: "\n"))
    )
  }

  @Test(arguments: ReferenceList.allCases)
  func `an entry that is not in the code is found`(list: ReferenceList) throws {
    let (entry, page) = try Self.planted(list)
    #expect(list.findings(try Self.code(list), page) == ["not in the code: \(entry)"])
  }

  @Test(arguments: ReferenceList.allCases)
  func `a name of the code without an entry is found`(list: ReferenceList) throws {
    let file: SwiftFiles? =
      switch list {
      // The code has an enumeration for these lists, so a planted file cannot add a name.
      case .rejectRules, .exitStatuses: nil
      case .environment: SwiftFiles(path: "Sources/New.swift", text: "environment[\"NIGHTJAR_NEW\"]")
      case .tables: SwiftFiles(path: "Sources/ServingStore/New.swift", text: "CREATE TABLE new (id TEXT)")
      case .redisKeys: SwiftFiles(path: "Sources/ServingStore/Redis/New.swift", text: "key(\"new\")")
      case .gauges: SwiftFiles(path: "Sources/NightlyRuns/RunMetrics2.swift", text: "add(\"new\", \"A.\")")
      case .events: SwiftFiles(path: "Sources/NightlyRuns/RunReporter2.swift", text: "events.print(\"new\")")
      }
    let code = try Self.code(list, with: [file].compactMap { $0 }).union(file == nil ? ["new"] : [])
    let name = [.environment: "NIGHTJAR_NEW", .gauges: "nightjar_new"][list] ?? "new"
    #expect(list.findings(code, try MarkdownPage(list.page)) == ["undocumented: \(name)"])
  }
}
