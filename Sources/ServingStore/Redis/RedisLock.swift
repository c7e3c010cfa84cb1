import Foundation

/// The lock of a pipeline's writers, while it is held, and the holder's connection.
///
/// All writes go through it, in scripts that first check the lock's token. So a writer that has lost the lock changes nothing.
final class RedisLock {
  let keys: RedisKeys
  let address: StoreAddress
  private(set) var connection: RedisConnection
  private var token: [UInt8]
  private let reconnect: () throws -> RedisConnection
  private var renewed: ContinuousClock.Instant

  /// How long it lasts when it is not renewed. Every write renews it.
  private static let lease = Duration.seconds(30)
  private static let leaseWord = [UInt8](decimal: 30_000)

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - keys: The pipeline's.
  ///   - connection: Good while the lock is held.
  ///   - address: For messages.
  ///   - timeout: How long to wait for another.
  ///   - reconnect: Makes another connection, should this one be lost.
  /// - Throws: `busy` where another has it for longer than the timeout.
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
          .busy, address: address.description, found: "another process is publishing to it",
          nextStep: "try again when that is done; what was served still is")
      }
      Thread.sleep(forTimeInterval: min(pause, deadline - clock.now) / .seconds(1))
      pause = min(pause * 2, .milliseconds(500))
    }
    renewed = .now
  }

  /// Whether a third of the lease has passed. A writer that is idle then renews the lock.
  var isDue: Bool { .now - renewed > Self.lease / 3 }

  /// Makes it last on.
  func renew() throws { try run("PEXPIRE", [keys.lock], Self.leaseWord) }

  /// Gives the lock back, if it is still held. Should that fail, it goes by itself.
  func release() {
    connection.drain()
    if !connection.isLost { _ = try? run("DEL", [keys.lock]) }
  }

  /// The command that runs a script of `RedisScripts`, which renews the lock.
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

  /// Runs one command under the lock: its keys come first, then its arguments.
  @discardableResult
  func run(_ name: String, _ keys: [[UInt8]], _ arguments: [UInt8]...) throws -> RedisReply {
    try evaluate(RedisScripts.command, keys: keys, [Array(name.utf8)] + arguments)
  }

  /// Makes sure, after a failure, that no earlier command can still take effect, and that the connection works.
  ///
  /// The server may still hold commands from a lost connection, and run them later. A new token makes them ineffective.
  ///
  /// - Returns: Whether the lock is still held, as far as known.
  /// - Throws: Errors of the new connection. Earlier commands may then still take effect.
  func settle() throws -> Bool {
    connection.drain()
    guard connection.isLost else { return true }
    connection = try reconnect()
    let next = Self.newToken()
    if (try? run("SET", [keys.lock], next, Array("PX".utf8), Self.leaseWord)) != nil {
      token = next
      return true
    }
    // The lock was lost, or there is no memory for a new token; removing needs none.
    _ = try? run("DEL", [keys.lock])
    guard try connection.run("GET", keys.lock) != .bytes(token) else {
      throw ServingStoreError(
        .failed, address: address.description, found: "the lock can neither be renewed nor given back",
        nextStep: "look at the server's log; the lock goes within half a minute")
    }
    return false
  }

  private static func newToken() -> [UInt8] { Array(UUID().uuidString.utf8) }
}
