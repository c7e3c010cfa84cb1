import Foundation
import PipelineFile
import Testing
import TestSupport

/// The reference of the pipeline file against the keys that the reader accepts.
@Suite struct PipelineKeyTests {
  /// One file that lets the reader reach every mapping; what comes after a mistake does not matter.
  private static let rest = [
    """
    pipeline: rest
    privacy: { snap_positions_to: { from: precision, at_most: 7, words: { street: 7 } } }
    entities:
      people:
        source: { path: a.csv }
        id: id
        attributes:
          precision: { type: category }
          born: { type: date }
    interactions:
      likes:
        source: { path: b.csv }
        user: { from: u, entity: people }
        candidate: { from: c, entity: people }
        at: { from: at, unit: seconds }
        value: { from: v, map: { yes: 1, no: -1 }, latest: true }
    """,
    """
    pipeline: conditions
    entities:
      people:
        source: { path: a.csv }
        id: id
        position: { latitude: latitude, longitude: longitude }
        attributes:
          kind: { type: category }
          age: { type: number }
    rankings:
      a:
        users: people
        candidates: people
        within_km: 50
        only: { kind: { not: [x] }, age: { at_least: 1 } }
        order_by: distance
    """,
    """
    pipeline: wishes
    entities:
      people:
        source: { path: a.csv }
        id: id
        position: { latitude: latitude, longitude: longitude }
        attributes:
          wanted: { type: tags, separator: ";" }
          free: { type: intervals, ends: [from, to] }
    rankings:
      a: { users: people, candidates: people, within_km: 50, free_within: { from: free, within: 7d }, order_by: distance }
      b: { users: people, candidates: people, within_km: 50, wishes: [{ wanted: { any_of: wanted } }], order_by: distance }
    """,
  ]

  private static func recorded() throws -> Set<KeyRecorder.Mapping> {
    let recorder = KeyRecorder()
    let folder = SharedData.repository.appending(path: "pipelines").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
    try KeyRecorder.$current.withValue(recorder) {
      for file in files { _ = try Pipeline(file: "\(folder)/\(file)") }
      for file in try SwiftFiles.all where file.path.hasPrefix("Tests/PipelineFileTests/") {
        // The reader's own tests hold files with every key, valid or not.
        for match in file.text.matches(of: /"""\n((?:.|\n)*?)\n *"""/) {
          _ = try? Pipeline(yaml: Self.unindented(String(match.1)), file: "test")
        }
      }
      for yaml in rest { _ = try? Pipeline(yaml: yaml, file: "rest") }
    }
    return recorder.mappings
  }

  private static func unindented(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let margin =
      lines.filter { !$0.allSatisfy { $0 == " " } }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(margin)) }.joined(separator: "\n")
  }

  /// Which pages of `docs/reference/pipeline-file` may hold the keys of a section.
  private static let pages: [String: [String]] = [
    "": [
      "general", "entities", "check-ins", "interactions", "requests-and-friends", "model", "rankings",
      "publish",
      "evaluation", "features", "computed",
    ],
    "privacy": ["general"], "entities": ["entities", "sources", "expect"],
    "check_ins": ["check-ins", "entities", "sources", "expect"],
    "interactions": ["interactions", "entities", "sources", "expect"],
    "requests": ["requests-and-friends", "interactions", "entities", "sources", "expect"],
    "computed": ["computed", "entities", "interactions"], "model": ["model", "features"],
    "models": ["model", "features"],
    "rankings": ["rankings", "catalogs", "requests-and-friends", "features", "model"],
    "evaluation": ["evaluation"], "publish": ["publish"],
  ]

  /// Every call of the reader that takes keys has been recorded: otherwise keys could hide in it.
  @Test func `the recorder records every mapping that is read`() throws {
    let readers = Set(try Self.recorded().map(\.reader))
    var seen: [String: Int] = [:]
    for reader in readers { seen[String(reader.prefix { $0 != ":" }), default: 0] += 1 }
    var missed: [String] = []
    for file in try SwiftFiles.all
    where file.path.hasPrefix("Sources/PipelineFile/") && !file.path.hasSuffix("/Setting.swift") {
      let calls = file.text.matches(of: /\bmapping\(\s*keys:/).count
      let name = "PipelineFile/" + URL(filePath: file.path).lastPathComponent
      if calls > seen[name, default: 0] {
        missed.append("\(file.path): \(seen[name, default: 0]) of \(calls)")
      }
    }
    #expect(missed == [])
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(
        atPath: SharedData.repository.appending(path: "docs/reference/pipeline-file/index.md").path),
      "the pages of the pipeline file are not there"))
  func `every key has an entry on a page of its section`() throws {
    let pages = try MarkdownPage.pages(in: "docs/reference/pipeline-file")
    let entries = Dictionary(
      uniqueKeysWithValues: pages.map { page in
        (
          URL(filePath: page.path).deletingPathExtension().lastPathComponent,
          Set(page.namesInHeadings(from: 2).map(Self.lastPart))
        )
      })
    let mappings = try Self.recorded()
    #expect(Self.missing(mappings, entries) == [])
    // And the reverse: a key of an entry is one of the reader's, or a word that a test of the reader knows.
    let keys = Set(mappings.flatMap(\.keys))
    let words = Set(
      try SwiftFiles.all.filter { $0.path.hasPrefix("Sources/PipelineFile/") }.flatMap { file in
        file.quotedTexts.map(\.text) + file.text.matches(of: /case ([a-z]\w*)/).map { String($0.1) }
      })
    let unknown = Set(pages.flatMap { $0.namesInHeadings(from: 3) }.map(Self.lastPart))
      .subtracting(keys).subtracting(words)
    #expect(unknown.sorted() == [])
  }

  private static func missing(
    _ mappings: Set<KeyRecorder.Mapping>, _ entries: [String: Set<String>]
  ) -> [String] {
    var missing: Set<String> = []
    for mapping in mappings {
      let section = String(mapping.path.prefix { $0 != "." })
      let there = (pages[section] ?? []).reduce(into: Set<String>()) { $0.formUnion(entries[$1] ?? []) }
      for key in mapping.keys where !there.contains(key) { missing.insert("\(section): \(key)") }
    }
    return missing.sorted()
  }

  private static func lastPart(_ name: String) -> String {
    String(name.split(separator: ".").last ?? "").replacing(/:.*$/, with: "")
  }

  @Test func `a key without an entry is found`() throws {
    let recorder = KeyRecorder()
    _ = try? KeyRecorder.$current.withValue(recorder) {
      try Pipeline(yaml: "pipeline: p\nprivacy: { snap_positions_to: 6 }\nentities: {}", file: "planted")
    }
    let missing = Self.missing(recorder.mappings, ["general": ["erasures", "pipeline"]])
    #expect(missing.contains("privacy: snap_positions_to") && missing.contains(": seed"))
    #expect(!missing.contains("privacy: erasures") && !missing.contains(": pipeline"))
  }
}
