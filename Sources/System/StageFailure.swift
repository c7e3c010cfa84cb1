/// A failure without its own error type. For example, the process of a stage failed, or the files of a run do
/// not allow what the user requested.
package struct StageFailure: ErrorWithStatus, CustomStringConvertible {
  package var exitStatus: ExitStatus
  package var description: String

  package init(_ status: ExitStatus, _ description: String) {
    exitStatus = status
    self.description = description
  }
}
