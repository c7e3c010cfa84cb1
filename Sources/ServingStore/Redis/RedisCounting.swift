extension RedisServingStore {
  func heldTables(of pipeline: String) throws -> GenerationTables? {
    try withConnection { connection in
      let keys = RedisKeys(pipeline: pipeline)
      let generations = try RedisGenerations.fetch(connection, keys, address)
      guard let served = generations.summaries.first(where: \.isServed) else { return nil }
      var tables = served.tables
      for kind in TableKind.allCases {
        for index in tables[kind].indices { tables[kind][index].rows = 0 }
      }
      try connection.forEachKey(of: served.number, keys, eachOnce: true, renewing: nil) { found in
        let counts = try Self.rows(found, connection)
        for (key, rows) in zip(found, counts) {
          for index in tables[key.kind].indices
          where tables[key.kind][index].name.utf8.elementsEqual(key.name.utf8) {
            tables[key.kind][index].rows += rows
          }
        }
      }
      // A match is stored under both of its sides.
      for index in tables.matches.indices { tables.matches[index].rows /= 2 }
      return tables
    }
  }

  /// Returns the number of rows under each key.
  private static func rows(_ keys: [RedisRowKey], _ connection: RedisConnection) throws -> [Int] {
    let commands = keys.map { key -> RedisCommand? in
      switch key.kind {
      case .list, .people, .buckets: nil
      case .matches, .positions: RedisCommand("HLEN", key.bytes)
      case .catalog: RedisCommand("LLEN", key.bytes)
      }
    }
    for command in commands { if let command { try connection.send(command) } }
    return try commands.map { try $0 == nil ? 1 : connection.reply().integer ?? 0 }
  }
}
