import Concurrency
import DuckDB
import Foundation
import Glibc
import Testing
import TestSupport

@Suite(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
struct DuckDBExportTests {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
  }

  @Test func `every type becomes text that the CSV readers parse`() throws {
    let path = directory("types.parquet")
    try writeParquet(
      """
      SELECT true AS flag, 7::TINYINT AS small, 99999999999999999999999999999999999999::DECIMAL(38, 0) AS huge,
        1.10::DECIMAL(10,2) AS decimal, 0.1::DOUBLE + 0.2::DOUBLE AS double, 5e-324::DOUBLE AS tiny,
        'nan'::DOUBLE AS nan, DATE '2024-02-29' AS date, TIMESTAMP '2024-02-29 12:34:56.789' AS naive,
        TIMESTAMPTZ '2024-02-29 23:00:00.5-02' AS zoned, 'b'::ENUM('a', 'b') AS enum,
        '5aca8c5c-0cd1-4e2d-a7c2-5a1c0e5a0001'::UUID AS uuid, [1, 2] AS list, 'a\\x00b'::BLOB AS blob,
        NULL::INTEGER AS nothing, '' AS "empty"
      """, to: path)
    let export = try DuckDBExport(.parquet(file: path), fields: [])
    let rows = try exported(.parquet(file: path), export.columns)
    #expect(rows[0] == export.columns && rows.count == 2)
    #expect(
      rows[1] == [
        "true", "7", "99999999999999999999999999999999999999", "1.10", "0.30000000000000004", "5e-324", "nan",
        "2024-02-29", "2024-02-29 12:34:56.789", "2024-03-01 01:00:00.5+00", "b",
        "5aca8c5c-0cd1-4e2d-a7c2-5a1c0e5a0001", "[1, 2]", "a\\x00b", "", "",
      ])
  }

  @Test func `only the requested columns are returned, in order and without duplicates`() throws {
    let path = directory("some.parquet")
    try writeParquet("SELECT 1 AS a, 2 AS b, 3 AS c", to: path)
    #expect(try exported(.parquet(file: path), ["c", "a", "c"]) == [["c", "a"], ["3", "1"]])
  }

  @Test func `a dotted name is a column if it exists, and otherwise a key of a struct`() throws {
    let path = directory("struct.parquet")
    try writeParquet(
      """
      SELECT {'latitude': 52.5::DOUBLE, 'deep': {'at, (': 1, 'x.y': 'z', 'qu"o''te': 2}} AS location,
        'column' AS "location.deep", [{'a': 1}] AS list, NULL::STRUCT(a INTEGER) AS nothing
      """, to: path)
    let fields = [
      "location.latitude", "location.deep", "location.deep.at, (", "location.deep.x\\.y", "nothing.a",
      "location.deep.qu\"o'te",
    ]
    let wrong = [
      "Location.latitude", "location.longitude", "list.a", "location.", "location.deep.x.y", "\\q",
    ]
    let export = try DuckDBExport(.parquet(file: path), fields: fields + wrong)
    #expect(export.columns == ["location", "location.deep", "list", "nothing"])
    #expect(export.missing == wrong)
    let rows = plainCSVText(try outputBytes(export.start()))
    #expect(rows == [fields, ["52.5", "column", "1", "z", "", "2"]])
  }

  @Test(arguments: ["a", "SELECT", "a\"b", "a'b", "e\u{301}", "é", " x ", "x,y", "line\nbreak", "表"])
  func `a column may have any name`(name: String) throws {
    let path = directory("named.parquet")
    try writeParquet("SELECT 1 AS \(SQL.identifier(name)), 2 AS other", to: path)
    let rows = try exported(.parquet(file: path), [name, "other"])
    #expect(rows.map { $0.map { Array($0.utf8) } }.first == [Array(name.utf8), Array("other".utf8)])
    #expect(rows.last == ["1", "2"])
  }

  @Test func `no line is blank, even if all values are missing`() throws {
    let path = directory("holes.parquet")
    try writeParquet("SELECT nullif(range, 1) AS a FROM range(3)", to: path)
    #expect(try exported(.parquet(file: path), ["a"]) == [["a", ""], ["0", ""], ["", ""], ["2", ""]])
    #expect(try exported(.parquet(file: path), ["b"]) == [["", ""], ["", ""], ["", ""], ["", ""]])
  }

  @Test func `an export without rows has only a header`() throws {
    let path = directory("none.parquet")
    try writeParquet("SELECT 1 AS a, 2 AS b WHERE false", to: path)
    #expect(try exported(.parquet(file: path), ["b", "a"]) == [["b", "a"]])
  }

  @Test(arguments: [1, 2, 4]) func `rows keep the order of the file`(threads: Int) throws {
    let path = directory("ordered.parquet")
    // Each row group goes to one thread, so the file needs several.
    try writeParquet(
      "SELECT (range * 7919) % 30011 AS a, range AS b FROM range(30000)", to: path, rowsPerGroup: 2048)
    let rows = try exported(.parquet(file: path), ["a", "b"], threads: threads)
    #expect(rows.count == 30_001)
    let isInOrder = rows.dropFirst().enumerated().allSatisfy { index, row in
      row == [String((index * 7919) % 30_011), String(index)]
    }
    #expect(isInOrder)
  }

  @Test(arguments: ["a b.parquet", "x*[y]?.parquet", "day=1/x.parquet", "it's.parquet", "-c.parquet"])
  func `a file name is neither a pattern nor a partition`(name: String) throws {
    let path = directory(name)
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    let plain = directory("plain.parquet")
    try writeParquet("SELECT 1 AS a, 2 AS b", to: plain)
    try FileManager.default.copyItem(atPath: plain, toPath: path)
    try writeParquet("SELECT 3 AS a, 4 AS b", to: directory("xanything_y.parquet"))
    let export = try DuckDBExport(.parquet(file: path), fields: ["a", "b"])
    #expect(export.columns == ["a", "b"])
    #expect(plainCSVText(try outputBytes(export.start())) == [["a", "b"], ["1", "2"]])
  }

  @Test func `a query may use a database and other files`() throws {
    let database = directory("app.duckdb")
    let made = try DuckDBTool.rows(
      "ATTACH '\(database)' AS app; CREATE TABLE app.users AS SELECT 'u' || range AS id FROM range(3)")
    #expect(made.isEmpty)
    try directory.write("id,years\nu0,4\nu2,6\n", to: "years.csv")
    let query = """
      WITH y AS (SELECT * FROM 'years.csv') -- beside the database
      SELECT id, years FROM users LEFT JOIN y USING (id) ORDER BY id DESC -- newest first
       ;\r\n
      """
    let source = DuckDBExport.Source.query(query, database: "app.duckdb")
    let export = try DuckDBExport(source, fields: ["years", "id"], workingDirectory: directory.path)
    let rows = plainCSVText(try outputBytes(export.start()))
    #expect(rows == [["years", "id"], ["6", "u2"], ["", "u1"], ["4", "u0"]])
    #expect(directory.files == ["app.duckdb", "years.csv"], "the query must not create files")
  }

  // MARK: Failures

  private func refusal(_ source: DuckDBExport.Source, _ fields: [String] = ["a", "b"]) -> DuckDBFailure? {
    do {
      _ = try exported(source, fields)
      return nil
    } catch DuckDBError.failed(let failure) {
      return failure
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  @Test func `a file that is not Parquet is rejected with DuckDB's message`() throws {
    try directory.write("a,b\n1,2\n", to: "text.parquet")
    try directory.write("", to: "empty.parquet")
    try #require(mkfifo(directory("pipe.parquet"), 0o600) == 0)
    for name in ["text.parquet", "empty.parquet", "absent.parquet", "pipe.parquet", "."] {
      let failure = try #require(refusal(.parquet(file: directory(name))), "\(name)")
      #expect(!failure.isWriting && !failure.message.isEmpty && !failure.message.contains("\n"))
      #expect(
        !failure.message.contains("SELECT"),
        "the message must not contain Nightjar's own statement: \(failure.message)")
    }
  }

  @Test func `a file truncated anywhere fails, and never hangs`() throws {
    let path = directory("whole.parquet")
    try writeParquet("SELECT range AS a, hash(range)::VARCHAR AS b FROM range(2000)", to: path)
    let whole = try directory.bytes("whole.parquet")
    for step in 0..<12 {
      let cut = step < 6 ? whole.count - 1 - step * 3 : whole.count * (step - 5) / 7
      try directory.write(Array(whole.prefix(cut)), to: "cut.parquet")
      #expect(refusal(.parquet(file: directory("cut.parquet"))) != nil, "cut at \(cut) of \(whole.count)")
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func `a file with changed bytes gives rows or fails`(seed: UInt64)
    throws
  {
    let path = directory("whole.parquet")
    try writeParquet("SELECT range AS a, hash(range)::VARCHAR AS b FROM range(2000)", to: path)
    var bytes = try directory.bytes("whole.parquet")
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    try directory.write(bytes, to: "changed.parquet")
    do {
      let rows = try exported(.parquet(file: directory("changed.parquet")), ["a", "b"])
      #expect(rows.allSatisfy { $0.count == 2 })
    } catch let error as DuckDBError {
      guard case .failed(let failure) = error else { throw error }
      #expect(!failure.isWriting)
    }
  }

  @Test func `a query that fails in its rows fails at the end`() throws {
    let query = """
      SELECT range AS a, CASE WHEN range = 90000 THEN error('row trouble') ELSE 'x' END AS b FROM range(100000)
      """
    let failure = try #require(refusal(.query(query, database: nil)))
    #expect(failure.message.contains("row trouble"))
  }

  @Test(arguments: ["", "SELEC 1", "SELECT * FROM nowhere", "SELECT 1) ; (SELECT 2"])
  func `an invalid query fails`(query: String) throws {
    #expect(refusal(.query(query, database: nil)) != nil)
  }
}
