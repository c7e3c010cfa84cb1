import System
import Testing

@testable import ServingStore

/// A server that is still loading its data set answers LOADING. The answer means "try again later", and not
/// that the address, the password or the account is wrong.
struct RedisLoadingTests {
  private static let loading = "-LOADING Redis is loading the dataset in memory\r\n"

  private func check(_ error: ServingStoreError, _ server: ScriptedRedis) {
    #expect(error.code == .busy && error.exitStatus == .tryAgain)
    #expect(error.found == "Redis reports: LOADING (it is starting)")
    #expect(error.nextStep == "try again later")
    #expect(error.address == server.address.description)
  }

  /// Some servers select a database while they load, but none of them reads a key.
  @Test(arguments: ["SELECT", "MULTI", "GET", "HGETALL"])
  func `while a server loads its data set, a reader is asked to try again`(refused: String) throws {
    let server = try ScriptedRedis { command, _ in
      switch command {
      case refused: Self.loading
      case "SELECT", "MULTI": "+OK\r\n"
      case "GET", "HGETALL": "+QUEUED\r\n"
      default: "-EXECABORT Transaction discarded because of previous errors.\r\n"
      }
    }
    let error = try #require(throws: ServingStoreError.self) {
      _ = try server.address.open(for: .reading).currentGeneration(pipeline: "fusion")
    }
    check(error, server)
  }

  /// The account may lack the right to run INFO. Such a server is accepted, unless it is loading.
  @Test(arguments: ["SET", "INFO", "EVAL"])
  func `while a server loads its data set, a publisher is asked to try again`(refused: String) throws {
    let server = try ScriptedRedis { command, number in
      switch command {
      case refused: Self.loading
      // Outside of a transaction, the first GET looks for leftovers.
      case "GET": number == 0 ? "$-1\r\n" : "+QUEUED\r\n"
      case "HGETALL": "+QUEUED\r\n"
      case "INFO": "$0\r\n\r\n"
      case "EXEC": "*2\r\n$-1\r\n*0\r\n"
      default: "+OK\r\n"
      }
    }
    let store = try RedisServingStore(
      server.endpoint, access: .publishing, busyTimeout: .zero, environment: [:])
    let error = try #require(throws: ServingStoreError.self) { try store.publishPartners(["a": "{}"]) }
    check(error, server)
  }

  /// Only readers do not wait, because an app has no time for that.
  @Test func `a store that is opened for publishing waits until the data set is loaded`() throws {
    let reply: @Sendable (String, Int) -> String = { _, number in number == 0 ? Self.loading : "+OK\r\n" }
    let first = try ScriptedRedis(reply)
    _ = try first.address.open(for: .publishing)
    #expect(first.commands == ["SELECT", "SELECT"])
    let second = try ScriptedRedis(reply)
    let error = try #require(throws: ServingStoreError.self) { _ = try second.address.open(for: .reading) }
    check(error, second)
    #expect(second.commands == ["SELECT"])
  }

  @Test(
    arguments: [
      ("LOADING x", .busy, nil), ("BUSY x", .busy, nil), ("MASTERDOWN x", .busy, nil),
      ("NOAUTH x", .cannotOpen, nil), ("WRONGPASS x", .cannotOpen, nil), ("NOPERM x", .cannotOpen, "NOPERM"),
      ("ERR DB index is out of range", .cannotOpen, "ERR"), ("OOM x", .cannotOpen, "OOM"),
      ("MOVED 1 h:1", .cannotOpen, "MOVED"),
    ] as [(String, ServingStoreError.Code, String?)])
  func `a login is busy or rejected`(reply: String, code: ServingStoreError.Code, wrapped: String?) throws {
    for user in [nil, "app"] as [String?] {
      let server = try ScriptedRedis { _, _ in "-\(reply)\r\n" }
      var endpoint = server.endpoint
      endpoint.user = user
      let error = try #require(throws: ServingStoreError.self) {
        _ = try RedisServingStore(endpoint, access: .reading, busyTimeout: .zero, environment: [:])
      }
      #expect(error.code == code)
      #expect(server.commands == [user == nil ? "SELECT" : "AUTH"])
      let step = user == nil ? "database 0" : "the user or the password"
      let word = String(reply.prefix { $0 != " " })
      let start = wrapped == nil ? "" : "the server rejects \(step) ("
      #expect(error.found.hasPrefix(start + "Redis reports: \(word) ("), "\(error)")
      if wrapped != nil {
        #expect(
          error.nextStep == "check the address, and REDISCLI_AUTH or NIGHTJAR_REDIS_PASSWORD_FILE")
      }
    }
  }
}
