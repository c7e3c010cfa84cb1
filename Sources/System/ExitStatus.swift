/// The exit status of a Nightjar process. The numbers 64 to 78 come from `sysexits.h`, and 99 is specific to
/// Nightjar. As in a shell, 130 is 128 plus the number of SIGINT.
///
/// The module `System` wraps processes, threads, signals and exit statuses. Every program links this module,
/// so it must not load Foundation. Its only dependency within Nightjar is `CLinux`.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case complete = 0
  case usage = 64
  case badData = 65
  case missingInput = 66
  case storeUnavailable = 69
  case internalError = 70
  case cannotCreate = 73
  case ioError = 74
  case tryAgain = 75
  case badPipelineFile = 78
  case unchanged = 99
  case interrupted = 130

  package var meaning: String {
    switch self {
    case .complete: "complete"
    case .usage: "the command line is wrong"
    case .badData: "the data are unreadable or unexpected, or too many rows were rejected"
    case .missingInput: "an input is missing"
    case .storeUnavailable: "a store is unreachable or denies access; a program or library is missing"
    case .internalError: "a bug in Nightjar"
    case .cannotCreate: "the output cannot be created"
    case .ioError: "reading or writing failed"
    case .tryAgain: "try again later: lock held, short of memory, wrong clock, or stopped"
    case .badPipelineFile: "the pipeline file is wrong"
    case .unchanged: "complete, and no store changed (with --exit-99-if-unchanged)"
    case .interrupted: "interrupted from the keyboard"
    }
  }

  /// Creates the status of `error`: `internalError` unless `error` is an `ErrorWithStatus`.
  package init(_ error: any Error) {
    self = (error as? any ErrorWithStatus)?.exitStatus ?? .internalError
  }
}

/// An error that a user can fix. A process that fails with such an error exits with `exitStatus`.
package protocol ErrorWithStatus: Error {
  var exitStatus: ExitStatus { get }
}
