package import Files
internal import PipelineFile
package import System
package import Text

/// The error for a machine clock that is earlier than the as-of time of the last complete run.
///
/// A run leaves out rows after the as-of time. If the clock were years behind, a run would drop all rows and
/// publish empty lists.
package struct ClockWentBack: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .tryAgain }

  package let description: String

  /// Creates the error if `clock` is before the as-of time of the last complete run. Returns `nil` otherwise,
  /// and also if that as-of time was given explicitly.
  ///
  /// - Parameters:
  ///   - clock: The moment at which the run began, by the machine's clock.
  ///   - former: The manifest of the last complete run's snapshot.
  package init?(_ clock: Instant, after former: Manifest) {
    guard former.counts["as_of_from"]?.stringValue != AsOf.Origin.given.rawValue, clock < former.asOf else {
      return nil
    }
    description =
      "the machine's clock shows \(clock), but the last complete run had the later as-of time \(former.asOf). "
      + "A run with this clock stops before it makes lists, and the app keeps reading the previous lists. "
      + "Correct the clock, or pass the time with --as-of."
  }
}

/// The error for exports that are older than the exports of the last complete run.
///
/// With `as_of: newest`, old exports give an earlier as-of time. The lists would then ignore vetoes and
/// changes that the last complete run already used.
package struct AsOfWentBack: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badData }

  package let description: String

  /// Creates the error if `asOf` is before the as-of time of the last complete run; otherwise returns `nil`.
  /// `former` is the manifest of that run's snapshot.
  init?(_ asOf: AsOf, after former: Manifest) {
    guard asOf.instant < former.asOf else { return nil }
    description =
      "the as-of time would be \(asOf.instant) (\(asOf.origin.words)), but the last complete run had the "
      + "later as-of time \(former.asOf). A run stops before it makes lists, and the app keeps reading the "
      + "previous lists. If an export is old, export its data again. To use these exports, pass "
      + "--as-of \(asOf.instant)."
  }
}
