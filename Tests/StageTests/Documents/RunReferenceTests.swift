import Foundation
import Testing
import TestSupport
import Text

/// Compares the reference of a run's files and metrics with a small run that has an evaluation.
@Suite struct RunReferenceTests {
  /// Converts a pattern of the page into a regular expression. A word in capitals stands for one
  /// name. At the end, it stands for any path.
  private static func expression(_ pattern: String) throws -> Regex<AnyRegexOutput> {
    var text = NSRegularExpression.escapedPattern(for: pattern)
    text.replace(/(?:ATTRIBUTE|COLUMN)$/, with: ".+")
    text.replace(/\b(?:ENTITY|KIND|LIST|METHOD|NUMBER|N)\b/, with: "[^/]+?")
    // Named models have the same files in their own directories.
    text.replace(/^models\\?\//, with: "models/(?:[^/]+/)?")
    return try Regex("^\(text)$")
  }

  /// Returns the files of a run without an entry and the entries without a file.
  private static func findings(_ files: [String], _ page: MarkdownPage) throws -> [String] {
    let patterns = page.namesInHeadings(from: 3).filter { !elsewhere.contains($0) }
    let expressions = try patterns.map(expression)
    let undocumented = files.filter { file in !expressions.contains { file.wholeMatch(of: $0) != nil } }
    let unused = zip(patterns, expressions).filter { _, expression in
      !files.contains { $0.wholeMatch(of: expression) != nil }
    }.map(\.0)
    return undocumented.map { "undocumented: \($0)" } + unused.map { "not in a run: \($0)" }
  }

  /// Files next to the stages of a run. Other tests cover them.
  private static let elsewhere: Set = [
    "erasures", "failed-start.json", "latest", "lock", "serving.sqlite", "serving.sqlite-shm",
    "serving.sqlite-wal",
    "runs/NUMBER/run.json",
  ]

  private static func files(of run: String) -> [String] {
    let root = URL(filePath: run).resolvingSymlinksInPath().path
    return (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []).filter {
      var isFolder = ObjCBool(false)
      return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
        && !isFolder.boolValue && $0 != "run.json"
    }
  }

  /// The files of several runs. One run has an evaluation, one has earlier versions of people, and
  /// two have other products. These products have owners, requests, computed attributes, sampled
  /// negatives and retracted interactions.
  private static let files = Result {
    let product = try CanaryProduct()
    try succeed(try product.nightjar("run"))
    let scratch = try ScratchDirectory()
    try FileManager.default.copyItem(
      atPath: SharedData.repository.appending(path: "pipelines").path, toPath: scratch("pipelines"))
    for name in ["madra", "funkify"] {
      let out = scratch("datasets/\(name)")
      try succeed(Program.run("nightjar-synthesize", ["--like", name, "--users", "200", "--out", out]))
      // The small exports contain as many invalid rows as the bundled ones, so the reject limit is
      // 100 %.
      let settings = ["--work", scratch("var"), "--until", "rank", "--set", "reject_limit=100 %"]
      try succeed(Program.run("nightjar", ["run", scratch("pipelines/\(name).yaml")] + settings))
    }
    return try [
      ReportedFusion.shared.get().run.path, product.work + "/canary/runs/1", scratch("var/madra/runs/1"),
      scratch("var/funkify/runs/1"),
    ].flatMap(files)
  }

  private static func succeed(_ ended: Program.Finished) throws {
    guard ended.ending == .status(0) else { throw Failure(errors: ended.errors) }
  }

  private struct Failure: Error { let errors: String }

  @Test func `the page has the files of runs, and no others`() throws {
    let files = try Self.files.get()
    #expect(files.count > 100)
    let findings = try Self.findings(files, MarkdownPage("docs/reference/files-of-a-run.md"))
    #expect(findings == [])
  }

  @Test(arguments: [
    "index/ENTITY/no_such.npy", "models/no_such.npy", "snapshot/entities/ENTITY/earlier/no_such.npy",
    "rankings/LIST/no_such-N.jsonl", "evaluation/no_such.json", "no_such",
  ])
  func `an entry without a file is found`(pattern: String) throws {
    let path = "docs/reference/files-of-a-run.md"
    let text = try String(contentsOf: SharedData.repository.appending(path: path), encoding: .utf8)
    let page = MarkdownPage(path: path, text: text + "\n\n### `\(pattern)`\n")
    #expect(try Self.findings(try Self.files.get(), page) == ["not in a run: \(pattern)"])
  }

  @Test(arguments: [
    "index/users/new.npy", "models/new.npy", "snapshot/new.json", "rankings/partners/new.jsonl", "new",
  ])
  func `a file without an entry is found`(file: String) throws {
    let page = try MarkdownPage("docs/reference/files-of-a-run.md")
    #expect(try Self.findings(try Self.files.get() + [file], page) == ["undocumented: \(file)"])
  }

  // MARK: Metrics

  /// Returns the key paths in the form of the page, without the names of rankings, methods,
  /// metrics, slicings and entities.
  private static func keys(_ value: JSONValue, _ path: [String] = []) -> Set<String> {
    switch value {
    case .object(let members):
      return members.reduce(into: []) { found, member in
        found.formUnion(keys(member.value, path + [member.key]))
        found.insert(plain(path + [member.key]))
      }
    case .array(let elements):
      return elements.reduce(into: []) { $0.formUnion(keys($1, path)) }
    default: return []
    }
  }

  private static func plain(_ path: [String]) -> String {
    var path = path
    if path.first == "rankings" || path.first == "previous" && path.count > 1 && path[1] == "rankings" {
      let start = path.first == "rankings" ? 1 : 2
      if path.count > start { path.remove(at: start) }
      if start == 1, path.count > 1 { path.removeFirst() }
    }
    if path.first == "methods" { path.removeFirst(min(path.count, 2)) }
    if ["differences", "slices", "left_out", "candidate_groups"].contains(path.first), path.count > 1 {
      path.remove(at: 1)
    }
    if path.starts(with: ["candidate_groups", "share_of_exposure"]) { path = Array(path.prefix(2)) }
    if path.starts(with: ["split", "entities"]), path.count > 2 { path.remove(at: 2) }
    if ["fit", "definitions"].contains(path.first) { path = Array(path.prefix(1)) }
    // The reference has one entry for a metric at all lengths and one entry for each member of an
    // estimate.
    if let metric = path.firstIndex(where: { $0.contains("@") }) {
      path = [String(path[metric].prefix { $0 != "@" })] + path[(metric + 1)...]
    }
    let estimate = ["users", "mean", "interval", "interval_by_cluster"]
    if let last = path.last, path.count > 1, estimate.contains(last), path.first != "tests" { path = [last] }
    if path.last == "auc" { path = ["ordering", "auc"] }
    if let last = path.last, last.hasPrefix("match_") { path = ["matching", last] }
    return path.joined(separator: ".")
  }

  /// Returns the keys of `metrics.json` without an entry and the entries without a key.
  private static func findings(_ metrics: JSONValue, _ page: MarkdownPage) -> [String] {
    let documented = Set(page.namesInHeadings(from: 3).filter { !$0.hasPrefix("nightjar_") })
    let found = keys(metrics).subtracting(["", "methods"])
    // `previous` needs an earlier run, and the tests of `--previous` cover it.
    let absent = documented.subtracting(found).filter { !$0.hasPrefix("previous.") }
    return found.subtracting(documented).sorted().map { "undocumented: \($0)" }
      + absent.sorted().map { "not in metrics.json: \($0)" }
  }

  private static let metrics = Result { try ReportedFusion.shared.get().metrics() }

  @Test func `the page has the keys of metrics, and no others`() throws {
    #expect(Self.findings(try Self.metrics.get(), try MarkdownPage("docs/reference/metrics.md")) == [])
  }

  @Test(arguments: ["no_such", "split.no_such", "calibration.no_such", "lists.no_such.p10", "tests.slope"])
  func `an entry without a key is found`(entry: String) throws {
    let path = "docs/reference/metrics.md"
    let text = try String(contentsOf: SharedData.repository.appending(path: path), encoding: .utf8)
    let page = MarkdownPage(path: path, text: text + "\n\n### `\(entry)`\n")
    #expect(Self.findings(try Self.metrics.get(), page) == ["not in metrics.json: \(entry)"])
  }

  @Test(arguments: [["new"], ["split", "new"], ["rankings", "partners", "new"]])
  func `a key without an entry is found`(path: [String]) throws {
    func adding(_ value: JSONValue, _ path: ArraySlice<String>) throws -> JSONValue {
      guard let first = path.first else { return 1 }
      guard case .object(var members) = value else { return 1 }
      members[first] = try adding(members[first] ?? 1, path.dropFirst())
      return .object(members)
    }
    let metrics = try adding(try Self.metrics.get(), path[...])
    #expect(
      Self.findings(metrics, try MarkdownPage("docs/reference/metrics.md")).map { $0.hasSuffix("new") }
        == [true])
  }

  @Test func `a key at another depth is another key`() {
    let value: JSONValue = [
      "version": 1,
      "rankings": [
        "l": ["methods": ["m": ["finding": ["ndcg@3": ["mean": 1]], "new": 1]], "users": ["as_of_cut": 1]]
      ],
    ]
    #expect(
      Self.keys(value).subtracting([""]).sorted() == [
        "finding", "mean", "ndcg", "new", "rankings", "users", "users.as_of_cut", "version",
      ])
  }
}
