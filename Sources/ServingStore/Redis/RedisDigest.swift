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
          try Self.recordingDamage(in: &digest) { $0.add(try connection.reply(), under: key) }
        }
        for key in found where key.kind == .positions {
          digest.begin(key.kind, key.name)
          let places = RedisPlaces(connection, keys, generation: served.number, entity: key.name)
          try Self.recordingDamage(in: &digest) { try places.add(to: &$0) }
        }
      }
      return digest
    }
  }

  /// Runs `body`, and records damage if `body` reads a key of a wrong type. Such a key must not end a
  /// publication, because the publication replaces the key.
  private static func recordingDamage(
    in digest: inout GenerationDigest, _ body: (inout GenerationDigest) throws -> Void
  ) throws {
    do {
      try body(&digest)
    } catch let error as ServingStoreError where error.code == .corrupt {
      digest.addDamage()
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
