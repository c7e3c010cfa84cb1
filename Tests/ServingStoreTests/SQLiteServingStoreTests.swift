import Foundation
import Glibc
import GRDB
import Testing

@testable import ServingStore
import TestSupport

@Suite struct `The SQLite store's file` {
  private let directory: ScratchDirectory
  private let address: StoreAddress
  private let path: String

  init() throws {
    directory = try ScratchDirectory()
    path = directory.path + "/var/fusion/serving.sqlite"
    address = StoreAddress(sqlitePath: path)
  }

  private func code(opening access: StoreAccess) -> ServingStoreError.Code? {
    #expect(throws: ServingStoreError.self) { _ = try address.open(for: access) }?.code
  }

  private func mode(_ suffix: String = "") throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
  }

  @Test func `is created with its directories, for owner and group only`() throws {
    let store = try address.open(for: .publishing)
    try store.publishPartners(["a": "{}"])
    #expect(try mode().map { $0 & 0o007 } == 0)
    #expect(try mode().map { $0 & 0o600 } == 0o600)
    #expect(try mode("-wal") == mode())
    #expect(try mode("-shm") == mode())
  }

  /// Readers without write permission for the directory need the files of the log.
  @Test(arguments: [false, true])
  func `keeps the files of its log after the first publish`(hasOtherReader: Bool) throws {
    do {
      let store = try address.open(for: .publishing)
      let other = hasOtherReader ? try DatabaseQueue(path: path) : nil
      _ = try other?.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM generations") }
      try store.publishPartners(["a": "{}"])
      try other?.close()
    }
    for suffix in ["-wal", "-shm"] {
      #expect(FileManager.default.fileExists(atPath: path + suffix), "\(suffix)")
    }
  }

  @Test func `may be an empty file, whose mode stays`() throws {
    try directory.write("", to: "var/fusion/serving.sqlite")
    try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path)
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    #expect(try mode() == 0o660)
    #expect(try address.open(for: .reading).partners("a") == "{}")
  }

  @Test func `is not created by readers`() throws {
    #expect(code(opening: .reading) == .absent)
    #expect(!FileManager.default.fileExists(atPath: path))
    try directory.write("", to: "var/fusion/serving.sqlite")
    #expect(code(opening: .reading) == .absent)
  }

  @Test func `is completed if a killed process had not created the schema yet`() throws {
    try directory.write("", to: "var/fusion/serving.sqlite")
    // GRDB's pool turns on write-ahead logging, creates a table and drops it again.
    try DatabasePool(path: path).close()
    #expect(try address.open(for: .publishing).publishPartners(["a": "{}"]).number == 1)
  }

  @Test(
    arguments: [StoreAccess.reading, .publishing], [1, 99, 100, 511, 512, 600, 4096, 20_000])
  func `that is not a database is rejected and unchanged`(access: StoreAccess, size: Int) throws {
    let text = String(repeating: "x", count: size)
    try directory.write(text, to: "var/fusion/serving.sqlite")
    #expect(code(opening: access) == .notOurs)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test(arguments: [
    "CREATE TABLE t (x)", "PRAGMA application_id = 1", "PRAGMA user_version = 1",
    "PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE lists (x)",
  ])
  func `of another application is rejected and unchanged`(sql: String) throws {
    try directory.write("", to: "var/fusion/serving.sqlite")
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: sql) }
    try other.close()
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(code(opening: .publishing) == .notOurs)
    #expect(code(opening: .reading) == .notOurs)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(
    arguments: [(3, .newerSchema), (99, .newerSchema), (0, .corrupt), (-1, .corrupt)]
      as [(Int, ServingStoreError.Code)])
  func `of a newer or invalid version is rejected`(version: Int, found: ServingStoreError.Code) throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    try DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = \(version)") }
    #expect(code(opening: .publishing) == found)
    #expect(code(opening: .reading) == found)
  }

  @Test func `that is damaged is reported as corrupt`() throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64(SQLiteSchema.pageSize))
    try file.write(contentsOf: Data(repeating: 0xA5, count: SQLiteSchema.pageSize * 8))
    try file.close()
    let store = try address.open(for: .reading)
    let error = #expect(throws: ServingStoreError.self) { try store.partners("a") }
    #expect(error?.code == .corrupt)
  }

  @Test func `that is a directory or below a file or a kernel path cannot be opened`()
    throws
  {
    try directory.write("", to: "file")
    for path in [directory.path, directory.path + "/file/serving.sqlite", "/proc/nightjar/serving.sqlite"] {
      let address = StoreAddress(sqlitePath: path)
      for access in [StoreAccess.reading, .publishing] {
        let error = #expect(throws: ServingStoreError.self) { _ = try address.open(for: access) }
        // For a reader, a path below /proc has no store.
        #expect(
          error?.code == (path.hasPrefix("/proc/") && access == .reading ? .absent : .cannotOpen),
          "\(access) \(path)")
        #expect(error?.description.contains(path) == true)
      }
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root writes everywhere"))
  func `cannot be created in a read-only directory`() throws {
    chmod(directory.path, 0o555)
    defer { chmod(directory.path, 0o755) }
    #expect(code(opening: .publishing) == .cannotOpen)
  }

  /// Copies the file and its journal, as a process that is killed now would leave them.
  private func copyAsKilled(to copy: String) throws {
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
  }

  @Test func `is empty for the next publisher if the first publish was killed`() throws {
    let copy = directory.path + "/copy.sqlite"
    let document = "\"\(String(repeating: "x", count: 1 << 20))\""
    try address.open(for: .publishing).publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      // The documents exceed the cache, so SQLite writes new pages to the file.
      for number in 0..<100 { try loader.addDocument(document, user: StoredID("a\(number)")) }
      try copyAsKilled(to: copy)
    }
    let size = try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int
    try #require(size ?? 0 > 10 << 20)
    let killed = StoreAddress(sqlitePath: copy)
    let error = #expect(throws: ServingStoreError.self) { _ = try killed.open(for: .reading) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.nextStep == "publish again")
    let store = try killed.open(for: .publishing)
    #expect(try store.generations(pipeline: "fusion").isEmpty)
    #expect(try store.publishPartners(["a": "{}"]).number == 1)
    #expect(try killed.open(for: .reading).partners("a") == "{}")
    #expect(
      try DatabaseQueue(path: copy).read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  @Test(arguments: [StoreAccess.reading, .publishing])
  func `of another application whose writer was killed is rejected and unchanged`(
    access: StoreAccess
  ) throws {
    let copy = directory.path + "/copy.sqlite"
    try directory.write("", to: "var/fusion/serving.sqlite")
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
    try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = 5") }
    try other.inTransaction(.immediate) { database in
      try database.execute(sql: "INSERT INTO t SELECT randomblob(1000) FROM json_each('[1,2,3,4,5,6,7,8,9]')")
      for _ in 0..<6 { try database.execute(sql: "INSERT INTO t SELECT * FROM t") }
      try copyAsKilled(to: copy)
      return .rollback
    }
    let code = #expect(throws: ServingStoreError.self) {
      _ = try StoreAddress(sqlitePath: copy).open(for: access)
    }?.code
    #expect(code == (access == .reading ? .cannotOpen : .notOurs))
    #expect(try DatabaseQueue(path: copy).read { try Int.fetchAll($0, sql: "SELECT x FROM t") } == [1])
  }

  @Test(arguments: [false, true], [false, true])
  func `uses a write-ahead log after the first publish, even a failed or concurrent one`(
    isOpen: Bool, fails: Bool
  ) throws {
    let store = try address.open(for: .publishing)
    let other = isOpen ? try DatabasePool(path: path) : nil
    #expect(try other?.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM lists") } ?? 0 == 0)
    // Publishers read first. The store's own connection must not count as another open connection.
    #expect(try store.currentGeneration(pipeline: "fusion") == nil)
    var journal: Bool?
    do {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try loader.beginList("partners")
        try loader.addDocument("{}", user: "a")
        journal = FileManager.default.fileExists(atPath: path + "-journal")
        if fails { throw Failure() }
      }
    } catch is Failure {}
    #expect(journal == !isOpen)
    #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    #expect(
      try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    #expect(try store.partners("a") == (fails ? nil : "{}"))
    #expect(try address.open(for: .reading).partners("a") == (fails ? nil : "{}"))
    #expect(try store.publishPartners(["a": "[]"]).number == (fails ? 1 : 2))
    #expect(try address.open(for: .reading).partners("a") == "[]")
  }

  @Test func `is busy while another writer holds it, and still serves its generation`() throws {
    let store = try address.open(for: .publishing, busyTimeout: .milliseconds(20))
    try store.publishPartners(["a": "{}"])
    let other = try DatabaseQueue(path: path)
    var isLoading = false
    var error: ServingStoreError?
    try other.inTransaction(.immediate) { _ in
      error = #expect(throws: ServingStoreError.self) {
        try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { _ in isLoading = true }
      }
      return .rollback
    }
    #expect(error?.code == .busy)
    #expect(!isLoading, "nothing may be loaded without the lock")
    #expect(try store.partners("a") == "{}")
    #expect(try store.publishPartners(["a": "[]"]).number == 2)
  }

  @Test func `is unchanged, table by table, after a failed publish`() throws {
    let store = try address.open(for: .publishing)
    try store.publishPartners(["a": "{\"run\":1}", "b": "{\"run\":1}"], keep: 2)
    try store.publishPartners(["a": "{\"run\":2}", "b": "{\"run\":2}"], keep: 2)
    func dump() throws -> [String] {
      try DatabaseQueue(path: path).read { database in
        try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
          .map { "\($0): \(try Row.fetchAll(database, sql: "SELECT * FROM \($0) ORDER BY 1, 2"))" }
      }
    }
    let before = try dump()
    try #require(before.contains { $0.contains("run") })
    #expect(throws: Failure()) {
      try store.publish(pipeline: "fusion", run: 3, asOf: 3, keep: 1) { loader in
        try loader.beginList("partners")
        for number in 0..<20_000 { try loader.addDocument("{\"run\":3}", user: StoredID("c\(number)")) }
        throw Failure()
      }
    }
    #expect(try dump() == before)
  }

  @Test func `keeps no rows of dropped generations, even in free pages`() throws {
    let store = try address.open(for: .publishing)
    try store.publishPartners(["somebody-who-left": "{\"secret\":\"quinquagesima\"}"], keep: 1)
    try store.publishPartners(["a": "{}"], keep: 1)
    for suffix in ["", "-wal"] {
      let bytes = try Data(contentsOf: URL(filePath: path + suffix))
      #expect(bytes.range(of: Data("somebody-who-left".utf8)) == nil)
      #expect(bytes.range(of: Data("quinquagesima".utf8)) == nil)
    }
    #expect(
      try DatabaseQueue(path: path).read { database in
        try ["generations", "contents", "lists"].map {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)")
        }
      } == [1, 1, 1])
  }

  @Test(arguments: [
    (3, 2_000), (2_000, 3), (1_500, 1_500), (1_024, 512), (511, 513), (1_400, 1_500), (1_500, 1_600),
    (3_000, 3_000), (1_500, 700),
  ])
  func `contains only kept generations, whatever the sizes of dropped ones`(former: Int, new: Int) throws {
    let store = try address.open(for: .publishing)
    func publish(_ count: Int, _ word: String, lists: [String], keep: Int) throws {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: keep) { loader in
        for list in lists {
          try loader.beginList(list)
          for number in 0..<count {
            try loader.addDocument("\"\(word)\"", user: StoredID("\(word)\(number)"))
          }
        }
      }
    }
    try store.publishPartners(["a": "{}"], pipeline: "rovers")
    try publish(former, "quinquagesima", lists: ["events", "partners"], keep: 2)
    try publish(former, "sexagesima", lists: ["partners"], keep: 2)
    try publish(new, "lent", lists: ["partners"], keep: 1)
    #expect(
      try store.generations(pipeline: "fusion").map(\.tables.lists) == [
        [NamedCount(name: "partners", rows: new)]
      ])
    #expect(try store.partners("a", pipeline: "rovers") == "{}")
    #expect(try store.partners(StoredID("lent\(new - 1)")) == "\"lent\"")
    let file = try DatabaseQueue(path: path)
    #expect(
      try file.read { try String.fetchAll($0, sql: "SELECT DISTINCT document FROM lists ORDER BY 1") }
        == ["\"lent\"", "{}"])
    #expect(try file.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(bytes.range(of: Data("gesima".utf8)) == nil)
    #expect(bytes.range(of: Data("lent".utf8)) != nil)
  }

  @Test func `can be read and published to after a process was killed during the first publish`() throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    #expect(
      try DatabaseQueue(path: path).writeWithoutTransaction {
        try String.fetchOne($0, sql: "PRAGMA journal_mode = TRUNCATE")
      } == "truncate")
    #expect(try address.open(for: .reading).partners("a") == "{}")
    #expect(try address.open(for: .publishing).publishPartners(["a": "[]"]).number == 2)
    #expect(try address.open(for: .reading).partners("a") == "[]")
  }

  /// These settings keep a publish through a power cut, let a later writer wait, and overwrite erased rows.
  @Test(arguments: ["publish", "serve", "erase"])
  func `has safe settings after each kind of change`(change: String) throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    let store = try #require(try address.open(for: .publishing) as? SQLiteServingStore)
    switch change {
    case "publish": try store.publishPartners(["a": "{}"])
    case "serve": try store.serve(generation: 1, of: "fusion")
    default:
      let people = ErasedPeople(["users": ["a"]], lists: [:], matches: [:])
      #expect(try store.erase(people, of: "fusion", ErasureOptions()).lists == 1)
    }
    let settings = try store.pool.writeWithoutTransaction { database in
      try [
        "synchronous", "busy_timeout", "secure_delete", "cache_size", "ignore_check_constraints",
        "foreign_keys",
      ]
      .map { try Int.fetchOne(database, sql: "PRAGMA \($0)") }
    }
    #expect(settings == [2, 5_000, 1, -65_536, 0, 1])
  }

  @Test func `has the mode of a new file that its group may read`() throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    let other = directory.path + "/other"
    let file = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o640)
    try #require(file >= 0)
    close(file)
    // The umask of the process applies to both files.
    #expect(try mode() == FileManager.default.attributesOfItem(atPath: other)[.posixPermissions] as? Int)
  }

  @Test func `passes SQLite's own checks`() throws {
    let store = try address.open(for: .publishing)
    for run in 1...4 { try store.publishPartners(["a": "{}", "b": "{}"], run: run, keep: 2) }
    let database = try DatabaseQueue(path: path)
    #expect(try database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    #expect(try database.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
    #expect(try database.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } == SQLiteSchema.pageSize)
  }

  @Test(arguments: [
    (ResultCode.SQLITE_BUSY, ServingStoreError.Code.busy), (.SQLITE_LOCKED, .busy), (.SQLITE_FULL, .full),
    (.SQLITE_READONLY, .readOnly), (.SQLITE_CORRUPT, .corrupt), (.SQLITE_NOTADB, .notOurs),
    (.SQLITE_CANTOPEN, .cannotOpen), (.SQLITE_CONSTRAINT_UNIQUE, .refused), (.SQLITE_IOERR_WRITE, .failed),
  ])
  func `errors of SQLite become codes without statements and arguments`(
    result: ResultCode, code: ServingStoreError.Code
  ) {
    let error = DatabaseError(
      resultCode: result, message: "words", sql: "SELECT secret", arguments: ["u17"],
      publicStatementArguments: true)
    let translated = ServingStoreError(error, address: address)
    #expect(translated.code == code)
    #expect(translated.description.contains("words"))
    #expect(!translated.description.contains("secret"))
    #expect(!translated.description.contains("u17"))
  }
}
