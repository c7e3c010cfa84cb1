extension RedisServingStore {
  func heldDigest(of pipeline: String) throws -> GenerationDigest? {
    try withConnection { connection in
      let keys = RedisKeys(pipeline: pipeline)
      let generations = try RedisGenerations.fetch(connection, keys, address)
      guard let served = generations.summaries.first(where: \.isServed) else { return nil }
      var digest = GenerationDigest()
      for kind in TableKind.allCases { for table in served.tables[kind] { digest.begin(kind, table.name) } }
      try connection.forEachKey(of: served.number, keys, eachOnce: true, renewing: nil) { found in
        for key in found { if let command = key.reading { try connection.send(command) } }
        for key in found where key.reading != nil {
          digest.begin(key.kind, key.name)
          let isRead = try Self.isIntact { digest.add(try connection.reply(), under: key) }
          if !isRead { digest.addDamage() }
        }
        for key in found where key.kind == .positions {
          digest.begin(key.kind, key.name)
          let places = RedisPlaces(connection, keys, generation: served.number, entity: key.name)
          let isRead = try Self.isIntact { try places.add(to: &digest) }
          if !isRead { digest.addDamage() }
        }
      }
      return digest
    }
  }

  /// Runs `body`. Returns whether all keys that `body` reads have the right types. A key of a wrong type must
  /// not end a publication, because the publication replaces this key.
  private static func isIntact(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as ServingStoreError {
      guard error.code == .corrupt else { throw error }
      return false
    }
  }
}

extension RedisRowKey {
  /// The command that reads all rows under the key; `nil` for positions, which are read in steps.
  fileprivate var reading: RedisCommand? {
    switch kind.layout.shape {
    case .document: RedisCommand("GET", bytes)
    case .match: RedisCommand("HGETALL", bytes)
    case .entry: RedisCommand("LRANGE", bytes, Array("0".utf8), Array("-1".utf8))
    case .position: nil
    }
  }
}

extension GenerationDigest {
  /// Adds the rows under a key to the open table.
  fileprivate mutating func add(_ reply: RedisReply, under key: RedisRowKey) {
    let id = key.id.utf8
    switch (key.kind.layout.shape, reply) {
    case (.document, .bytes(let json)): add(.document(id: id.span, json: json.span))
    case (.match, .array(let fields)):
      for index in stride(from: 0, to: fields.count - 1, by: 2) {
        guard let field = fields[index].bytes, let instant = fields[index + 1].bytes,
          let direction = field.first
        else { return addDamage() }
        let other = Array(field.dropFirst())
        if direction == RedisSink.outward {
          add(side: .match(user: id.span, other: other.span, at: instant.span), isFirst: true)
        } else {
          add(side: .match(user: other.span, other: id.span, at: instant.span), isFirst: false)
        }
      }
    case (.entry, .array(let entries)):
      for (index, entry) in entries.enumerated() {
        guard let json = entry.bytes else { return addDamage() }
        add(.entry(key: id.span, json: json.span), rank: index + 1)
      }
    default: addDamage()
    }
  }
}
