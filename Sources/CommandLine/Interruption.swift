internal import Concurrency
internal import Files
internal import Foundation
internal import Glibc
package import System
internal import Text

/// A stop signal to this process, for example from the keyboard or at a system shutdown.
package struct Interruption: Sendable, CustomStringConvertible {
  /// SIGINT, SIGTERM or SIGHUP.
  package var signal: Int32

  package var description: String {
    let name = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][signal] ?? "signal \(signal)"
    return "stopped by \(name)"
  }

  /// `interrupted` after SIGINT, as shells expect; `tryAgain` after any other signal.
  package var status: ExitStatus { signal == SIGINT ? .interrupted : .tryAgain }
}

extension Interruption {
  private struct State {
    var isWatching = false
    var received: Int32?
    /// The reaction to a signal; `nil` to end the process.
    var reaction: (@Sendable (Int32) -> Void)?
  }

  private static let state = Guarded(State())

  /// The first stop signal that the process received; `nil` if it received none.
  package static var received: Int32? { state.withLock { $0.received } }

  /// Makes this process react to stop signals: it removes its unfinished files and exits with the status of
  /// the signal.
  package static func watch() {
    let isFirst = state.withLock { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    if isFirst { SignalWatch.start(handle) }
  }

  /// Makes stop signals call `reaction` on another thread instead of ending this process. The running code
  /// detects the signal with `check`.
  package static func react(_ reaction: @escaping @Sendable (Int32) -> Void) {
    state.withLock { $0.reaction = reaction }
  }

  /// Throws an error if a stop signal was received.
  ///
  /// - Parameters:
  ///   - run: The directory of the run, for the message.
  ///   - resume: The command that continues the run, for the message.
  /// - Throws: `StageFailure` if a signal was received.
  package static func check(whole run: String, resume: String) throws(StageFailure) {
    guard let signal = received else { return }
    let interruption = Interruption(signal: signal)
    throw StageFailure(
      interruption.status,
      "\(interruption). The earlier stages of '\(run)' are complete, and no store has changed. "
        + "To continue with the next stage, use '\(resume)'.")
  }

  /// Reports the interruption as a human-readable message or as an event for programs.
  private static func report(_ interruption: Interruption) {
    guard Console.printsEvents else { return Console.print("nightjar: \(interruption).") }
    Console.print(
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
    if !StageParent.exists { report(Interruption(signal: signal)) }
    // The code calls `_exit`, because `exit` would destroy objects that other threads are still using.
    _exit(Interruption(signal: signal).status.rawValue)
  }
}
