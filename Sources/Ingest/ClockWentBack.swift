package import Files
internal import PipelineFile
package import System
package import Text

/// The machine's clock cannot be right: by it, what earlier nights have seen is still to come, and would be left out.
///
/// A clock that is behind, but not before the newest interaction, does no harm: that interaction decides what is now. One that is
/// before it has rows left out; one that is years back, all of them, and empty lists would be served.
package struct ClockWentBack: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// By how much a clock may be behind the one of an earlier night, where that clock decided what was now; and behind an
  /// app's, whose first interaction is there.
  private static let tolerance: Int64 = 86_400_000

  package var exitStatus: ExitStatus { .tryAgain }

  package let description: String

  /// `nil` where the clock may be right.
  ///
  /// - Parameters:
  ///   - clock: The machine's.
  ///   - former: The manifest of the last complete run's snapshot. One that was told its time proves nothing.
  package init?(_ clock: Instant, after former: Manifest) {
    let origin = former.counts["as_of_from"]?.stringValue
    guard origin != AsOf.Origin.given.rawValue else { return nil }
    let slack = origin == AsOf.Origin.clock.rawValue ? Self.tolerance : 0
    guard clock.milliseconds < former.asOf.milliseconds - slack else { return nil }
    self.init(clock, "the last complete run knew rows of \(former.asOf)")
  }

  /// `nil` where the clock may be right.
  ///
  /// - Parameter exports: What was read, by a clock: something happened before it, or soon after, or nothing at all did.
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
