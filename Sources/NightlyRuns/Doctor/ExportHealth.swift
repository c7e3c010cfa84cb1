internal import Files
internal import Foundation
internal import Ingest
internal import PipelineFile
internal import RunSchemas
internal import System
internal import Text
internal import Tombstones

/// Checks whether a run could read the exports of a pipeline. The check uses the same code as a run.
struct ExportHealth {
  private let pipeline: Pipeline
  private let directories: RunDirectories
  private let now: Instant

  /// The maximum total size of exports that the check reads completely, in bytes on disk. If the exports are
  /// larger, the check reads only the beginning of each file.
  private static let mostWhole = 32 << 20
  /// The maximum number of problems in a message.
  private static let mostShown = 3

  init(_ pipeline: Pipeline, _ directories: RunDirectories, now: Instant) {
    (self.pipeline, self.directories, self.now) = (pipeline, directories, now)
  }

  func check() -> HealthCheck {
    do {
      let streams = try ExportSizes.streams(in: pipeline)
      guard streams.isEmpty else {
        return HealthCheck(
          "exports", .note,
          "\(streams.joined(separator: ", ")) can be read only once, so the exports were not checked")
      }
      return try read()
    } catch {
      return HealthCheck("exports", error)
    }
  }

  private func read() throws -> HealthCheck {
    let files = ExportSizes.files(of: pipeline)
    let bytes = files.reduce(0) { $0 + $1.bytes }
    let isWhole = bytes <= Self.mostWhole
    let previous = try directories.snapshotToCompare(with: pipeline)
    let tombstones = try pipeline.tombstones(beside: directories).load(after: previous)
    let tried = TriedExports(
      pipeline, asOf: nil, clock: now, previous: previous,
      tombstones: tombstones, extent: isWhole ? .whole : .beginnings)
    let violated = tried.expectations.filter { $0.outcome == .violated }
    let messages = tried.errors.map { "\($0)" } + violated.map { "\($0)" }
    // Some messages end with a period, which must not precede the semicolon between two problems.
    let problems = messages.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    guard problems.isEmpty else {
      let others = problems.count - Self.mostShown
      return HealthCheck(
        "exports", .ill(tried.errors.first.map { ExitStatus($0) } ?? .badData),
        problems.prefix(Self.mostShown).joined(separator: "; ")
          + (others > 0 ? "; and \(others.counted("other problem"))" : ""))
    }
    let newest =
      files.map(\.changed).max().map { "; the newest is \(HealthCheck.age(since: $0, at: now)) old" } ?? ""
    let check = ShownCommand.text(
      "check", pipeline.file, set: pipeline.overrides, work: directories.work)
    let extent =
      isWhole ? "" : "; only the beginning of each file was read; '\(check)' reads all rows"
    return HealthCheck("exports", .well, "\(files.count.counted("file")), \(bytes.asBytes)\(newest)\(extent)")
  }
}
