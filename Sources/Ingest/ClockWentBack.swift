package import Files
internal import PipelineFile
package import System
package import Text

/// The machine's clock must be wrong: earlier nights read rows that are in the future by this clock.
///
/// A slow clock does no harm while it is after the newest interaction, because that interaction then decides
/// the as-of time. A clock before the newest interaction drops rows. A clock that is years behind drops all
/// rows, and the night would serve empty lists.
package struct ClockWentBack: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// The lag in milliseconds that does not count as an error. It applies if the clock decided an earlier
  /// night's as-of time, and to the first interaction of a new app.
  private static let tolerance: Int64 = 86_400_000

  package var exitStatus: ExitStatus { .tryAgain }

  package let description: String

  /// `nil` if the clock may be right.
  ///
  /// - Parameters:
  ///   - clock: The machine's clock.
  ///   - former: The manifest of the last complete run's snapshot. It proves nothing if its as-of time was
  ///     given on the command line.
  package init?(_ clock: Instant, after former: Manifest) {
    let origin = former.counts["as_of_from"]?.stringValue
    guard origin != AsOf.Origin.given.rawValue else { return nil }
    let slack = origin == AsOf.Origin.clock.rawValue ? Self.tolerance : 0
    guard clock.milliseconds < former.asOf.milliseconds - slack else { return nil }
    self.init(clock, "the last complete run knew rows of \(former.asOf)")
  }

  /// `nil` if the clock may be right: if a row is before it or shortly after it, or if there are no rows.
  ///
  /// - Parameter exports: The exports as read with this clock.
  package init?(_ exports: IngestedExports) {
    guard exports.asOf.origin == .clock else { return nil }
    let soon = exports.asOf.instant.milliseconds + Self.tolerance
    let sources: [(name: String, later: Int, isSoon: Bool)] =
      exports.interactions.map {
        ($0.interaction.name, $0.counts.later, $0.rows.newest(until: soon) != nil)
      }
      + exports.checkIns.map { ($0.checkIns.name, $0.counts.later, ($0.firstLater ?? .max) <= soon) }
      + exports.requests.map { ($0.requests.name, $0.counts.later, $0.newest(until: soon) != nil) }
    guard !sources.contains(where: \.isSoon), let most = sources.max(by: { $0.later < $1.later }),
      most.later > 0
    else { return nil }
    self.init(
      exports.asOf.instant,
      "no row of '\(most.name)' is of an earlier time, and \(most.later.counted("row")) of a later one")
  }

  private init(_ clock: Instant, _ evidence: String) {
    description =
      "the machine's clock says \(clock), but \(evidence). Newer rows are left out of a run, as still to come, so "
      + "nothing was made or served. Set the clock; or say what time to take, with --as-of."
  }
}
