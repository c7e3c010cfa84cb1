internal import DuckDB
internal import Erasure
internal import Evaluation
internal import Exports
internal import Ingest
internal import LeastSquares
internal import PipelineFile
internal import Preferences
internal import ServingStore
internal import Tables

/// How a Nightjar process ends; the numbers are those of `sysexits.h`.
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
    case .storeUnavailable: "the serving store is out of reach or refused; or DuckDB is missing"
    case .internalError: "a bug in Nightjar"
    case .cannotCreate: "the output cannot be created"
    case .ioError: "reading or writing failed"
    case .tryAgain: "try again later: lock held, short of memory, wrong clock, or told to stop"
    case .badPipelineFile: "the pipeline file is wrong"
    case .unchanged: "complete, and the same is served as before (with --exit-99-if-unchanged)"
    case .interrupted: "interrupted from the keyboard"
    }
  }

  /// The table for `--help`.
  package static var table: String {
    // One short line each: ArgumentParser would break longer ones without indenting the rest.
    "EXIT STATUS:\n"
      + allCases.map { "  " + String($0.rawValue).padded(to: 4) + $0.meaning }.joined(separator: "\n")
  }

  /// The status that tells `error`.
  package init(_ error: any Error) {
    switch error {
    case is PipelineFileError, is NothingToEvaluate, is TooManyColumns: self = .badPipelineFile
    case let error as FileError: self = Self.status(of: error)
    case let error as ExportError: self = Self.status(of: error)
    case is RejectLimitExceeded, is ExpectationsViolated, is OtherPipelinesRun: self = .badData
    case let error as ServingStoreError: self = Self.status(of: error)
    case let error as DuckDBError: self = Self.status(of: error)
    case let error as TombstoneError: self = Self.status(of: error)
    case is LockHeld, is NoMemoryForSolving, is ClockWentBack: self = .tryAgain
    case let error as StageFailure: self = error.status
    default: self = .internalError
    }
  }

  private static func status(of error: FileError) -> ExitStatus {
    switch error.operation {
    case .find: .missingInput
    case .create: .cannotCreate
    case .read, .write: .ioError
    }
  }

  private static func status(of error: ServingStoreError) -> ExitStatus {
    switch error.code {
    case .badAddress: .badPipelineFile
    case .busy: .tryAgain
    case .guarded: .badData
    case .full, .unreadableRankings: .ioError
    case .missingRankings: .missingInput
    case .corruptRankings: .internalError
    case .unreachable, .lost, .absent, .cannotOpen, .notOurs, .newerSchema, .refused, .readOnly, .corrupt,
      .failed:
      .storeUnavailable
    }
  }

  private static func status(of error: TombstoneError) -> ExitStatus {
    switch error.code {
    case .key: .badPipelineFile
    case .damaged: .badData
    case .absent: .missingInput
    }
  }

  private static func status(of error: DuckDBError) -> ExitStatus {
    switch error {
    case .missing: .storeUnavailable
    case .failed(let failure): failure.isWriting ? .ioError : .badData
    case .system: .ioError
    }
  }

  private static func status(of error: ExportError) -> ExitStatus {
    switch error.code {
    case .missingFile: .missingInput
    case .unreadable: .ioError
    case .badField, .badOption: .badPipelineFile
    default: .badData
    }
  }
}

/// A failure that has no error type of its own: another process's, or a request that does not fit what exists.
package struct StageFailure: Error, CustomStringConvertible {
  package var status: ExitStatus
  package var description: String

  package init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
