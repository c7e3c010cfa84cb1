import Foundation
import Ingest
import ServingStore
import System
import Testing
import TestSupport

/// Pages of the reference against lists in the code, in both directions.
@Suite struct ReferenceTests {
  /// What only one of two sets has.
  static func differences(_ code: some Sequence<String>, _ page: some Sequence<String>) -> [String] {
    let (code, page) = (Set(code), Set(page))
    return code.subtracting(page).map { "undocumented: \($0)" }.sorted()
      + page.subtracting(code).map { "not in the code: \($0)" }.sorted()
  }

  @Test func `differences are found in both directions`() {
    #expect(
      Self.differences(["a", "b"], ["b", "c"]) == ["undocumented: a", "not in the code: c"])
  }

  @Test func `reject rules`() throws {
    let page = try MarkdownPage("docs/reference/reject-rules.md")
    #expect(
      Self.differences(IngestRule.allCases.map(\.rawValue), page.namesInHeadings(from: 3)) == [])
  }

  @Test func `exit statuses`() throws {
    let page = try MarkdownPage("docs/reference/exit-statuses.md")
    #expect(
      Self.differences(ExitStatus.allCases.map { String($0.rawValue) }, page.namesInHeadings(from: 2)) == [])
  }

  /// The names in quotes that are read or set: all of Nightjar's own, and those of others that are looked up by name.
  @Test func `environment variables`() throws {
    var names: Set<String> = []
    for file in try SwiftFiles.all where !file.path.hasPrefix("Tests/DocumentationTests/") {
      for match in file.text.matches(of: /"(NIGHTJAR_[A-Z_]+)"/) { names.insert(String(match.1)) }
      guard file.path.hasPrefix("Sources/") else { continue }
      for match in file.text.matches(of: /"(PG[A-Z]{4,}|REDISCLI_AUTH|NO_COLOR|OPENBLAS_NUM_THREADS)"/) {
        names.insert(String(match.1))
      }
    }
    let manifest = try String(
      contentsOf: SharedData.repository.appending(path: "Package.swift"), encoding: .utf8)
    for match in manifest.matches(of: /"(NIGHTJAR_[A-Z_]+)"/) { names.insert(String(match.1)) }
    // libpq reads it; a test gives it to a child of its own.
    names.insert("PGPASSWORD")
    names.remove("NIGHTJAR_CHILD_TEST")
    let page = try MarkdownPage("docs/reference/environment.md")
    #expect(Self.differences(names, page.namesInHeadings(from: 3)) == [])
  }

  /// The names after CREATE in the schemas of both SQL stores.
  @Test func `tables and views of stores`() throws {
    var names: Set<String> = []
    for file in try SwiftFiles.all where file.path.hasPrefix("Sources/ServingStore/") {
      let pattern = /CREATE (?:OR REPLACE )?(?:TABLE|VIEW|VIRTUAL TABLE|FUNCTION) (?:nightjar\.)?([a-z_]+)/
      for match in file.text.matches(of: pattern) where match.1 != "new_contents" {
        names.insert(String(match.1))
      }
    }
    let page = try MarkdownPage("docs/reference/store-schemas.md")
    let inPage = page.namesInHeadings(from: 3)
    let redis = try #require(inPage.firstIndex(of: "current"))
    #expect(Self.differences(names, inPage[..<redis]) == [])
    // Redis: the part of a key that names it.
    var keys: Set<String> = []
    for kind in TableKind.allCases { keys.insert(kind.rawValue) }
    keys.formUnion(["current", "generations", "retired", "lock", "loading", "geo", "outside"])
    let documented = inPage[redis...].map { name in
      let parts = name.split(separator: ":")
      return String(parts.count > 1 ? parts[1] : parts[0])
    }
    #expect(Self.differences(keys, documented) == [])
  }

  /// Prometheus: the names that the recorder adds.
  @Test func `gauges of a run`() throws {
    let text = try String(
      contentsOf: SharedData.repository.appending(path: "Sources/NightlyRuns/RunMetrics.swift"),
      encoding: .utf8)
    let names = text.matches(of: /add\(\s*"([a-z_]+)",\s*"/).map { "nightjar_\($0.1)" }
    #expect(names.count > 8)
    let page = try MarkdownPage("docs/reference/metrics.md")
    let documented = page.namesInHeadings(from: 3).filter { $0.hasPrefix("nightjar_") }
    #expect(Self.differences(names, documented) == [])
  }
}
