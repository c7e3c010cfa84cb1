internal import PipelineFile
package import Tables

/// The moment that a run pretends is now, and why.
package struct AsOf: Hashable, Sendable {
  package enum Origin: String, Sendable {
    /// The command line.
    case given
    /// The newest interaction that is not later than the machine's clock.
    case newestInteraction = "newest_interaction"
    /// The newest check-in that is not later than the machine's clock, which is newer than any interaction.
    case newestCheckIn = "newest_check_in"
    /// The machine's clock: there is no interaction and no check-in.
    case clock
  }

  package var instant: Instant
  package var origin: Origin

  init(given: Instant?, interactions: [InteractionRows], checkIns: [CheckInRows], clock: Instant) {
    if let given {
      instant = given
      origin = .given
      return
    }
    let interaction = interactions.compactMap { $0.rows.newest(until: clock.milliseconds) }.max()
    let checkIn = checkIns.compactMap(\.newest).max()
    let newest = [interaction, checkIn].compactMap(\.self).max()
    instant = newest.map(Instant.init(milliseconds:)) ?? clock
    origin = newest == nil ? .clock : newest == interaction ? .newestInteraction : .newestCheckIn
  }
}
