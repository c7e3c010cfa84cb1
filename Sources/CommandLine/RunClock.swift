internal import Foundation
internal import Readers
internal import RunSchemas
package import System
package import Text

/// The clock for the start and the end of a run. Stages do not read it: `nightjar run` passes the time to
/// them.
package struct RunClock: Sendable {
  /// The environment variable that sets the clock.
  package static let variable = "NIGHTJAR_NOW"

  private let fixed: Instant?

  /// Creates the clock. If `NIGHTJAR_NOW` is set and not empty, the clock always shows this time. Otherwise,
  /// it shows the time of the machine.
  ///
  /// - Throws: `StageFailure` with the status `usage` if the variable does not contain a time.
  package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(StageFailure) {
    guard let text = environment[Self.variable], !text.isEmpty else {
      fixed = nil
      return
    }
    guard let fixed = Instant(argument: text) else {
      throw StageFailure(
        .usage,
        "\(Self.variable) is '\(text)', which is not a time. Write a time such as 2026-11-20T23:58:12Z."
      )
    }
    self.fixed = fixed
  }

  package var now: Instant { fixed ?? MachineClock.now }
}
