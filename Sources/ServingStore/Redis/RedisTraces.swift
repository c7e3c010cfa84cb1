/// What a server of Redis keeps on its disk of keys that were removed: a dump, and the file that it appends commands to.
struct RedisTraces {
  let connection: RedisConnection

  /// Asks the server to write anew what it uses of the two.
  ///
  /// - Returns: What is left to do, and by whom.
  /// - Throws: Where the connection is lost.
  func remove() throws -> [String] {
    var remarks: [String] = []
    let info = try allowed("INFO", "persistence")?.bytes ?? []
    let lines = String(decoding: info, as: UTF8.self).split(whereSeparator: \.isNewline)
    let appends = lines.contains("aof_enabled:1")
    let dumps = try allowed("CONFIG", "GET", "save")?.elements?.last?.bytes
    if appends {
      let isAsked = try allowed("BGREWRITEAOF") != nil
      remarks.append(
        "its append-only file holds what was erased until the server has rewritten it"
          + (isAsked ? ", which was asked for" : ": run BGREWRITEAOF"))
    }
    if dumps.map({ !$0.isEmpty }) ?? true {
      // Without the right to ask, nobody knows whether there is a dump: none is made then.
      let isAsked = try dumps != nil && allowed("BGSAVE", "SCHEDULE") != nil
      remarks.append(
        "a dump that it has made holds what was erased until the next one is written"
          + (isAsked ? ", which was asked for" : ": run BGSAVE, if it makes any"))
    }
    return remarks
  }

  /// The reply to a command that not every account may run, or that the server may be too busy for; `nil` then.
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
