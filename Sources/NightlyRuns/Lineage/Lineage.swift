internal import CommandLine
internal import RunSchemas
internal import System
internal import Text

/// Sends the lineage events of a run. If an event cannot be sent, the run prints a warning and continues.
final class Lineage {
  private let events: LineageEvents
  private let destination: LineageDestination
  private let clock: () -> Instant
  private let format: LogFormat
  /// The time at which the running stage began.
  private var attempt = Instant(milliseconds: 0)
  private var hasWarned = false

  init(
    _ events: LineageEvents, to destination: LineageDestination, _ format: LogFormat,
    clock: @escaping () -> Instant
  ) {
    (self.events, self.destination, self.format, self.clock) = (events, destination, format, clock)
  }

  func night(_ state: LineageEvents.State, asOf: Instant?, message: String? = nil) {
    send { events.night(state, at: clock(), asOf: asOf, message: message) }
  }

  func began(_ stage: Stage) {
    attempt = clock()
    send { try events.stage(stage, .start, at: attempt, attempt: attempt) }
  }

  func ended(_ stage: Stage, _ published: JSONValue?) {
    send { try events.stage(stage, .complete, at: clock(), published: published, attempt: attempt) }
  }

  func failed(_ stage: Stage, _ state: LineageEvents.State, _ message: String) {
    send { try events.stage(stage, state, at: clock(), attempt: attempt, message: message) }
  }

  /// Sends an event. After the first failure, no more events are sent, because a service that does not answer
  /// would delay every stage.
  private func send(_ event: () throws -> JSONValue) {
    guard !hasWarned else { return }
    do {
      try destination.send(event())
    } catch {
      hasWarned = true
      let message = "the lineage of this run is incomplete: \(error)"
      switch format {
      case .text: Console.print("  warning: " + ShownText.encoded(message))
      case .json: Console.print(event: "warning", ["message": .string(message)])
      }
    }
  }
}
