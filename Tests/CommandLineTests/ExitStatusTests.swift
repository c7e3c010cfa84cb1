import ArgumentParser
import DuckDB
import Files
import Models
import PipelineFile
import Readers
import RunSchemas
import ServingStore
import System
import Testing
import Text
import Tombstones

@testable import CommandLine
@testable import Evaluation
@testable import Ingest
@testable import LeastSquares

/// The Testing module has another type named `ExitStatus`.
typealias Status = System.ExitStatus

@Suite struct ExitStatusTests {
  /// Schedulers rely on these numbers.
  @Test func `the numbers equal the numbers in sysexits.h`() {
    #expect(Status.allCases.map(\.rawValue) == [0, 64, 65, 66, 69, 70, 73, 74, 75, 78, 99, 130])
    for status in Status.allCases {
      #expect(Status.table.contains("  \(status.rawValue)"))
      #expect(Status.table.contains(status.meaning))
    }
    #expect(Status.table.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: [
    (FileError.Operation.find, Status.missingInput), (.read, .ioError), (.create, .cannotCreate),
    (.write, .ioError),
  ])
  func `each file error has its exit status`(operation: FileError.Operation, status: Status) {
    #expect(Status(FileError(operation, "x", reason: "y")) == status)
  }

  @Test(arguments: [
    (Int32(2), FileError.Operation.read, Status.missingInput), (2, .create, .cannotCreate),
    (2, .write, .ioError),
    (28, .write, .ioError), (28, .create, .cannotCreate), (13, .read, .ioError), (13, .create, .cannotCreate),
  ])
  func `each system error has its exit status`(code: Int32, operation: FileError.Operation, status: Status) {
    #expect(Status(FileError(operation, "x", errno: code)) == status)
  }

  @Test(arguments: [
    (DuckDBError.missing(searched: "x"), Status.storeUnavailable), (.system("x"), .ioError),
    (.failed(DuckDBFailure(status: 1, message: "x", isWriting: false)), .badData),
    (.failed(DuckDBFailure(status: 1, message: "x", isWriting: true)), .ioError),
  ]) func `each DuckDB error has its exit status`(error: DuckDBError, status: Status) {
    #expect(Status(error) == status)
  }

  @Test(arguments: ExportError.Code.allCases) func `each export error has a status`(code: ExportError.Code) {
    let expected: Status =
      switch code {
      case .missingFile: .missingInput
      case .unreadable: .ioError
      case .incomplete, .oddFile: .badData
      case .badField, .badOption: .badPipelineFile
      case .invalidUTF8, .corruptCompression, .unsupportedCompression, .expansionLimit, .missingHeader,
        .badHeader, .missingColumn, .duplicateColumn, .badJSON, .wrongShape:
        .badData
      }
    #expect(Status(ExportError(code, file: "x", reason: "y")) == expected)
  }

  @Test(arguments: [
    (ServingStoreError.Code.badAddress, Status.badPipelineFile), (.guarded, .badData),
    (.absent, .storeUnavailable), (.unreachable, .storeUnavailable),
    (.cannotOpen, .storeUnavailable), (.notOurs, .storeUnavailable), (.newerSchema, .storeUnavailable),
    (.busy, .tryAgain), (.refused, .storeUnavailable), (.readOnly, .storeUnavailable), (.full, .ioError),
    (.corrupt, .storeUnavailable), (.failed, .storeUnavailable), (.missingRankings, .missingInput),
    (.unreadableRankings, .ioError), (.corruptRankings, .ioError), (.lost, .storeUnavailable),
  ])
  func `each store error has its exit status`(code: ServingStoreError.Code, status: Status) {
    #expect(Status(ServingStoreError(code, address: "sqlite:x", found: "y", nextStep: "z")) == status)
  }

  @Test(arguments: [
    (TombstoneError.Code.key, Status.badPipelineFile), (.damaged, .badData), (.absent, .missingInput),
  ])
  func `each tombstone error has its exit status`(code: TombstoneError.Code, status: Status) {
    #expect(Status(TombstoneError(code, "x", "y", nextStep: "z")) == status)
  }

  @Test func `other errors have exit statuses too`() {
    struct Unknown: Error {}
    #expect(Status(PipelineFileError(place: "x", reason: "y")) == .badPipelineFile)
    #expect(
      Status(
        RowLimitExceeded(
          source: "x", file: "y", key: .rejectLimit, limit: 0, outcome: .rejected, read: 1, rules: [:],
          rejectsFile: "z"))
        == .badData)
    #expect(Status(ExpectationsViolated(violations: [], rejectsFile: "z")) == .badData)
    #expect(Status(TooManyColumns(count: 1001, feature: "x", featureCount: 900)) == .badPipelineFile)
    #expect(Status(LockHeld(path: "x", holder: "y")) == .tryAgain)
    #expect(Status(StageFailure(.usage, "x")) == .usage)
    #expect(Status(NoMemoryForSolving(threads: 2)) == .tryAgain)
    #expect(Status(NothingToEvaluate("x")) == .badPipelineFile)
    #expect(Status(OtherPipelinesRun("x", of: "y", not: "z")) == .badData)
    #expect(Status(Unknown()) == .internalError)
  }

  @Test func `an error becomes the exit code for ArgumentParser`() {
    let code = #expect(throws: ExitCode.self) {
      try StageMain.guarded { throw PipelineFileError(place: "test", reason: "on purpose") }
    }
    #expect(code?.rawValue == 78)
    #expect(throws: ValidationError.self) { try StageMain.guarded { throw ValidationError("x") } }
    #expect(#expect(throws: ExitCode.self) { try StageMain.guarded { throw ExitCode(3) } }?.rawValue == 3)
  }
}

@Suite struct TextTests {
  @Test(arguments: [
    ("2026-11-20", Int64(1_795_132_800_000)), ("1970-01-01T00:00:01Z", 1000), ("5", 5),
    ("1970-01-01T01:00:00+01:00", 0),
  ])
  func `a date or time on the command line is parsed`(argument: String, milliseconds: Int64) {
    #expect(Instant(argument: argument)?.milliseconds == milliseconds)
  }

  @Test(arguments: ["", "today", "2026-02-30", "2026-11-20T25:00:00Z", "99999999999999999999"])
  func `an invalid date or time is rejected`(argument: String) {
    #expect(Instant(argument: argument) == nil)
  }

  @Test(arguments: [
    (["--threads", "0"], false), (["--threads", "1"], true), (["--threads", "1024"], true),
    (["--threads", "1025"], false), (["--threads", "two"], false), ([], true),
  ])
  func `the number of threads has a range`(arguments: [String], isAccepted: Bool) {
    #expect(((try? ThreadOptions.parse(arguments)) != nil) == isAccepted)
    if isAccepted, let options = try? ThreadOptions.parse(arguments) { #expect(options.count >= 1) }
  }
}

@Suite struct ThreadCheckTests {
  @Test func `a process that gets its threads continues`() throws {
    try ThreadCheck.require()
  }
}
