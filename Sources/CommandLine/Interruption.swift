internal import Concurrency
internal import Files
internal import Foundation
internal import Glibc
package import System
internal import Text

/// A request to stop this process, from the keyboard or from a system shutdown.
package struct Interruption: Sendable, CustomStringConvertible {
  /// SIGINT, SIGTERM or SIGHUP.
  package var signal: Int32

  package var description: String {
    let name = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][signal] ?? "signal \(signal)"
    return "stopped by \(name)"
  }

  /// As a shell expects it of the keyboard's; else to be tried again.
  package var status: ExitStatus { signal == SIGINT ? .interrupted : .tryAgain }
}

extension Interruption {
  private struct State {
    var isWatching = false
    var received: Int32?
    /// What is done about a signal, instead of ending at once.
    var reaction: (@Sendable (Int32) -> Void)?
  }

  private static let state = Guarded(State())

  /// The first signal that has come, if any.
  static var received: Int32? { state.withLock { $0.received } }

  /// From now on, a stop signal makes this process remove its unfinished files and end with the matching status.
  package static func watch() {
    let isFirst = state.withLock { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    if isFirst { SignalWatch.start(handle) }
  }

  /// From now on, a signal does not end this process. It calls `reaction` on another thread; running work learns about it from
  /// `check` and ends in order.
  package static func react(_ reaction: @escaping @Sendable (Int32) -> Void) {
    state.withLock { $0.reaction = reaction }
  }

  /// - Parameter run: The run directory whose stages can be gone on with.
  /// - Throws: `StageFailure` where a signal has come.
  package static func check(whole run: String) throws(StageFailure) {
    guard let signal = received else { return }
    let interruption = Interruption(signal: signal)
    throw StageFailure(
      interruption.status,
      "\(interruption). Earlier stages of '\(run)' are whole, and --resume goes on with them; what was served before is "
        + "untouched.")
  }

  /// Reported like any other failure.
  private static func tell(_ interruption: Interruption) {
    guard Console.tellsEvents else { return Console.tell("nightjar: \(interruption).") }
    Console.tell(
      event: "error",
      ["message": .string("\(interruption)."), "status": .integer(Int(interruption.status.rawValue))])
  }

  private static func handle(_ signal: Int32) {
    let reaction = state.withLock { state in
      state.received = state.received ?? signal
      return state.reaction
    }
    if let reaction { return reaction(signal) }
    PartialOutputs.removeAll()
    if !StageParent.isThere { tell(Interruption(signal: signal)) }
    // Not `exit`: other threads are at work, and what they use must not be taken down under them.
    _exit(Interruption(signal: signal).status.rawValue)
  }
}
