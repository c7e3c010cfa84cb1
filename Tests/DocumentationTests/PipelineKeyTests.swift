import Foundation
import Testing
import TestSupport

@testable import PipelineFile

/// Compares the keys that the reader accepts in a pipeline file with the keys that the pages document.
///
/// Both are paths such as `rankings.NAME.top`. Words in capitals are names that an author chooses.
struct PipelineKeys {
  typealias Path = [Substring]

  /// The paths of all keys that the reader accepted while it read the files.
  private(set) var read: Set<Path> = []

  init(_ mappings: Set<KeyRecorder.Mapping>, features: [String]) {
    for mapping in mappings {
      // The index of a list element is not part of a path. Each entry of `models` has the keys of
      // `model`.
      var path = mapping.path.split(separator: ".").filter { Int($0) == nil }
      if path.first == "models", path.count > 1 { path.replaceSubrange(0..<2, with: ["model"]) }
      for key in mapping.keys { read.insert(path + [Substring(key)]) }
    }
    for feature in features { read.insert(["model", "features", Substring(feature)]) }
  }

  /// Returns the path of the entry that describes a key. Some keys share an entry with another key.
  ///
  /// The keys of sources, limits, expectations, attributes, times and ids have the same meaning in
  /// every section.
  static func described(_ path: Path) -> Path {
    func isAny(_ part: Substring, _ parts: Substring...) -> Bool { parts.contains(part) }
    if path.count > 3, isAny(path[0], "check_ins", "interactions", "requests") {
      if isAny(path[2], "source", "expect", "attributes") { return ["entities"] + path[1...] }
      if path[2] == "candidate", path[0] == "requests" { return ["requests", path[1], "user", path[3]] }
    }
    if path.count == 3, isAny(path[0], "check_ins", "interactions", "requests"),
      isAny(path[2], "reject_limit", "dangling_limit", "dangling_rise", "later_limit", "plausible")
    {
      return ["entities"] + path[1...]
    }
    if path.count == 4, isAny(path[2], "at", "updated", "changed"), isAny(path[3], "from", "unit") {
      return ["entities", path[1], "created", path[3]]
    }
    if path.count == 5, path[0] == "rankings", isAny(path[2], "for", "wishes") {
      if isAny(path[4], "at_least", "at_most") { return ["rankings", path[1], "only"] + path[3...] }
      if path[2] == "for" { return ["rankings", path[1], "wishes"] + path[3...] }
    }
    if path.starts(with: ["model", "features", "difference"]), path.count == 4,
      !isAny(path[3], "signed", "log")
    {
      return ["model", "features", "same", path[3]]
    }
    return path
  }

  /// Whether the entry `entry` describes the key at `path`.
  static func matches(_ entry: Path, _ path: Path) -> Bool {
    entry.count == path.count
      && zip(entry, path).allSatisfy { $0 == $1 || $0.allSatisfy(\.isUppercase) }
  }

  /// Lists the keys without an entry, the entries without a key, and the differences from the index
  /// page.
  func findings(_ pages: [MarkdownPage]) -> [String] {
    let index = pages.first { $0.path.hasSuffix("/index.md") }
    let names = pages.filter { $0.path != index?.path }.flatMap { page in
      page.namesInHeadings(from: 2).map { (name: $0, page: page.path) }
    }
    let entries = Set(names.map { $0.name.split(separator: ".") })
    let described = Set(read.map(Self.described))
    let undocumented = described.filter { path in !entries.contains { Self.matches($0, path) } }
      .map { "undocumented: " + $0.joined(separator: ".") }
    let unknown = names.filter { name in
      let entry = name.name.split(separator: ".")
      return !read.contains { Self.matches(entry, $0) } && !described.contains { Self.matches(entry, $0) }
    }.map { "not in the code: \($0.name)" }
    let listed = index.map { page in
      page.prose.compactMap { $0.text.firstMatch(of: /^- \[`([^`]+)`\]/).map { String($0.1) } }
    }
    return undocumented.sorted() + unknown.sorted()
      + (listed.map { listed in
        Set(names.map(\.name)).symmetricDifference(listed).map { "index.md: \($0)" }.sorted()
      } ?? [])
  }
}

/// Compares the reference of the pipeline file with the keys that the reader accepts.
@Suite struct PipelineKeyTests {
  /// With these files, the reader reaches every mapping. Some files are invalid after that point.
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
    model:
      learns_from: likes
      features: [category: precision]
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
    """
    pipeline: groups
    entities:
      people:
        source: { path: a.csv }
        id: id
        created: { from: since, unit: seconds }
        position: { latitude: latitude, longitude: longitude }
        attributes:
          role: { type: category }
          wanted: { type: tags, separator: ";" }
        expect: { complete: { marker: _SUCCESS, rows_in: rows.txt } }
    interactions:
      likes:
        source: { path: b.csv }
        user: { from: u, entity: people }
        candidate: { from: c, entity: people }
        at: at
        value: { from: v, map: { yes: 1, no: -1 } }
    model:
      learns_from: likes
      features:
        - category: { from: role, at_most_words: 9 }
        - tags: { from: wanted, at_most_words: 9 }
        - distance: { log: true }
      prior: { population: by role }
    rankings:
      a: { users: people, candidates: people, within_km: 50, order_by: score, exposure: { at_most: { likes: 3 }, at_least: 1 } }
      found: { users: people, candidates: people, order_by: { discovery: likes } }
    publish: { store: "sqlite:a.sqlite", guards: { users_drop_at_most: 20 %, lists_empty_at_most: 5 % } }
    """,
  ]

  private static func recorded() throws -> Set<KeyRecorder.Mapping> { try mappings.get() }

  private static let mappings = Result {
    let recorder = KeyRecorder()
    let folder = SharedData.repository.appending(path: "pipelines").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
    try KeyRecorder.$current.withValue(recorder) {
      for file in files { _ = try Pipeline(file: "\(folder)/\(file)") }
      for file in try SwiftFiles.all where file.path.hasPrefix("Tests/PipelineFileTests/") {
        // The pipeline files in the reader's own tests use every key. Some of them are invalid.
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

  /// Counts the reader's calls that accept keys. A call that no test reaches would hide its keys
  /// from the recorder.
  @Test func `the recorder records every mapping that is read`() throws {
    let readers = Set(try Self.recorded().map(\.reader))
    var seen: [String: Int] = [:]
    for reader in readers { seen[String(reader.prefix { $0 != ":" }), default: 0] += 1 }
    var missed: [String] = []
    for file in try SwiftFiles.all
    where file.path.hasPrefix("Sources/PipelineFile/") && !file.path.hasSuffix("/Setting.swift") {
      let calls = file.text.matches(of: /\.mapping\(\s*keys:/).count
      let name = "PipelineFile/" + URL(filePath: file.path).lastPathComponent
      if calls > seen[name, default: 0] {
        missed.append("\(file.path): \(seen[name, default: 0]) of \(calls)")
      }
    }
    #expect(missed == [])
  }

  private static func keys(with planted: KeyRecorder.Mapping? = nil) throws -> PipelineKeys {
    let mappings = try recorded()
    return PipelineKeys(
      planted.map { mappings.union([$0]) } ?? mappings, features: FeatureKey.allCases.map(\.rawValue))
  }

  private static let folder = "docs/reference/pipeline-file"

  @Test func `each key has an entry, and each entry has a key`() throws {
    let keys = try Self.keys()
    #expect(keys.read.count > 200)
    let findings = keys.findings(try MarkdownPage.pages(in: Self.folder))
    #expect(findings == [], "\(findings.joined(separator: "\n"))")
  }

  /// Returns the pages of the reference. `entry` is added as the last heading of the page `name`.
  private static func pages(_ name: String, with entry: String) throws -> [MarkdownPage] {
    try MarkdownPage.pages(in: folder).map { page in
      guard page.path.hasSuffix("/\(name).md") else { return page }
      let text = try String(
        contentsOf: SharedData.repository.appending(path: page.path), encoding: .utf8)
      return MarkdownPage(path: page.path, text: text + "\n\n### `\(entry)`\n")
    }
  }

  @Test(arguments: [
    ("publish", "publish.no_such_key"), ("publish", "no_such_key"),
    // These keys and choices exist in other sections.
    ("publish", "publish.top"), ("evaluation", "evaluation.store"), ("features", "model.features.only"),
    ("rankings", "rankings.NAME.sqlite"), ("sources", "entities.NAME.source.csv"),
    ("entities", "entities.NAME.attributes.NAME.of"), ("model", "model.negatives.default"),
    ("expect", "entities.NAME.expect.range.at_least"), ("general", "privacy.top"),
    ("catalogs", "rankings.NAME.by.at_least"), ("computed", "computed.NAME.count_of"),
    ("check-ins", "check_ins.NAME.candidate"), ("interactions", "interactions.NAME.status"),
    ("requests-and-friends", "requests.NAME.value"),
  ])
  func `an entry whose key does not exist in its section is found`(page: String, entry: String) throws {
    #expect(
      try Self.keys().findings(Self.pages(page, with: entry)) == [
        "not in the code: \(entry)", "index.md: \(entry)",
      ])
  }

  @Test(arguments: [
    ("", "new"), ("publish", "new"), ("publish", "top"), ("models.dogs.negatives", "new"),
    ("rankings.near", "latitude"), ("interactions.swipes.source", "new"), ("evaluation", "store"),
  ])
  func `a key without an entry in its section is found`(path: String, key: String) throws {
    let keys = try Self.keys(with: KeyRecorder.Mapping(path: path, keys: [key], reader: "planted"))
    let findings = keys.findings(try MarkdownPage.pages(in: Self.folder))
    #expect(findings.count == 1 && findings[0].hasPrefix("undocumented: ") && findings[0].hasSuffix(key))
  }

  @Test func `a key that the index page lacks is found`() throws {
    let pages = try MarkdownPage.pages(in: Self.folder).map { page in
      guard page.path.hasSuffix("/index.md") else { return page }
      let text = try String(
        contentsOf: SharedData.repository.appending(path: page.path), encoding: .utf8)
      let changed = text.replacing(/- \[`publish.keep`\].*\n/, with: "")
      return MarkdownPage(path: page.path, text: changed)
    }
    #expect(try Self.keys().findings(pages) == ["index.md: publish.keep"])
  }
}
