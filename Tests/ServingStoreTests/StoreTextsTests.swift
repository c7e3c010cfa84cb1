import Foundation
import Testing

@testable import ServingStore
import TestSupport

/// Keys, commands, messages and addresses of stores, without a server.
struct StoreTextsTests {
  @Test(
    arguments: [
      ("08006", false, .lost), ("40P01", false, .busy), ("55P03", false, .busy), ("57014", false, .busy),
      ("57P01", false, .lost), ("57P03", false, .lost), ("53100", false, .full), ("53300", false, .busy),
      ("53200", false, .full), ("42501", false, .readOnly), ("42P01", false, .failed),
      ("25006", false, .readOnly),
      ("25001", false, .failed), ("28P01", false, .cannotOpen), ("3D000", false, .cannotOpen),
      ("22021", false, .refused), ("23505", false, .refused), ("XX001", false, .corrupt),
      ("XX002", false, .corrupt), ("XX000", false, .failed), ("", false, .failed), ("23505", true, .lost),
      ("", true, .lost),
    ] as [(String, Bool, ServingStoreError.Code)])
  func `each state of PostgreSQL has its code`(state: String, isLost: Bool, code: ServingStoreError.Code) {
    let address = StoreAddress(sqlitePath: "/x")
    let error = ServingStoreError(sqlState: state, "the message", isLost: isLost, address: address)
    #expect(error.code == code && error.address == "sqlite:/x" && !error.nextStep.isEmpty)
    let shown = state.isEmpty ? "" : " (code \(state))"
    #expect(error.found == "PostgreSQL reports: the message" + shown)
  }

  /// A code is a word of at most 24 capital letters. Any other word may be personal data.
  @Test(
    arguments: [
      ("OOM command", .full, "OOM (its memory limit is reached)"),
      ("MISCONF Redis", .full, "MISCONF (it cannot save to its disk and rejects writes)"),
      ("LOADING Redis", .busy, "LOADING (it is starting)"),
      ("BUSY Redis", .busy, "BUSY (a script has been running for too long)"),
      ("TRYAGAIN", .busy, "TRYAGAIN (the cluster is moving keys between its nodes)"),
      ("CLUSTERDOWN Hash", .busy, "CLUSTERDOWN (the cluster is down)"),
      ("MASTERDOWN Link", .busy, "MASTERDOWN (the replica has lost its primary)"),
      ("--LOSTLOCK this", .busy, "LOSTLOCK (this process lost the lock of the store)"),
      ("READONLY You", .readOnly, "READONLY (this server is a replica)"),
      ("NOPERM this", .readOnly, "NOPERM (this account lacks a right)"),
      ("WRONGTYPE Operation", .corrupt, "WRONGTYPE (a key has the wrong type)"),
      ("NOAUTH x", .cannotOpen, "NOAUTH (it requires another user or password)"),
      ("WRONGPASS x", .cannotOpen, "WRONGPASS (it requires another user or password)"),
      ("MOVED 1", .failed, "MOVED (the keys of the pipeline are on another node of the cluster)"),
      ("ASK 1", .failed, "ASK (the keys of the pipeline are on another node of the cluster)"),
      ("ERR u42", .failed, "ERR (the full message is hidden because it may contain personal data)"),
      ("ABCDEFGHIJKLMNOPQRSTUVWX y", .failed, "ABCDEFGHIJKLMNOPQRSTUVWX (the full message is hidden "),
      ("ABCDEFGHIJKLMNOPQRSTUVWXY y", .failed, "an error (the full message is hidden "),
      ("u42 x", .failed, "an error (the full message is hidden "),
      ("AZ[ x", .failed, "an error (the full message is hidden "),
    ] as [(String, ServingStoreError.Code, String)])
  func `each error of Redis has its code and its meaning`(
    line: String, code: ServingStoreError.Code, found: String
  ) {
    let error = ServingStoreError(redisError: line.utf8Bytes, address: StoreAddress(RedisEndpoint(host: "h")))
    #expect(error.code == code && error.address == "redis://h:6379/0")
    #expect(error.found.hasPrefix("Redis reports: " + found), "\(error)")
    #expect(error.nextStep.hasSuffix("try again later") == (code == .busy || line.hasPrefix("MISCONF")))
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `each key in Redis has its form`() {
    let keys = RedisKeys(pipeline: "a:{b}%")
    let start = "nightjar:{a%3A%7Bb%7D%25}:"
    #expect(Self.text(keys.current) == start + "current")
    #expect(Self.text(keys.generations) == start + "generations")
    #expect(Self.text(keys.retired) == start + "retired")
    #expect(Self.text(keys.lock) == start + "lock")
    #expect(Self.text(keys.loading) == start + "loading")
    #expect(Self.text(keys.rows(of: 12)) == start + "12:")
    for (kind, word) in [
      (.list, "list"), (.matches, "matches"), (.people, "people"), (.positions, "positions"),
      (.buckets, "buckets"), (.catalog, "catalog"),
    ] as [(TableKind, String)] {
      #expect(Self.text(keys.rows(of: 12, kind, "x:y")) == start + "12:\(word):x%3Ay:")
    }
    #expect(Self.text(keys.earlierCatalog(of: 12, "x")) == start + "12:directory:x:")
    #expect(Self.text(keys.positions(of: 12, "x")) == start + "12:positions:x")
    #expect(Self.text(keys.places(of: 12, "x")) == start + "12:geo:x")
    #expect(Self.text(keys.outside(of: 12, "x")) == start + "12:outside:x")
    #expect(Self.text(keys.pattern(of: 12)) == start + "12:*")
    #expect(Self.text(RedisKeys(pipeline: #"*?[]\"#).pattern(of: 1)) == #"nightjar:{\*\?\[\]\\}:1:*"#)
  }

  @Test func `a command counts its words and their bytes`() {
    var command = RedisCommand("SET", "é".utf8Bytes, [])
    #expect(command.count == 3)
    #expect(Self.text(command.bytes) == "*3\r\n$3\r\nSET\r\n$2\r\né\r\n$0\r\n\r\n")
    command.append(["a".utf8Bytes, "bc".utf8Bytes])
    #expect(command.count == 5 && Self.text(command.bytes).hasSuffix("$1\r\na\r\n$2\r\nbc\r\n"))
    var other = RedisCommand()
    #expect(other.bytes == "*0\r\n".utf8Bytes)
    other.append("GET")
    other.append(contentsOf: command)
    #expect(other.count == 6 && other.body == "$3\r\nGET\r\n".utf8Bytes + command.body)
    other.removeAll()
    #expect(other.count == 0 && other.bytes == "*0\r\n".utf8Bytes)
    #expect([UInt8](decimal: -12) == "-12".utf8Bytes)
  }

  @Test func `a reply has a value only of its own kind`() {
    let replies: [(RedisReply, [UInt8]?, Int?, Int?)] = [
      (.none, nil, nil, nil), (.integer(7), nil, 7, nil), (.bytes("12".utf8Bytes), "12".utf8Bytes, 12, nil),
      (.bytes("x".utf8Bytes), "x".utf8Bytes, nil, nil), (.status("7"), nil, nil, nil),
      (.array([.integer(1), .none]), nil, nil, 2),
    ]
    for (reply, bytes, integer, elements) in replies {
      #expect(reply.bytes == bytes && reply.integer == integer, "\(reply)")
      #expect(reply.elements?.count == elements, "\(reply)")
    }
  }

  @Test(
    arguments: [
      ("", ""), ("a", "a"), ("a\u{0}b", "\u{F8FF}a\u{F8FF}0b"), ("\u{F8FF}", "\u{F8FF}\u{F8FF}1"),
      ("a\u{F8FF}", "a\u{F8FF}"), ("a\u{F8FF}\u{0}", "\u{F8FF}a\u{F8FF}1\u{F8FF}0"),
    ])
  func `an id that PostgreSQL cannot hold is marked`(id: String, text: String) {
    #expect(PostgreSQLText.encoded(StoredID(id)) == text.utf8Bytes)
    #expect(PostgreSQLText.decoded(text.utf8Bytes) == StoredID(id))
  }

  @Test func `all spellings of an address have the same place`() throws {
    let here = FileManager.default.currentDirectoryPath
    let file = StoreAddress(sqlitePath: "./x/../serving.sqlite")
    #expect(file.place == "sqlite:\(here)/serving.sqlite" && file.shown == "sqlite:serving.sqlite")
    #expect(file.description == "sqlite:./x/../serving.sqlite")
    let redis = StoreAddress(RedisEndpoint(host: "Host", port: 7, database: 2, user: "app"))
    #expect(redis.place == "redis:host:7/2" && redis.shown == redis.description)
    for (uri, place) in [
      ("postgresql://app@db:5433/x?sslmode=require", "dbname=x host=db port=5433"),
      ("postgresql://db/x?user=other", "dbname=x host=db"), ("postgresql://app@db", "dbname=app host=db"),
      ("postgresql:///x?host=/run", "dbname=x host=/run"),
      ("postgresql://db/x?hostaddr=127.0.0.1", "dbname=x host=db hostaddr=127.0.0.1"),
    ] {
      let address = try StoreAddress(parsing: uri, relativeTo: "")
      #expect(address.place == "postgresql:" + place && address.shown == uri)
    }
    #expect(StoreAddress.forms == ["sqlite:PATH", "postgresql://HOST/DATABASE", "redis://HOST:PORT/NUMBER"])
  }

  @Test func `a rehearsal of a publication creates no file`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/a/b/serving.sqlite"
    try StoreAddress(sqlitePath: path).rehearse(pipeline: "fusion")
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/a"))
    try directory.write("x", to: "file")
    let below = StoreAddress(sqlitePath: directory.path + "/file/serving.sqlite")
    let error = try #require(throws: ServingStoreError.self) { try below.rehearse(pipeline: "fusion") }
    #expect(error.code == .cannotOpen)
    #expect(error.found.hasPrefix("the file cannot be created in '\(directory.path)/file': "))
    try StoreAddress(sqlitePath: path).open(for: .publishing).publishPartners(["a": "{}"])
    try StoreAddress(sqlitePath: path).rehearse(pipeline: "fusion")
    #expect(try StoreAddress(sqlitePath: path).open(for: .reading).partners("a") == "{}")
  }

  @Test(.enabled(if: geteuid() != 0, "root writes everywhere"), arguments: ["", "-wal", "-shm"])
  func `a rehearsal names a file that cannot be written`(suffix: String) throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/serving.sqlite"
    try StoreAddress(sqlitePath: path).open(for: .publishing).publishPartners(["a": "{}"])
    try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: path + suffix)
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(sqlitePath: path).rehearse(pipeline: "fusion")
    }
    #expect(
      error.code == .readOnly
        && error.found.hasPrefix("this account cannot write to '\(path)\(suffix)': "))
  }

  @Test func `only a positive number of generations and a usable name can be published`() {
    let address = StoreAddress(sqlitePath: "/x")
    func found(_ pipeline: String, _ keep: Int, _ access: StoreAccess) -> String? {
      do {
        try ServingStoreError.checkPublish(pipeline: pipeline, keep: keep, access, address)
        return nil
      } catch {
        return (error as? ServingStoreError)?.found
      }
    }
    #expect(found("p", 1, .publishing) == nil && found("p", .max, .publishing) == nil)
    #expect(found("p", 0, .publishing) == "'publish.keep' must be at least 1, not 0")
    for name in ["", "\u{0}", "a\u{0}"] {
      #expect(found(name, 1, .publishing) == "the pipeline name is empty or contains U+0000")
    }
    for access in [StoreAccess.reading, .dryRun, .rehearsal] {
      #expect(found("p", 1, access) == "the store was opened for reading")
    }
    let unknown = ServingStoreError.unknown(7, "p", address)
    #expect(unknown.code == .refused && unknown.found == "the store has no generation 7 of 'p'")
  }
}
