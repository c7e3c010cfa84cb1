internal import PipelineFile
package import System
internal import Text

/// The error for a source in which too many rows are later than the as-of time. `later_limit` in the pipeline
/// file sets the maximum share.
///
/// A few later rows are normal, because apps keep writing while they export. Many later rows mean that the
/// as-of time is too early, or that the times are wrong.
package struct LaterLimitExceeded: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badData }

  package let description: String

  /// Creates the error if the share of later rows of `source` exceeds `limit`; otherwise returns `nil`.
  /// Shares are from 0 to 1. Rows of erased people and most rows of a few accounts do not count.
  init?(_ source: ReadSource, limit: Double, _ asOf: AsOf) {
    // An id is kept even if all its versions are later, but it counts as one later row here.
    let later = source.counts.later + (source.counts.updatedLater ?? 0)
    let read = source.counts.read - source.counts.erased
    // The code compares a quotient with the limit. The test `counted > limit * read` would be wrong. In
    // floating point, 0.29 * 100 is less than 29, so a limit of 0.29 would reject exactly 29 of 100 rows.
    let counted = later - source.counts.laterOfFewAccounts
    guard counted > 0, Double(counted) / Double(read) > limit else { return nil }
    let advice =
      switch asOf.origin {
      case .newestInteraction, .newestCheckIn, .newestRequest:
        "If another export is older, export its data again. If all exports are up to date, set 'as_of: clock' in the "
          + "pipeline file."
      case .clock: "Check the machine's clock and the times in the export."
      case .given: "Check the given as-of time, the machine's clock and the times in the export."
      }
    description =
      "\(source.name): \(later.grouped) of \(read.counted("row")) of '\(source.source.label)' "
      + "(\(later.share(of: read))) \(later == 1 ? "is" : "are") later than the as-of time \(asOf.instant) "
      + "(\(asOf.origin.words)), and later_limit is \(limit.percent). A run stops before it makes lists, and "
      + "the app keeps reading the previous lists. \(advice) To run anyway, raise later_limit in the pipeline file."
  }
}
