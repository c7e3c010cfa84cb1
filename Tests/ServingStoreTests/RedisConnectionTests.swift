import Concurrency
import Foundation
import Testing
import TestSupport

@testable import ServingStore

@Suite(.enabled(if: RedisServer.isAvailable)) struct `A connection to Redis` {
  @Test(arguments: 0..<20 as Range<UInt64>) func `transfers any bytes, many commands at a time`(seed: UInt64)
    throws
  {
    let connection = try RedisFixture().connection()
    var random = SplitMix64(seed: seed)
    let values = (0..<200).map { _ in
      // Bytes that are part of the protocol's syntax are frequent.
      (0..<Int.random(in: 0...40, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random)
          : Array("\r\n$*:+-1\u{0}".utf8).randomElement(using: &random) ?? 0
      }
    }
    for (index, value) in values.enumerated() {
      try connection.send(RedisCommand("SET", [UInt8](decimal: index), value), RedisCommand("ECHO", value))
      try connection.send(RedisCommand("GET", [UInt8](decimal: index)))
    }
    #expect(!connection.isIdle)
    for value in values {
      #expect(try connection.reply() == .status("OK"))
      #expect(try connection.reply() == .bytes(value))
      #expect(try connection.reply() == .bytes(value))
    }
    #expect(connection.isIdle)
  }

  @Test func `continues after an error of the server, and reports only the error's code`() throws {
    let connection = try RedisFixture().connection()
    let error = #expect(throws: ServingStoreError.self) { try connection.run("SECRET", [0x75, 0x34, 0x32]) }
    #expect(error?.code == .failed)
    #expect(error?.description.contains("Redis reports: ERR") == true)
    #expect(error?.description.contains("SECRET") == false)
    #expect(try connection.run("PING") == .status("PONG"))
  }

  @Test(arguments: [
    ("OOM command not allowed", ServingStoreError.Code.full), ("-OOM in a script of Redis 6", .full),
    ("MISCONF Redis is configured", .full), ("LOADING Redis is loading", .busy),
    ("BUSY Redis is busy", .busy),
    ("TRYAGAIN Multiple keys", .busy), ("CLUSTERDOWN Hash slot", .busy), ("MASTERDOWN Link", .busy),
    ("LOSTLOCK another", .busy), ("READONLY You can't write", .readOnly), ("NOPERM this user", .readOnly),
    ("NOAUTH Authentication required.", .cannotOpen), ("WRONGPASS invalid", .cannotOpen),
    ("WRONGTYPE Operation", .corrupt),
    ("ERR u42", .failed), ("MOVED 1 u42:1", .failed), ("u42", .failed), ("", .failed),
  ])
  func `maps each error to its code`(line: String, code: ServingStoreError.Code) {
    let error = ServingStoreError(redisError: line.utf8Bytes, address: StoreAddress(RedisEndpoint(host: "h")))
    #expect(error.code == code)
    #expect(!error.description.contains("u42"))
  }

  @Test func `reports an unreachable server`() throws {
    let port = Int32(try LocalServer.freePort())
    let address = StoreAddress(RedisEndpoint(host: "127.0.0.1", port: port))
    #expect(throws: ServingStoreError.self) { try address.open(for: .reading) }
    #expect(
      #expect(throws: ServingStoreError.self) { try address.open(for: .reading) }?.code == .unreachable)
  }

  @Test func `is lost when the server closes it, and the process continues`() throws {
    // The programs use the default handler, but the test runner may have changed it.
    signal(SIGPIPE, SIG_DFL)
    let fixture = try RedisFixture(serverWith: "")
    let connection = try fixture.connection()
    try fixture.redis("CLIENT", "KILL", "TYPE", "normal")
    let error = #expect(throws: ServingStoreError.self) {
      for _ in 0..<100 {
        try connection.send(RedisCommand("PING"))
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
    #expect(error?.code == .lost)
    #expect(connection.isLost)
    #expect(throws: ServingStoreError.self) { try connection.reply() }
  }

  @Test func `reports a missing database`() throws {
    var endpoint = try RedisEndpoint.unused()
    endpoint.database = 4_096
    let address = StoreAddress(endpoint)
    #expect(
      #expect(throws: ServingStoreError.self) { try address.open(for: .reading) }?.code == .cannotOpen)
  }

  @Test func `authenticates with the environment or a private file`() throws {
    let fixture = try RedisFixture(serverWith: "--requirepass Ge-heim")
    let scratch = try ScratchDirectory()
    let path = try scratch.write("Ge-heim\n", to: "password")
    func found(_ environment: [String: String], mode: Int = 0o600) throws -> ServingStoreError? {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      do {
        try fixture.store(environment: environment).publishPartners(["a": "1"])
        return nil
      } catch let error as ServingStoreError {
        #expect(!error.description.lowercased().contains("heim"))
        return error
      }
    }
    let (variable, file) = (RedisPassword.variable, RedisPassword.fileVariable)
    #expect(try found([variable: "Ge-heim"]) == nil)
    #expect(try found([variable: "Ge-heim", file: "/nowhere"]) == nil)
    #expect(try found([file: path]) == nil)
    #expect(try found([file: path], mode: 0o400) == nil)
    for mode in [0o640, 0o604, 0o620, 0o700, 0o644] {
      #expect(try found([file: path], mode: mode)?.code == .cannotOpen)
    }
    #expect(try found([:])?.code == .cannotOpen)
    #expect(try found([variable: "ge-heim"])?.code == .cannotOpen)
    #expect(try found([file: scratch.path])?.code == .cannotOpen)
    #expect(try found([file: scratch("none")])?.code == .cannotOpen)
    #expect(try found([file: "/dev/null"])?.code == .cannotOpen)
    #expect(try found([file: try scratch.write("\n", to: "password")])?.code == .cannotOpen)
  }

  @Test func `needs only the documented rights, for reading and for publishing`() throws {
    let fixture = try RedisFixture(serverWith: "", user: "app")
    let app = try RedisFixture.Account("app", fixture)
    try app.allow(
      "~nightjar:*", "+get", "+hget", "+hgetall", "+hexists", "+zscore", "+multi", "+exec", "+select")
    #expect(try fixture.store().currentGeneration(pipeline: "fusion") == nil)
    #expect(fixture.code { try fixture.store().publishPartners(["a": "1"]) } == .readOnly)
    try app.allow(
      "+set", "+setnx", "+hset", "+hsetnx", "+hdel", "+del", "+unlink", "+pexpire", "+eval", "+scan", "+time",
      "+zadd",
      "+zrem", "+zrangebyscore")
    let store = try fixture.store(grace: .zero)
    for run in 1...3 { try store.publishPartners(["a": "\(run)"], run: run, keep: 1) }
    #expect(try store.partners("a") == "3")
    #expect(try store.partners("b") == nil)
    #expect(try fixture.rows(of: 1) == [])
    try store.serve(generation: 3, of: "fusion")
  }
}

extension RedisFixture {
  /// A Redis account that needs no password.
  struct Account {
    let name: String
    let fixture: RedisFixture

    init(_ name: String, _ fixture: RedisFixture) throws {
      (self.name, self.fixture) = (name, fixture)
      try allow("on", "nopass")
    }

    func allow(_ rules: String...) throws {
      _ = try RedisServer.run(["ACL", "SETUSER", name] + rules, port: Int(fixture.endpoint.port))
    }
  }
}
