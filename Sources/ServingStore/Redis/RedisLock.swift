import Foundation

/// The lock of a pipeline's writers, while it is held, and the connection of whoever holds it.
///
/// All that a writer changes goes through it: a script that first looks for the lock's token. So whoever has lost the lock,
/// changes nothing.
final class RedisLock {
  let keys: RedisKeys
  let address: StoreAddress
  private(set) var connection: RedisConnection
  private var token: [UInt8]
  private let reconnect: () throws -> RedisConnection

  /// How long it lasts when it is not renewed, in milliseconds. Every write renews it.
  private static let lease = [UInt8](decimal: 30_000)

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
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    var pause = Duration.milliseconds(10)
    while try connection.run(
      "SET", keys.lock, token, Array("NX".utf8), Array("PX".utf8), Self.lease) == .none
    {
      guard clock.now < deadline else {
        throw ServingStoreError(
          .busy, address: address.description, found: "another process is publishing to it",
          nextStep: "try again when that is done; what was served still is")
      }
      Thread.sleep(forTimeInterval: min(pause, deadline - clock.now) / .seconds(1))
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  /// Gives the lock back, if it is still held. Should that fail, it goes by itself.
  func release() {
    connection.drain()
    if !connection.isLost { _ = try? run("DEL", [keys.lock]) }
  }

  /// The command that runs a script of `RedisScripts`.
  func evaluation(_ script: String, keys others: RedisCommand, _ arguments: RedisCommand) -> RedisCommand {
    var command = RedisCommand("EVAL", Array(script.utf8), [UInt8](decimal: others.count + 1), keys.lock)
    command.append(contentsOf: others)
    command.append([token, Self.lease])
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

  /// Makes sure, after a failure, that nothing sent before is still to come, and that the connection works.
  ///
  /// A lost connection may have left commands with the server, which runs them some time later. A new token stops them.
  ///
  /// - Throws: `busy` where the lock was lost, and nothing of ours is to come either; what a new connection throws.
  func settle() throws {
    connection.drain()
    guard connection.isLost else { return }
    connection = try reconnect()
    let next = Self.newToken()
    try run("SET", [keys.lock], next, Array("PX".utf8), Self.lease)
    token = next
  }

  private static func newToken() -> [UInt8] { Array(UUID().uuidString.utf8) }
}
