internal import PipelineFile
package import Tables

/// The moment that a run pretends is now, and why.
package struct AsOf: Hashable, Sendable {
  package enum Origin: String, Sendable {
    /// The command line.
    case given
    /// The newest interaction that is not later than the machine's clock.
    case newestInteraction = "newest_interaction"
    /// The machine's clock: there is no interaction.
    case clock
  }

  package var instant: Instant
  package var origin: Origin

  init(given: Instant?, interactions: [InteractionRows], clock: Instant) {
    if let given {
      instant = given
      origin = .given
      return
    }
    let newest = interactions.compactMap { $0.rows.newest(until: clock.milliseconds) }.max()
    instant = newest.map(Instant.init(milliseconds:)) ?? clock
    origin = newest == nil ? .clock : .newestInteraction
  }
}
