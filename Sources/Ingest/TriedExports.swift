package import Files
package import PipelineFile
internal import Readers
package import Text
package import Tombstones

/// The exports of a pipeline, read to find the problems that would stop a run. Reading continues
/// after a problem, so that all problems are found.
package struct TriedExports: Sendable {
  /// How much of the exports to read.
  package enum Extent: Sendable {
    case whole
    /// The first block of each file. Limits and expectations need all rows, so only faults of the files and
    /// empty sources are found. Files whose format cannot be read in blocks, such as JSON documents, are read
    /// whole.
    case beginnings
  }

  /// The readable exports.
  package let exports: IngestedExports
  /// The errors that the ingest stage would throw, except violated expectations, in this order:
  ///
  /// - A source cannot be read.
  /// - An export changed while it was being read.
  /// - A source has too many rejected or dangling rows.
  /// - The as-of time is wrong, or a source has too many later rows.
  /// - The files of a source can no longer be listed.
  package private(set) var errors: [any Error]
  /// The results of the expectations. With `beginnings`, the array contains only the violations of empty
  /// sources.
  package let expectations: [CheckedExpectation]

  /// Reads the exports.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - given: The argument of `--as-of`; `nil` if the pipeline file decides.
  ///   - clock: The machine's clock.
  ///   - previous: The manifest of the last complete run's snapshot, if there is one.
  ///   - tombstones: The erased people.
  ///   - extent: How much to read.
  ///   - threads: The maximum number of threads. The result does not depend on it.
  package init(
    _ pipeline: Pipeline, asOf given: Instant?, clock: Instant, previous: Manifest?, tombstones: TombstoneSet,
    extent: Extent = .whole, threads: Int = 1
  ) {
    var workers = Workers(threads: threads)
    workers.readsBeginnings = extent == .beginnings
    var errors: [any Error] = []
    exports = IngestedExports(pipeline, asOf: given, clock: clock, tombstones: tombstones, by: workers) {
      errors.append($1)
    }
    guard extent == .whole else {
      // If the first block of a file has no row, the file is empty. A source whose conditions excluded rows
      // is not reported as empty, because later rows may meet the conditions.
      let unfiltered = Set(exports.sources.filter { $0.counts.leftOut ?? 0 == 0 }.map(\.name))
      (self.errors, expectations) = (
        errors, exports.emptySources().filter { unfiltered.contains($0.source) }
      )
      return
    }
    do {
      try exports.checkUnchanged()
    } catch {
      errors.append(error)
    }
    errors += exports.exceededLimits(previous: previous) as [any Error]
    self.errors = errors + (exports.asOfFaults(clock: clock, after: previous) as [any Error])
    do {
      expectations = try exports.expectations(previous: previous)
    } catch {
      self.errors.append(error)
      expectations = []
    }
  }
}
