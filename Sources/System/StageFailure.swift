/// A failure without an error type of its own: a failure of another process, or a request that does not match the existing
/// state.
package struct StageFailure: ErrorWithStatus, CustomStringConvertible {
  package var exitStatus: ExitStatus
  package var description: String

  package init(_ status: ExitStatus, _ description: String) {
    exitStatus = status
    self.description = description
  }
}
