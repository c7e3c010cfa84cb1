/// The exit status of a Nightjar process. Its numbers come from `sysexits.h`.
///
/// The module wraps the system: processes, threads, signals, exit statuses. Every program links it, so it
/// must not depend on another module of Nightjar except `CLinux`, nor load Foundation.
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
    case .badData: "the data are wrong: unreadable, too many rejects, or unexpected"
    case .missingInput: "an input is missing"
    case .storeUnavailable: "a store is unreachable or refused, or a program or library is missing"
    case .internalError: "a bug in Nightjar"
    case .cannotCreate: "the output cannot be created"
    case .ioError: "reading or writing failed"
    case .tryAgain: "try again later: lock held, short of memory, wrong clock, or stopped"
    case .badPipelineFile: "the pipeline file is wrong"
    case .unchanged: "complete, and no store changed (with --exit-99-if-unchanged)"
    case .interrupted: "interrupted from the keyboard"
    }
  }

  /// The status of `error`, or the status of a bug if it has none.
  package init(_ error: any Error) {
    self = (error as? any ErrorWithStatus)?.exitStatus ?? .internalError
  }
}

/// An error that a user can fix. A process that fails with it exits with this status.
package protocol ErrorWithStatus: Error {
  var exitStatus: ExitStatus { get }
}
