package import Files
internal import Ingest
package import PipelineFile
package import Text
package import Tombstones

/// Reads all exports of a pipeline with the code of the ingest stage, and reports their content and faults.
/// Writes no files.
///
/// The module `Checking` implements `nightjar check`. Its report combines results of `Ingest` with rules of
/// `Ranking`. The module must not write a run, and stages must not depend on it.
package struct DataCheck: Sendable {
  /// A problem that would make a run fail.
  package struct Problem: Sendable {
    /// A human-readable description, on one line.
    package var description: String
    /// The error that the ingest stage would throw; `nil` for a violated expectation.
    package var error: (any Error)?
  }

  package let report: DataReport
  /// The errors in the order of `TriedExports`, then the violated expectations.
  package let problems: [Problem]

  /// Reads and checks the exports.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - given: The as-of time; `nil` for the as-of time that the pipeline file sets.
  ///   - clock: The current time of the machine's clock, which a run that begins now would use.
  ///   - previous: The manifest of the last complete run's snapshot, with which the clock, the as-of time and
  ///     the rows are compared; `nil` if no run is complete.
  ///   - tombstones: The erased people. The report contains none of their data.
  ///   - threads: The maximum number of threads for reading. The result is the same for any number.
  /// - Complexity: O(n log n) in the kept rows. `CandidatesInReach` states the complexity of the candidates
  ///   in reach.
  package init(
    _ pipeline: Pipeline, asOf given: Instant?, clock: Instant, previous: Manifest?,
    tombstones: TombstoneSet = .none, threads: Int = 1
  ) {
    let tried = TriedExports(
      pipeline, asOf: given, clock: clock, previous: previous, tombstones: tombstones, threads: threads)
    let exports = tried.exports
    let problems =
      tried.errors.map { Problem(description: "\($0)", error: $0) }
      + tried.expectations.filter { $0.outcome == .violated }.map { Problem(description: "\($0)") }

    var report = DataReport(
      pipeline: pipeline.name, asOf: exports.asOf.instant, asOfFrom: exports.asOf.origin.rawValue,
      snappedToPrecision: pipeline.privacy.snapPrecision)
    report.sources = exports.sources.compactMap { exports.report(on: $0) }
    let entities = exports.snapshot(of: pipeline.entitiesWithRadius)
    report.reach = pipeline.rankings.filter { $0.pending == nil }.compactMap {
      CandidatesInReach.report(on: $0, pipeline, entities)
    }
    report.expectations = tried.expectations
    report.problems = problems.map(\.description)
    self.report = report
    self.problems = problems
  }
}

extension IngestedExports {
  fileprivate func report(on source: ReadSource) -> DataReport.Source? {
    if let entities = entities[source.name] {
      return DataReport.Source(
        source, entities, isKept: isKept(source.name), precision: pipeline.privacy.snapPrecision)
    }
    if let read = checkIns.first(where: { $0.checkIns.name == source.name }) {
      return DataReport.Source(
        source, read, kept: keptIndices(of: read))
    }
    if let read = requests.first(where: { $0.requests.name == source.name }) {
      return DataReport.Source(source, read)
    }
    return interactions.first { $0.interaction.name == source.name }.map {
      DataReport.Source(source, $0, kept: keptIndices(of: $0))
    }
  }
}

extension DataReport {
  /// The report as JSON with sorted keys and an indentation of two spaces. Control characters are escaped.
  package var json: [UInt8] {
    var bytes: [UInt8] = []
    ShownText.append(json: JSONValue.encoded(self).span, to: &bytes)
    return bytes
  }
}
