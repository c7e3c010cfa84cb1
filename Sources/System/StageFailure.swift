/// A failure that has no error type of its own: another process's, or a request that does not fit what exists.
package struct StageFailure: ErrorWithStatus, CustomStringConvertible {
  package var exitStatus: ExitStatus
  package var description: String

  package init(_ status: ExitStatus, _ description: String) {
    exitStatus = status
    self.description = description
  }
}
