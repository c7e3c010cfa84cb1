import Foundation

/// The lock of a pipeline's writers while one writer holds it, and the connection of this writer.
///
/// All writes use scripts that first check the lock's token. A writer that has lost the lock therefore
/// changes nothing.
final class RedisLock {
  let keys: RedisKeys
  let address: StoreAddress
  private(set) var connection: RedisConnection
  private var token: [UInt8]
  private let reconnect: () throws -> RedisConnection
  private var renewed: ContinuousClock.Instant

  /// The lifetime of the lock without renewal. Every write renews the lock.
  private static let lease = Duration.seconds(30)
  private static let leaseWord = [UInt8](decimal: 30_000)

  /// Acquires the lock.
  ///
  /// - Parameters:
  ///   - keys: The keys of the pipeline.
  ///   - connection: The connection to use while the lock is held.
  ///   - address: The store's address, for messages.
  ///   - timeout: The maximum time to wait for another writer.
  ///   - reconnect: Opens another connection if the current one is lost.
  /// - Throws: `busy` if another writer holds the lock for longer than the timeout; errors of the connection.
  init(
    _ keys: RedisKeys, _ connection: RedisConnection, _ address: StoreAddress, timeout: Duration,
    reconnect: @escaping () throws -> RedisConnection
  ) throws {
    (self.keys, self.connection, self.address) = (keys, connection, address)
    self.reconnect = reconnect
    token = Self.newToken()
    renewed = .now
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    var pause = Duration.milliseconds(10)
    while try connection.run(
      "SET", keys.lock, token, Array("NX".utf8), Array("PX".utf8), Self.leaseWord) == .none
    {
      guard clock.now < deadline else {
        throw ServingStoreError(
          .busy, address: address.description, found: "another process is writing to the store",
          nextStep: "try again when it has finished")
      }
      Thread.sleep(forTimeInterval: min(pause, deadline - clock.now) / .seconds(1))
      pause = min(pause * 2, .milliseconds(500))
    }
    renewed = .now
  }

  /// Whether a third of the lease has passed since the last renewal. An idle writer should then renew the
  /// lock.
  var isDue: Bool { .now - renewed > Self.lease / 3 }

  /// Extends the lifetime of the lock.
  func renew() throws { try run("PEXPIRE", [keys.lock], Self.leaseWord) }

  /// Releases the lock if it is still held. If the release fails, the lock expires.
  func release() {
    connection.drain()
    if !connection.isLost { _ = try? run("DEL", [keys.lock]) }
  }

  /// Returns the command that runs a script of `RedisScripts`. The script renews the lock.
  func evaluation(_ script: String, keys others: RedisCommand, _ arguments: RedisCommand) -> RedisCommand {
    renewed = .now
    var command = RedisCommand("EVAL", Array(script.utf8), [UInt8](decimal: others.count + 1), keys.lock)
    command.append(contentsOf: others)
    command.append([token, Self.leaseWord])
    command.append(contentsOf: arguments)
    return command
  }

  /// Runs a script of `RedisScripts`.
  @discardableResult
  func evaluate(_ script: String, keys others: [[UInt8]], _ arguments: [[UInt8]]) throws -> RedisReply {
    var (first, second) = (RedisCommand(), RedisCommand())
    first.append(others)
    second.append(arguments)
    return try connection.run(evaluation(script, keys: first, second))
  }

  /// Runs one command if the lock is still held. The command's keys come before its arguments.
  @discardableResult
  func run(_ name: String, _ keys: [[UInt8]], _ arguments: [UInt8]...) throws -> RedisReply {
    try evaluate(RedisScripts.command, keys: keys, [Array(name.utf8)] + arguments)
  }

  /// Ensures, after a failure, that earlier commands can no longer take effect and that the connection works.
  ///
  /// The server may still run commands from a lost connection later. A new token makes these commands
  /// ineffective.
  ///
  /// - Returns: Whether the lock is still held, as far as can be determined.
  /// - Throws: Errors of the new connection; `failed` if the lock can be neither renewed nor released. After
  ///   an error, earlier commands may still take effect.
  func settle() throws -> Bool {
    connection.drain()
    guard connection.isLost else { return true }
    connection = try reconnect()
    let next = Self.newToken()
    if (try? run("SET", [keys.lock], next, Array("PX".utf8), Self.leaseWord)) != nil {
      token = next
      return true
    }
    // The lock was lost, or the server has no memory for a new token. A removal of the lock needs no memory.
    _ = try? run("DEL", [keys.lock])
    guard try connection.run("GET", keys.lock) != .bytes(token) else {
      throw ServingStoreError(
        .failed, address: address.description, found: "the lock can be neither renewed nor released",
        nextStep: "check the server's log, and try again in half a minute, when the lock has expired")
    }
    return false
  }

  private static func newToken() -> [UInt8] { Array(UUID().uuidString.utf8) }
}
