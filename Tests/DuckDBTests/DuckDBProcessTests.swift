import DuckDB
import Foundation
import Glibc
import Testing
import TestSupport

@Suite(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
struct DuckDBProcessTests {
  private static let endless = """
    COPY (SELECT * FROM range(100000000000)) TO \(SQL.standardOutput) (USE_TMP_FILE false)
    """

  /// The failure of DuckDB in `body`. If `body` throws another error or none, returns `nil` and records an
  /// issue.
  private func failure(_ body: () throws -> Void) -> DuckDBFailure? {
    if case .failed(let failure)? = #expect(throws: DuckDBError.self, performing: body) {
      failure
    } else {
      nil
    }
  }

  @Test func `a process ends when it is cancelled or released`() throws {
    // Processes are identified by their working directory, because other tests start processes too.
    let directory = try ScratchDirectory()
    func children() -> [Int32] {
      Program.children(of: getpid()).filter {
        let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")
        return place == URL(filePath: directory.path).resolvingSymlinksInPath().path
      }
    }
    func start() throws -> DuckDBProcess {
      let process = try DuckDBProcess(
        sql: Self.endless, input: false, output: true, workingDirectory: directory.path)
      var first = UInt8(0)
      #expect(read(try #require(process.output), &first, 1) == 1)
      #expect(children().count == 1)
      return process
    }
    let cancelled = try start()
    cancelled.cancel()
    cancelled.cancel()
    #expect(cancelled.output == nil && children().isEmpty)
    var letGo: DuckDBProcess? = try start()
    #expect(letGo != nil)
    letGo = nil
    #expect(children().isEmpty)
  }

  @Test func `output that ends before the last byte is a failure`() throws {
    let process = try DuckDBProcess(sql: Self.endless, input: false, output: true)
    var first = UInt8(0)
    #expect(read(try #require(process.output), &first, 1) == 1)
    let failure = try #require(failure { try process.finish() })
    // DuckDB cannot write to a closed pipe.
    #expect(!failure.isWriting && failure.status != 0, "\(failure)")
    #expect(process.output == nil)
  }

  @Test func `writing to a failed process throws its failure, and no signal ends the writer`() throws {
    let process = try DuckDBProcess(sql: "SELECT nothing_like_that", input: true, output: false)
    let failure = try #require(
      failure { for _ in 0..<1000 { try process.write([UInt8](repeating: 65, count: 1 << 16)) } })
    #expect(failure.isWriting && failure.status == 1)
    #expect(failure.message.contains("nothing_like_that") && !failure.message.contains("LINE"))
  }

  @Test func `long error output neither blocks nor fills the message`() throws {
    let sql = "SELECT error('\(String(repeating: "too long ", count: 50_000))\u{1B}')"
    let process = try DuckDBProcess(sql: sql, input: false, output: false)
    let failure = try #require(failure { try process.finish() })
    #expect(failure.message.count == 600 && failure.message.contains("too long too long"))
    #expect(!failure.isWriting && failure.status == 1)
  }

  @Test func `the output equals the input`() throws {
    let process = try DuckDBProcess(
      sql: """
        COPY (SELECT sum(a), count(*) FROM read_csv(\(SQL.standardInput), columns={'a': 'BIGINT'}, header=false,
        auto_detect=false)) TO \(SQL.standardOutput) (HEADER false, USE_TMP_FILE false)
        """, input: true, output: true)
    for number in 1...10_000 { try process.write(Array("\(number)\n".utf8)) }
    process.endInput()
    #expect(String(decoding: try outputBytes(process), as: UTF8.self) == "50005000,10000\n")
  }

  @Test func `PyPI's wrapper script is bypassed`() throws {
    let program = try DuckDBProgram.find()
    let isScript = FileHandle(forReadingAtPath: program)?.readData(ofLength: 2) == Data("#!".utf8)
    // PyPI's wrapper script is in `.build/tools`. A script elsewhere has nothing to do with PyPI.
    #expect(!isScript || !program.contains("/.build/tools/"))
  }

  @Test func `a missing database is not created`() throws {
    let directory = try ScratchDirectory()
    let process = try DuckDBProcess(
      sql: "SELECT 1", input: false, output: false, databasePath: "absent.duckdb",
      workingDirectory: directory.path)
    let failure = try #require(failure { try process.finish() })
    #expect(failure.message.contains("absent.duckdb"), "\(failure)")
    #expect(directory.files.isEmpty)
  }
}
