internal import CommandLine
internal import RunSchemas
internal import System

extension ProcessEnding {
  /// A description for a message, such as `status 65`. A process that ended with a status has already
  /// reported the reason.
  var inWords: String {
    switch self {
    case .status(let status): "status \(status)"
    case .signal(let signal): "signal \(signal)"
    }
  }

  /// The exit status as a shell reports it: 128 plus the number of the signal for a process that a signal
  /// ended.
  var exitStatus: Int32 {
    switch self {
    case .status(let status): status
    case .signal(let signal): 128 + signal
    }
  }
}

extension StageFailure {
  /// Creates the failure of a stage's process. The exit status is the status of the process if it is a case
  /// of `ExitStatus`. After SIGKILL, it is `tryAgain`. Otherwise, it is `internalError`.
  init(_ ending: ProcessEnding, _ stage: Stage, _ directory: String, resume: String) {
    // A publication to several stores may fail after some stores already serve the new lists. The message of
    // the publish stage then names these stores.
    let served =
      stage == .publish
      ? "no store has changed, except the stores that the message above lists as switched"
      : "no store has changed"
    let complete =
      stage == .ingest ? "No stage is complete" : "The earlier stages of '\(directory)' are complete"
    let rest = "\(complete); \(served)"
    switch ending {
    case .status(let status):
      self.init(
        ExitStatus(rawValue: status) ?? .internalError,
        "\(stage.rawValue) failed with status \(status). \(rest).")
    case .signal(let signal):
      let ended =
        signal == 9
        ? "Signal 9 killed \(stage.command), probably because the system ran out of memory"
        : "Signal \(signal) terminated \(stage.command)"
      self.init(
        signal == 9 ? .tryAgain : .internalError,
        "\(ended). \(rest). To continue, run '\(resume)'.")
    }
  }
}
