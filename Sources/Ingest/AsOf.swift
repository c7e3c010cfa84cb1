internal import PipelineFile
package import Text

/// The as-of time: the moment that a run treats as now, and where it comes from.
package struct AsOf: Hashable, Sendable {
  package enum Origin: String, Sendable {
    /// Given on the command line.
    case given
    /// The newest interaction that is not after the machine's clock.
    case newestInteraction = "newest_interaction"
    /// The newest check-in that is not after the machine's clock; it is newer than every interaction.
    case newestCheckIn = "newest_check_in"
    /// The newest request or answer that is not after the machine's clock; it is newer than every interaction
    /// and check-in.
    case newestRequest = "newest_request"
    /// The machine's clock, because the exports have no interaction, check-in or request before it.
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
