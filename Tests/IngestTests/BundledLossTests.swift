import Files
import Foundation
import IngestFixture
import PipelineFile
import Readers
import System
import TestSupport
import Testing
import Text

@testable import Ingest

/// After a night with the whole export, each bundled pipeline rejects a halved, an empty and an old export.
@Suite struct BundledLossTests {
  /// The names of each pipeline's exports.
  private static let exports = [
    "fusion": ["users.json", "swipes.csv"],
    "finding-friends": ["users.json", "posts.json", "check_ins.json"],
    "madra": ["accounts.json", "dogs.json", "swipes.json"],
    "fixit": ["customers.jsonl", "workers.jsonl", "jobs.jsonl"], "funkify": ["export.json"],
  ]

  /// An export with one record per line. Other lines belong to a page or a tree.
  private struct Lines {
    var lines: [String]

    init(_ text: String) { lines = text.split(separator: "\n").map(String.init) }

    /// Whether the line is a record: a CSV row, a JSON object, or a member of a table in a tree.
    private func isRecord(_ index: Int) -> Bool {
      let line = lines[index]
      return line.utf8.count > 30 && !line.hasSuffix("[") && !line.hasSuffix(":{")
        && !line.hasPrefix("swiper_id")
    }

    var records: [Int] { lines.indices.filter(isRecord) }

    /// The newest time of a record, as a text that sorts by time. Regular expressions are slow in
    /// debug builds, so this searches for substrings.
    func time(_ index: Int) -> String {
      let line = lines[index]
      guard line.contains("\":") else { return line.split(separator: ",").last.map(String.init) ?? "" }
      let times = ["doneAt", "createdAt", "updatedAt", "answeredAt", "at"].compactMap { key -> String? in
        guard let place = line.range(of: "\"\(key)\":") else { return nil }
        let value = line[place.upperBound...].drop { !$0.isNumber }
        return String(value.prefix { $0.isNumber || "T:.Z-".contains($0) })
      }
      return times.max() ?? ""
    }

    /// Returns the export without the lines `removed`. Removes a comma that would then precede a
    /// closing bracket.
    func without(_ removed: Set<Int>) -> String {
      var kept = lines.indices.filter { !removed.contains($0) }.map { lines[$0] }
      for index in kept.indices.dropLast() {
        let next = kept[index + 1].first
        if next == "]" || next == "}", kept[index].hasSuffix(",") { kept[index].removeLast() }
      }
      return kept.joined(separator: "\n") + "\n"
    }
  }

  /// Damaged forms of an export, with their names.
  private static func losses(_ text: String) -> [(name: String, text: String)] {
    let lines = Lines(text)
    let records = lines.records
    let times = Dictionary(uniqueKeysWithValues: records.map { ($0, lines.time($0)) })
    let byTime = records.sorted { (times[$0] ?? "", $0) < (times[$1] ?? "", $1) }
    return [
      (
        "every second record",
        lines.without(Set(records.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)))
      ),
      ("the first half", lines.without(Set(records.suffix(records.count / 2)))),
      ("no record", lines.without(Set(records))), ("0 bytes", ""),
      ("an old export without the newest tenth", lines.without(Set(byTime.suffix(records.count / 10)))),
    ]
  }

  @Test(arguments: exports.keys.sorted())
  func `half of an export, an empty export and an old export end with 65`(name: String) throws {
    let scratch = try ScratchDirectory()
    for folder in ["pipelines", "datasets/\(name)"] {
      try FileManager.default.createDirectory(
        atPath: Directories.parent(of: scratch(folder)), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: SharedData.repository.appending(path: folder).path, toPath: scratch(folder))
    }
    let pipeline = try Pipeline(file: scratch("pipelines/\(name).yaml"))
    var runs = 0
    func ingest(after last: Manifest?) throws -> Manifest {
      runs += 1
      return try IngestStage.run(
        pipeline, in: scratch("run\(runs)"), asOf: nil, clock: Instant(milliseconds: 1_795_000_000_000),
        previous: last, threads: 2, tool: "test")
    }
    let last = try ingest(after: nil)
    for export in Self.exports[name] ?? [] {
      let path = scratch("datasets/\(name)/\(export)")
      let whole = try String(contentsOfFile: path, encoding: .utf8)
      for (loss, text) in Self.losses(whole) {
        #expect(text.utf8.count < whole.utf8.count, "\(export): \(loss)")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        do {
          _ = try ingest(after: last)
          Issue.record("\(export) with \(loss) was accepted")
        } catch let error as any ErrorWithStatus {
          #expect(error.exitStatus == .badData, "\(export) with \(loss): \(error)")
        }
      }
      try whole.write(toFile: path, atomically: true, encoding: .utf8)
    }
    _ = try ingest(after: last)
  }
}
