internal import PipelineFile
package import Text

/// The as-of time, which a run treats as the present, and its origin.
package struct AsOf: Hashable, Sendable {
  package enum Origin: String, Sendable {
    /// The time given on the command line or in the pipeline file.
    case given
    /// The time of the newest interaction up to the beginning of the run.
    case newestInteraction = "newest_interaction"
    /// The time of the newest check-in up to the beginning of the run, if every interaction up to then is
    /// older.
    case newestCheckIn = "newest_check_in"
    /// The time of the newest request or answer up to the beginning of the run, if every interaction and
    /// check-in up to then is older.
    case newestRequest = "newest_request"
    /// The moment at which the run began. With `as_of: newest`, this case applies only if the exports contain
    /// no interaction, check-in or request up to that moment.
    case clock

    /// A description of the origin, for messages.
    package var words: String {
      switch self {
      case .given: "as given"
      case .newestInteraction: "the newest interaction"
      case .newestCheckIn: "the newest check-in"
      case .newestRequest: "the newest request or answer"
      case .clock: "the machine's clock"
      }
    }
  }

  package var instant: Instant
  package var origin: Origin

  init(
    _ rule: Pipeline.AsOf, interactions: [InteractionRows], checkIns: [CheckInRows],
    requests: [RequestRows], clock: Instant
  ) {
    switch rule {
    case .moment(let given): (instant, origin) = (given, .given)
    case .clock: (instant, origin) = (clock, .clock)
    case .newest:
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
}
