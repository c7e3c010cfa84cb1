import Testing
import TestSupport

@testable import ServingStore

/// A database of Redis for one test, and what redis-cli sees in it.
struct RedisFixture {
  let endpoint: RedisEndpoint
  /// The fixture's own server, if any. It stops when this value is released.
  let server: LocalServer?

  /// An unused database of the server of all tests.
  init() throws {
    (endpoint, server) = (try RedisEndpoint.unused(), nil)
  }

  /// Starts a separate server.
  init(serverWith options: String, user: String? = nil) throws {
    let server = try RedisServer.start(options)
    endpoint = RedisEndpoint(host: "127.0.0.1", port: Int32(server.port), user: user)
    self.server = server
  }

  var address: StoreAddress { StoreAddress(endpoint) }

  /// A store that publishes.
  func store(
    busyTimeout: Duration = .seconds(5), grace: Duration = .seconds(900), environment: [String: String] = [:]
  ) throws -> any ServingStore {
    try RedisServingStore(
      endpoint, access: .publishing, busyTimeout: busyTimeout, grace: grace, environment: environment)
  }

  func connection() throws -> RedisConnection {
    try RedisConnection(endpoint, password: nil, address)
  }

  /// The output of redis-cli.
  @discardableResult
  func redis(_ command: String...) throws -> String {
    try RedisServer.run(command, database: endpoint.database, port: Int(endpoint.port))
  }

  /// All keys, in byte order.
  func keys() throws -> [String] {
    try redis("KEYS", "*").split(separator: "\n").map(String.init).sorted()
  }

  /// The keys of rows of one generation of `fusion`.
  func rows(of generation: Int) throws -> [String] {
    try keys().filter { $0.hasPrefix("nightjar:{fusion}:\(generation):") }
  }

  /// The code of what `body` throws.
  func code(_ body: () throws -> Void) -> ServingStoreError.Code? {
    #expect(throws: ServingStoreError.self) { try body() }?.code
  }
}
