package import Files
internal import PipelineFile
package import System
package import Text

/// The error for a wrong machine clock. The clock is earlier than the as-of time of the last
/// complete run.
///
/// Rows after the as-of time are left out, so a clock that is years behind would drop all rows, and
/// the run would publish empty lists.
package struct ClockWentBack: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .tryAgain }

  package let description: String

  /// `nil` if the clock may be right.
  ///
  /// - Parameters:
  ///   - clock: The moment at which the run began, by the machine's clock.
  ///   - former: The manifest of the last complete run's snapshot. If its as-of time was given, it
  ///     is not compared with the clock.
  package init?(_ clock: Instant, after former: Manifest) {
    guard former.counts["as_of_from"]?.stringValue != AsOf.Origin.given.rawValue, clock < former.asOf else {
      return nil
    }
    description =
      "the machine's clock shows \(clock), but the last complete run had the as-of time \(former.asOf). This run made no "
      + "lists, and the app keeps reading the previous ones. Set the clock, or pass the time with --as-of."
  }
}

/// The exports are older than in the last complete run.
///
/// With `as_of: newest`, the as-of time of an old export is earlier. The lists would then ignore
/// vetoes and changes that the last complete run already contained.
package struct AsOfWentBack: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badData }

  package let description: String

  /// `nil` if the as-of time is not before the as-of time of the last complete run, whose snapshot has the
  /// manifest `former`.
  init?(_ asOf: AsOf, after former: Manifest) {
    guard asOf.instant < former.asOf else { return nil }
    description =
      "the as-of time would be \(asOf.instant) (\(asOf.origin.words)), but the last complete run had the as-of time "
      + "\(former.asOf). This run made no lists, and the app keeps reading the previous ones. Is an export old? Export again. To use these exports, pass "
      + "the time: --as-of \(asOf.instant)."
  }
}
