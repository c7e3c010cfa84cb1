import Foundation

/// The traces of removed keys on the disk of a Redis server: in its dump (RDB) and in its append-only file
/// (AOF).
struct RedisTraces {
  let connection: RedisConnection

  /// The maximum time to wait for a running dump, which may have started before the erasure.
  private static let patience = Duration.seconds(10)

  /// Starts a rewrite of the server's dump and of its append-only file, if the server uses these files.
  ///
  /// - Returns: The traces that remain, and how an administrator can remove them.
  /// - Throws: `lost` or `cannotOpen` if the connection fails.
  func remove() throws -> [String] {
    var remarks: [String] = []
    let info = try persistence()
    let dumps = try allowed("CONFIG", "GET", "save")?.elements?.last?.bytes
    if dumps.map({ !$0.isEmpty }) ?? true {
      // If the account may not read the setting, it is unknown whether the server uses dumps, and no dump is
      // requested.
      let isAsked = try dumps != nil && isWritten("BGSAVE")
      remarks.append(
        "the server's last dump contains erased people until the next dump"
          + (isAsked ? ", which has been requested" : "; run BGSAVE if the server writes dumps"))
    }
    if info.contains("aof_enabled:1") {
      let isAsked = try isWritten("BGREWRITEAOF")
      remarks.append(
        "the server's append-only file contains erased people until the server rewrites it"
          + (isAsked ? ", which has been requested" : "; run BGREWRITEAOF"))
    }
    return remarks
  }

  /// Runs a command that starts a background write. Before the command, this method waits until running
  /// background writes end. After the command, it waits until the new write ends. Each wait takes at most
  /// `patience`. Returns whether the server accepted the command.
  private func isWritten(_ command: String) throws -> Bool {
    try wait()
    guard try allowed(command) != nil else { return false }
    try wait()
    return true
  }

  private func wait() throws {
    let clock = ContinuousClock()
    let deadline = clock.now + Self.patience
    while try clock.now < deadline
      && persistence().contains(where: {
        ["rdb_bgsave_in_progress:1", "aof_rewrite_in_progress:1", "aof_rewrite_scheduled:1"].contains($0)
      })
    {
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private func persistence() throws -> [Substring] {
    let info = try allowed("INFO", "persistence")?.bytes ?? []
    return String(decoding: info, as: UTF8.self).split(whereSeparator: \.isNewline)
  }

  /// Returns the reply to a command; `nil` if the server rejects the command, for example because the account
  /// may not run it or because the server is busy.
  private func allowed(_ words: String...) throws -> RedisReply? {
    var command = RedisCommand()
    for word in words { command.append(word) }
    do throws(ServingStoreError) {
      return try connection.run(command)
    } catch {
      if connection.isLost { throw error }
      return nil
    }
  }
}
