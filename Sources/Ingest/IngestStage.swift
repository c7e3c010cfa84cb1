package import Concurrency
package import Files
package import PipelineFile
internal import Readers
internal import RunSchemas
package import System
package import Text
package import Tombstones

/// Turns the exports of an app into the snapshot of a run.
///
/// The module `Ingest` reads every source in the pipeline file, rejects bad rows, merges repeated rows, and
/// counts each row. `IngestedExports` reads and checks; `IngestStage` also writes the snapshot. `Readers`
/// parses the file formats.
///
/// `Ingest` is independent of features, models, rankings and stores. Later stages depend on the snapshot
/// alone, so an evaluation or an erasure can produce a snapshot in another way.
package enum IngestStage {
  package static let name = "snapshot"

  /// Reads, checks and writes all sources in the pipeline file.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - run: The run directory.
  ///   - given: The as-of time; `nil` if the pipeline file decides.
  ///   - clock: The moment at which the run began; `nil` if the stage was started by hand. Rows after this
  ///     moment do not affect the as-of time.
  ///   - previous: The manifest of the last complete run's snapshot, for a comparison of the clock, the as-of
  ///     time and the rows; `nil` if no run is complete.
  ///   - acceptsDrop: Whether to accept losses since the last complete run: fewer rows, an older newest row,
  ///     a missing last line break or a larger share of dangling rows. `dangling_limit` still applies.
  ///   - tombstones: The erased people. Ingest leaves out their rows and all rows that refer to them.
  ///   - threads: The maximum number of threads. The snapshot does not depend on it.
  ///   - progress: Counts the bytes of the exports.
  ///   - blockSize: The approximate number of bytes in a block. The snapshot does not depend on it.
  ///   - tool: The name and the version of this program, for the manifest.
  /// - Returns: The manifest. It contains the counts of each source; see `IngestCounts`.
  /// - Throws: `ExportError`, `DuckDBError`, `FileError` or `AsOfMissing`. After `RowLimitExceeded`,
  ///   `ExpectationsViolated` or an error of `IngestedExports.asOfFaults`, the run directory contains
  ///   `rejects.csv` but no snapshot. After `ExpectationsViolated` without any reject, the run directory does
  ///   not contain `rejects.csv` either.
  package static func run(
    _ pipeline: Pipeline, in run: String, asOf given: Instant?, clock: Instant?, previous: Manifest? = nil,
    acceptsDrop: Bool = false, tombstones: TombstoneSet = .none, threads: Int = 1,
    progress: WorkProgress = WorkProgress(), blockSize: Int? = nil, tool: String
  ) throws -> Manifest {
    guard clock != nil || given != nil || pipeline.asOf != .clock else { throw AsOfMissing() }
    var workers = Workers(threads: threads, blockSize: blockSize ?? ExportReader.usualBlockSize)
    workers.progress = progress
    progress.begin("bytes", total: ExportSizes.files(of: pipeline).reduce(0) { $0 + $1.bytes })
    let exports = try IngestedExports(
      pipeline, asOf: given, clock: clock ?? Self.lastMoment, tombstones: tombstones, by: workers
    ) { _, error in
      throw error
    }
    guard clock != nil || exports.asOf.origin != .clock else { throw AsOfMissing() }
    let rejects = exports.rejectsCSV
    try check(exports, rejects, clock: clock, previous: previous, acceptsDrop: acceptsDrop, in: run)
    return try write(
      consume exports, rejects, of: pipeline, tombstones, in: run, threads: threads, tool: tool)
  }

  /// Checks the limits, the as-of time and the expectations. If a check fails, the function writes the
  /// rejects into the run directory before it throws the error.
  private static func check(
    _ exports: IngestedExports, _ rejects: [UInt8], clock: Instant?, previous: Manifest?, acceptsDrop: Bool,
    in run: String
  ) throws {
    let violations = try exports.expectations(previous: previous).filter {
      $0.outcome == .violated && !(acceptsDrop && $0.isDrop)
    }
    if var exceeded = exports.exceededLimits(previous: previous, acceptsDrop: acceptsDrop).first {
      let file = try write(rejects, besideSnapshotOf: run)
      // Rows also dangle if the source that they refer to is empty or incomplete. The error then reports this
      // cause instead of the dangling rows.
      let losses = violations.filter { $0.isDrop || $0.expectation == CheckedExpectation.fewest }
      if exceeded.outcome == .dangling, !losses.isEmpty {
        throw ExpectationsViolated(violations: losses, rejectsFile: file)
      }
      exceeded.rejectsFile = file
      throw exceeded
    }
    if let fault = exports.asOfFaults(clock: clock, after: previous).first {
      _ = try write(rejects, besideSnapshotOf: run)
      throw fault
    }
    guard violations.isEmpty else {
      let hasRejects = exports.sources.contains { !$0.rejects.listed.isEmpty }
      throw ExpectationsViolated(
        violations: violations, rejectsFile: hasRejects ? try write(rejects, besideSnapshotOf: run) : nil)
    }
  }

  /// Writes the snapshot of `exports`, and releases their memory source by source.
  private static func write(
    _ exports: consuming IngestedExports, _ rejects: [UInt8], of pipeline: Pipeline,
    _ tombstones: TombstoneSet, in run: String,
    threads: Int, tool: String
  ) throws -> Manifest {
    var writer = SnapshotWriter(directory: try StageDirectory(name, in: run), threads: threads)
    for entity in pipeline.entities { try writer.writeEntities(entity.name, of: exports) }
    exports.releaseEntities()
    for index in exports.interactions.indices {
      let interaction = exports.interactions[index].interaction
      try writer.write(
        exports.takeRows(at: index), of: interaction, kept: exports.kept(interaction),
        count: exports.interactions[index].counts.kept)
      try InteractionsInForce.write(interaction, to: &writer.directory)
    }
    for requests in exports.requests {
      try writer.write(
        requests, users: exports.keptEntities(requests.requests.user.entity),
        candidates: exports.keptEntities(requests.requests.candidate.entity))
    }
    try ComputedColumns.write(pipeline, to: &writer.directory)
    let sources = exports.sources
    try writer.directory.write("rejects.csv", rows: sources.reduce(0) { $0 + $1.rejects.listed.count }) {
      (writer) throws(FileError) in try writer.append(rejects)
    }
    // The stage fails if an export changed while it was being read, so that a snapshot never mixes two
    // versions.
    try exports.checkUnchanged()
    let counts = Dictionary(uniqueKeysWithValues: sources.map { ($0.name, $0.counts.json) })
    let manifest = Manifest(
      tool: tool, stage: name, pipeline: pipeline.name, configuration: pipeline.configuration,
      asOf: exports.asOf.instant, seed: pipeline.seed,
      inputs: exports.inputs + (tombstones.input.map { [$0] } ?? []),
      counts: [
        "sources": .object(counts), "as_of_from": .string(exports.asOf.origin.rawValue),
        "snapped_to_precision": .integer(pipeline.privacy.snapPrecision),
      ])
    return try writer.finish(manifest)
  }

  /// The last millisecond of the year 9999 (UTC). It replaces the clock if the stage was started by hand.
  private static let lastMoment = Instant(milliseconds: 253_402_300_799_999)

  /// Writes the rejects of a failed run into the run directory, which has no snapshot. Returns the
  /// path of the file.
  private static func write(_ rejects: [UInt8], besideSnapshotOf run: String) throws(FileError) -> String {
    let file = run + "/rejects.csv"
    try Directories.create(run)
    try Directories.replace(file, with: rejects)
    return file
  }
}

extension SnapshotWriter {
  /// Writes the manifest and moves the complete snapshot into its place. Returns the written manifest.
  consuming func finish(_ manifest: Manifest) throws(FileError) -> Manifest {
    try directory.complete(manifest)
  }
}

/// The error for a stage that was started by hand without an as-of time.
package struct AsOfMissing: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .usage }

  package var description: String {
    "the as-of time is missing. 'nightjar run' uses the clock by default, but a stage that is run by hand does not. "
      + "Pass a time, for example --as-of 2026-11-20T23:58:12Z."
  }

  package init() {}
}
