/// A failure without its own error type: of another process, or of a request that does not match the existing
/// state.
package struct StageFailure: ErrorWithStatus, CustomStringConvertible {
  package var exitStatus: ExitStatus
  package var description: String

  package init(_ status: ExitStatus, _ description: String) {
    exitStatus = status
    self.description = description
  }
}
