import Foundation
import Testing
import TestSupport
import Text

/// The reference of a run's files and of its metrics against a small run with an evaluation.
@Suite struct RunReferenceTests {
  /// A pattern of the page as an expression: capitals are placeholders, which stand for one name, and at the end for any path.
  private static func expression(_ pattern: String) throws -> Regex<AnyRegexOutput> {
    var text = NSRegularExpression.escapedPattern(for: pattern)
    text.replace(/(?:ATTRIBUTE|COLUMN)$/, with: "[^/]+")
    text.replace(/\b(?:ENTITY|KIND|LIST|METHOD|NUMBER|N)\b/, with: "[^/]+?")
    // Those of models with names are the same.
    text.replace(/^models\\?\//, with: "models/(?:[^/]+/)?")
    return try Regex("^\(text)$")
  }

  private static func unmatched(files: [String], patterns: [String]) throws -> (
    files: [String], patterns: [String]
  ) {
    let expressions = try patterns.map(expression)
    let undocumented = files.filter { file in !expressions.contains { file.wholeMatch(of: $0) != nil } }
    let unused = zip(patterns, expressions).filter { _, expression in
      !files.contains { $0.wholeMatch(of: expression) != nil }
    }.map(\.0)
    return (undocumented, unused)
  }

  /// What this small run has no use for, and other tests of the same files see.
  private static let elsewhere: Set = [
    "erasures", "latest", "lock", "serving.sqlite", "serving.sqlite-shm", "serving.sqlite-wal",
    "runs/NUMBER/run.json",
  ]

  @Test func `files of a run`() throws {
    let page = try MarkdownPage("docs/reference/files-of-a-run.md")
    let patterns = page.namesInHeadings(from: 3).filter { !Self.elsewhere.contains($0) }
    let run = try ReportedFusion.shared.get().run
    let root = URL(filePath: run.path).resolvingSymlinksInPath().path
    let files = (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []).filter {
      var isFolder = ObjCBool(false)
      return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }.filter { $0 != "run.json" }
    #expect(files.count > 50)
    let unmatched = try Self.unmatched(files: files, patterns: patterns)
    #expect(unmatched.files == [])
    // Files that need owners, requests, earlier versions, samples of negatives or interactions that ended.
    let others = unmatched.patterns.filter {
      !$0.contains(/owner|requests|earlier|in_force|learning|computed/)
    }
    #expect(others == [])
  }

  @Test func `a file without an entry and an entry without a file are found`() throws {
    let unmatched = try Self.unmatched(
      files: ["index/users/rows.npy", "index/users/new.npy", "models/interests/base.npy"],
      patterns: ["index/ENTITY/rows.npy", "models/base.npy", "index/ENTITY/gone.npy"])
    #expect(unmatched.files == ["index/users/new.npy"] && unmatched.patterns == ["index/ENTITY/gone.npy"])
  }

  // MARK: Metrics

  /// The paths of keys, as the page writes them: without the names of rankings, methods, metrics, slicings and entities.
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
    if ["differences", "slices", "left_out"].contains(path.first), path.count > 1 { path.remove(at: 1) }
    if path.starts(with: ["split", "entities"]), path.count > 2 { path.remove(at: 2) }
    if ["fit", "definitions"].contains(path.first) { path = Array(path.prefix(1)) }
    // A metric of any length is one entry, and an estimate has the same members everywhere.
    if let metric = path.firstIndex(where: { $0.contains("@") }) {
      path = [String(path[metric].prefix { $0 != "@" })] + path[(metric + 1)...]
    }
    let estimate = ["users", "mean", "interval", "interval_by_cluster"]
    if let last = path.last, path.count > 1, estimate.contains(last), path.first != "tests" { path = [last] }
    if path.last == "auc" { path = ["ordering", "auc"] }
    return path.joined(separator: ".")
  }

  @Test func `keys of metrics`() throws {
    let page = try MarkdownPage("docs/reference/metrics.md")
    let documented = Set(page.namesInHeadings(from: 3).filter { !$0.hasPrefix("nightjar_") })
    let found = Self.keys(try ReportedFusion.shared.get().metrics()).subtracting(["", "methods"])
    #expect(found.subtracting(documented).sorted() == [])
    // `previous` needs an earlier run; what stands there is in the tests of `--previous`.
    let absent = documented.subtracting(found).filter { !$0.hasPrefix("previous.") }
    #expect(absent.sorted() == [])
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
