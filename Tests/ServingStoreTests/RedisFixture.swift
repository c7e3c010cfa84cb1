import Testing
import TestSupport

@testable import ServingStore

/// A Redis database for one test, with access through redis-cli.
struct RedisFixture {
  let endpoint: RedisEndpoint
  /// The server that only this fixture uses, if any. It stops when this value is released.
  let server: LocalServer?

  /// Uses an unused database of the server that all tests share.
  init() throws {
    (endpoint, server) = (try RedisEndpoint.unused(), nil)
  }

  /// Starts a server for this fixture.
  init(serverWith options: String, user: String? = nil) throws {
    let server = try RedisServer.start(options)
    endpoint = RedisEndpoint(host: "127.0.0.1", port: Int32(server.port), user: user)
    self.server = server
  }

  var address: StoreAddress { StoreAddress(endpoint) }

  /// Returns a store that can publish.
  func store(
    busyTimeout: Duration = .seconds(5), grace: Duration = .seconds(900), environment: [String: String] = [:]
  ) throws -> any ServingStore {
    try RedisServingStore(
      endpoint, access: .publishing, busyTimeout: busyTimeout, grace: grace, environment: environment)
  }

  func connection() throws -> RedisConnection {
    try RedisConnection(endpoint, password: nil, address)
  }

  /// Runs redis-cli and returns its output.
  @discardableResult
  func redis(_ command: String...) throws -> String {
    try RedisServer.run(command, database: endpoint.database, port: Int(endpoint.port))
  }

  /// Returns all keys in byte order.
  func keys() throws -> [String] {
    try redis("KEYS", "*").split(separator: "\n").map(String.init).sorted()
  }

  /// Returns the keys of the rows of one generation of `fusion`.
  func rows(of generation: Int) throws -> [String] {
    try keys().filter { $0.hasPrefix("nightjar:{fusion}:\(generation):") }
  }

  /// Returns the code of the error that `body` throws.
  func code(_ body: () throws -> Void) -> ServingStoreError.Code? {
    #expect(throws: ServingStoreError.self) { try body() }?.code
  }
}
