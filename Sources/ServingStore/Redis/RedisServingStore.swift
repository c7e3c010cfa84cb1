import Concurrency
import Foundation

/// A serving store in a database of Redis or Valkey.
///
/// Each generation has its own keys, which only erasures change. A publication loads the new keys next to the
/// served keys, and then moves the pointer to the new generation in one step. The keys of a dropped
/// generation remain for a while, for readers that still use the generation.
///
/// The store has no schema. A server without keys of this program is an empty store.
final class RedisServingStore: ServingStore {
  let address: StoreAddress
  private let endpoint: RedisEndpoint
  let access: StoreAccess
  private let busyTimeout: Duration
  private let grace: Duration
  private let environment: [String: String]
  /// Connections that are not in use.
  private let idle = Guarded<[RedisConnection]>([])

  /// Opens the store on a server. See `StoreAddress.open`.
  ///
  /// - Parameters:
  ///   - endpoint: The server and the database.
  ///   - access: The purpose of opening the store.
  ///   - busyTimeout: The maximum time to wait for another writer.
  ///   - grace: The minimum time for which a dropped generation remains.
  ///   - environment: The environment variables, which may contain the password; see `RedisPassword`.
  /// - Throws: `unreachable` if no server answers; `cannotOpen` if the password file cannot be used or the
  ///   server rejects the login; `busy` if the server is starting.
  init(
    _ endpoint: RedisEndpoint, access: StoreAccess, busyTimeout: Duration,
    grace: Duration = .seconds(15 * 60),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ServingStoreError) {
    precondition(
      busyTimeout >= .zero && grace >= .zero, "busyTimeout is \(busyTimeout), and grace is \(grace)")
    address = StoreAddress(endpoint)
    self.endpoint = endpoint
    self.access = access
    self.busyTimeout = busyTimeout
    self.grace = grace
    self.environment = environment
    do {
      // This call connects once, so that an unreachable server or a rejected login is reported now.
      try withConnection { _ in }
    } catch let error as ServingStoreError {
      throw error
    } catch {
      preconditionFailure("opening a store threw \(error)")
    }
  }

  func publish(
    pipeline: String, run: Int, asOf: Int64, note: GenerationNote, keep: Int,
    _ load: (GenerationLoader) throws -> Void
  ) throws -> PublishedGeneration {
    try ServingStoreError.checkPublish(pipeline: pipeline, keep: keep, access, address)
    return try withLock(pipeline) { lock in
      try RedisPublication(lock: lock, run: run, asOf: asOf, note: note, grace: grace)
        .run(keep: keep, load)
    }
  }

  func read<Result>(
    pipeline: String, _ body: (any ServedGeneration) throws -> Result
  ) throws -> Result? {
    try withConnection { connection in
      let keys = RedisKeys(pipeline: pipeline)
      let generations = try RedisGenerations.fetch(connection, keys, address)
      guard let served = generations.summaries.first(where: \.isServed) else { return nil }
      return try body(
        RedisServedGeneration(connection: connection, keys: keys, address: address, summary: served))
    }
  }

  func serve(generation: Int, of pipeline: String) throws {
    try ServingStoreError.checkWritable(access, address)
    try withLock(pipeline) { lock in
      // The lock is held, so no generation is dropped between the check and the write.
      let generations = try RedisGenerations.fetch(lock.connection, lock.keys, address)
      guard generations.entries[generation] != nil else {
        throw ServingStoreError.unknown(generation, pipeline, address)
      }
      let number = [UInt8](decimal: generation)
      do {
        try lock.run("SET", [lock.keys.current], number)
      } catch {
        // The write may have succeeded even if its reply was lost. After `settle`, the write has either
        // happened or can no longer happen.
        _ = try lock.settle()
        guard try lock.connection.run("GET", lock.keys.current) == .bytes(number) else { throw error }
      }
    }
  }

  func generations(pipeline: String) throws -> [GenerationSummary] {
    try withConnection { try RedisGenerations.fetch($0, RedisKeys(pipeline: pipeline), address).summaries }
  }

  func withLock<Result>(_ pipeline: String, _ body: (RedisLock) throws -> Result) throws -> Result {
    try withConnection { connection in
      let lock = try RedisLock(
        RedisKeys(pipeline: pipeline), connection, address, timeout: busyTimeout, reconnect: connect)
      defer { lock.release() }
      return try body(lock)
    }
  }

  private func connect() throws -> RedisConnection {
    let password = try RedisPassword.find(in: environment, address)
    return try RedisConnection(endpoint, password: password, address)
  }

  /// Calls `body` with a connection. A connection that failed or that awaits replies is closed afterwards.
  func withConnection<Result>(_ body: (RedisConnection) throws -> Result) throws -> Result {
    var taken = idle.withLock { $0.popLast() }
    // A server may close connections that have been idle for a while.
    while let found = taken, !found.isIdle { taken = idle.withLock { $0.popLast() } }
    let connection = try taken ?? connect()
    defer {
      if connection.isIdle { idle.withLock { $0.append(connection) } }
    }
    return try body(connection)
  }
}
