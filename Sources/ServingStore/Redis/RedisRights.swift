/// The rights that an account needs. `docs/how-to/serve-from-redis.md` grants exactly these rights.
///
/// Each example is a command that the server accepts into a transaction. `KEY` stands for a key of the
/// pipeline.
enum RedisRights {
  /// The commands that open a connection and a transaction. A transaction cannot contain them.
  static let session = ["SELECT", "MULTI", "EXEC"]

  /// Examples of the commands that read lists, besides `session`.
  static let reading = [
    "GET KEY", "HGET KEY field", "HMGET KEY field", "HGETALL KEY", "HEXISTS KEY field", "HSCAN KEY 0",
    "ZSCORE KEY member", "LRANGE KEY 0 0", "SMEMBERS KEY", "GEOSEARCH KEY FROMLONLAT 0 0 BYRADIUS 1 km",
  ]

  /// Examples of the commands that publish, compare, restore and erase lists, besides `session` and
  /// `reading`.
  static let publishing = [
    "SET KEY value", "SETNX KEY value", "HSET KEY field value", "HSETNX KEY field value", "HDEL KEY field",
    "HKEYS KEY", "HLEN KEY", "DEL KEY", "UNLINK KEY", "PEXPIRE KEY 1", "EVAL return 1 KEY", "SCAN 0", "TIME",
    "ZADD KEY 0 member", "ZREM KEY member", "ZRANGEBYSCORE KEY 0 0", "ZCARD KEY", "RPUSH KEY value",
    "LINDEX KEY 0", "LLEN KEY", "LREM KEY 0 value", "SADD KEY member", "SISMEMBER KEY member",
    "SREM KEY member", "GEOADD KEY 0 0 member", "GEOPOS KEY member",
  ]

  /// Returns the name of an example's command.
  static func name(_ example: String) -> String { String(example.prefix { $0 != " " }) }

  fileprivate static func command(_ example: String, key: [UInt8]) -> RedisCommand {
    var command = RedisCommand()
    command.append(example.split(separator: " ").map { $0 == "KEY" ? key : Array($0.utf8) })
    return command
  }
}

extension RedisServingStore {
  /// Checks that this account may run every command of a publication, without running any of them.
  ///
  /// The server checks the rights when it queues the commands of a transaction. The transaction also contains
  /// an invalid command, so the server discards the transaction instead of running it. Errors that are not
  /// about rights are ignored here, because taking the lock reports them.
  ///
  /// - Throws: `readOnly` if rights are missing; errors of the connection.
  func checkRights(_ pipeline: String) throws {
    try withConnection { connection in
      let key = RedisKeys(pipeline: pipeline).loading
      let examples = RedisRights.reading + RedisRights.publishing
      // If the server rejected MULTI, it would run the following commands.
      try connection.run("MULTI")
      // GET without a key is invalid.
      try connection.send(RedisCommand("GET"))
      for example in examples { try connection.send(RedisRights.command(example, key: key)) }
      try connection.send(RedisCommand("EXEC"))
      var missing: [String] = []
      for name in ["GET"] + examples.map(RedisRights.name) + ["EXEC"] {
        do throws(ServingStoreError) {
          _ = try connection.reply()
        } catch {
          if connection.isLost { throw error }
          if error.nextStep == ServingStoreError.grantRights { missing.append("+" + name.lowercased()) }
        }
      }
      guard missing.isEmpty else {
        throw ServingStoreError(
          .readOnly, address: address.description,
          found: "Redis reports: NOPERM (this account lacks \(missing.joined(separator: " ")))",
          nextStep: ServingStoreError.grantRights)
      }
    }
  }
}
