internal import PipelineFile
package import Text

/// The moment that a run pretends is now, and why.
package struct AsOf: Hashable, Sendable {
  package enum Origin: String, Sendable {
    /// The command line.
    case given
    /// The newest interaction that is not later than the machine's clock.
    case newestInteraction = "newest_interaction"
    /// The newest check-in that is not later than the machine's clock and newer than every interaction.
    case newestCheckIn = "newest_check_in"
    /// The newest request or answer to a request that is not later than the machine's clock and newer than all of those.
    case newestRequest = "newest_request"
    /// The machine's clock: there is no interaction and no check-in.
    case clock
  }

  package var instant: Instant
  package var origin: Origin

  init(
    given: Instant?, interactions: [InteractionRows], checkIns: [CheckInRows], requests: [RequestRows],
    clock: Instant
  ) {
    if let given {
      instant = given
      origin = .given
      return
    }
    let interaction = interactions.compactMap { $0.rows.newest(until: clock.milliseconds) }.max()
    let checkIn = checkIns.compactMap(\.newest).max()
    let request = requests.compactMap { $0.newest(until: clock.milliseconds) }.max()
    let newest = [interaction, checkIn, request].compactMap(\.self).max()
    instant = newest.map(Instant.init(milliseconds:)) ?? clock
    origin =
      newest == nil
      ? .clock
      : newest == interaction ? .newestInteraction : newest == checkIn ? .newestCheckIn : .newestRequest
  }
}
