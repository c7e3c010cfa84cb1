internal import Glibc
package import System

/// The error of a file or directory that cannot be found, read, created or written.
package struct FileError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// The failed operation. It determines the exit status.
  package enum Operation: String, Sendable {
    case find, read, create, write
  }

  package var operation: Operation
  package var path: String
  /// The reason: a violated rule, or the system's message.
  package var reason: String
  /// The next step for the user; empty if none is known.
  package var advice: String

  package init(_ operation: Operation, _ path: String, reason: String, advice: String = "") {
    self.operation = operation
    self.path = path
    self.reason = reason
    self.advice = advice
  }

  /// Creates the error for the system's error number `code`. If a file to read is missing, the operation
  /// becomes `find`.
  package init(_ operation: Operation, _ path: String, errno code: Int32) {
    self.operation = operation == .read && code == ENOENT ? .find : operation
    self.path = path
    reason = unsafe String(cString: strerror(code))
    advice =
      switch code {
      case ENOSPC, EDQUOT: "Free some space, or choose another directory."
      case ENOENT, ENOTDIR: "Check the path."
      case EMFILE, ENFILE:
        "Raise the open file limit with 'ulimit -n' in a shell, or with LimitNOFILE in a systemd service."
      case EIO: "Check the disk."
      case EACCES, EPERM, EROFS:
        "Check the permissions" + (operation == .read ? "." : ", or choose another directory.")
      default: ""
      }
  }

  /// Creates the error for a damaged file of a run.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - found: The fault as a clause, such as "it is missing".
  package init(damaged path: String, _ found: String) {
    self.init(
      .read, path, reason: found + ", so the run is damaged",
      advice: "Run 'nightjar doctor' to find the stage from which to start again.")
  }

  package var exitStatus: ExitStatus {
    switch operation {
    case .find: .missingInput
    case .create: .cannotCreate
    case .read, .write: .ioError
    }
  }

  package var description: String {
    "cannot \(operation.rawValue) '\(path)': \(reason)." + (advice.isEmpty ? "" : " " + advice)
  }
}
