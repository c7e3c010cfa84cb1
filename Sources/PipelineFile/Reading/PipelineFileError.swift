package import System

/// A mistake in a pipeline file, or in a `--set` that changes it.
package struct PipelineFileError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// `FILE:LINE:COLUMN`, or `--set KEY`.
  package var place: String
  /// The rule, and the value that breaks it.
  package var reason: String
  /// The next step for the user; empty if it follows from the reason.
  package var advice: String

  package init(place: String, reason: String, advice: String = "") {
    self.place = place
    self.reason = reason
    self.advice = advice
  }

  package var exitStatus: ExitStatus { .badPipelineFile }

  package var description: String {
    "\(place): \(reason)." + (advice.isEmpty ? "" : " \(advice)")
  }
}
