/// Removes people from all generations of a pipeline, including dropped generations that remain for readers.
/// The caller must hold the lock.
///
/// Each step is atomic and also updates the row counts that it affects. After a failure, the erasure can
/// therefore be repeated, and the counts stay correct.
struct RedisErasure {
  let lock: RedisLock
  let people: ErasedPeople
  let options: ErasureOptions

  func run() throws -> StoreErasure {
    var erasure = StoreErasure()
    if !options.isDryRun { try lock.removeLeftovers() }
    let generations = try RedisGenerations.fetch(lock.connection, lock.keys, lock.address)
    for number in try generations.entries.keys.sorted() + retired(except: generations) {
      let before = erasure.total
      var generation = Generation(number: number, entry: generations.entries[number])
      // Positions are removed first, because the update of a cell's bucket needs the person's attributes,
      // which are removed later.
      for entity in Set(people.ids.keys).union(generation.entry?.tables.positions.map(\.name) ?? []) {
        erasure.positions += try removePositions(of: entity, &generation)
      }
      try lock.connection.forEachKey(of: number, lock.keys, eachOnce: options.isDryRun, renewing: lock) {
        keys in
        try remove(from: keys, &generation, &erasure)
      }
      let hasChanged = erasure.total > before
      erasure.generations += hasChanged ? 1 : 0
      guard var entry = generation.entry, !options.isDryRun else { continue }
      entry.note = entry.note.erased(options.contents, hasChanged: hasChanged)
      entry.note.tombstones = options.tombstones
      if entry != generation.entry {
        try lock.run("HSET", [lock.keys.generations], [UInt8](decimal: number), try entry.json())
      }
    }
    if !options.isDryRun { erasure.remarks = try RedisTraces(connection: lock.connection).remove() }
    return erasure
  }

  /// A generation that is being processed. Its entry is `nil` if the generation was dropped.
  private struct Generation {
    var number: Int
    var entry: RedisGenerationEntry?
  }

  private func retired(except generations: RedisGenerations) throws -> [Int] {
    let found = try lock.connection.run(
      "ZRANGEBYSCORE", lock.keys.retired, Array("-inf".utf8), Array("+inf".utf8))
    return (found.elements?.compactMap(\.integer) ?? []).filter { generations.entries[$0] == nil }
  }

  private func remove(
    from keys: [RedisRowKey], _ generation: inout Generation, _ erasure: inout StoreErasure
  ) throws {
    var others: [RedisRowKey] = []
    for key in keys {
      switch key.kind {
      case .list:
        if people.ids(in: .user(list: key.name)).contains(key.id) {
          erasure.lists += try delete(key, rows: 1, &generation)
        } else if !people.ids(in: .candidate(list: key.name)).isEmpty {
          others.append(key)
        }
      case .matches:
        if people.ids(in: .match(name: key.name)).contains(key.id) {
          erasure.matches += try deleteMatches(key, &generation)
        }
      case .people:
        if people.ids(in: .person(entity: key.name)).contains(key.id) {
          erasure.people += try delete(key, rows: 1, &generation)
        }
      case .catalog: erasure.entries += try removeEntries(from: key, &generation)
      case .positions, .buckets: break
      }
    }
    try edit(others, &erasure)
  }

  /// Removes the positions of people and updates the buckets of their cells, in one step per person.
  private func removePositions(of entity: String, _ generation: inout Generation) throws -> Int {
    let (keys, number) = (lock.keys, generation.number)
    var removed = 0
    for id in people.ids(in: .person(entity: entity)) {
      guard let json = try lock.connection.run("HGET", keys.positions(of: number, entity), id.utf8).bytes
      else { continue }
      removed += 1
      if options.isDryRun { continue }
      let cell = try RedisPlaces.cell(json, lock.address)
      let bucketKey = keys.rows(of: number, .buckets, entity) + cell
      let bucket = try lock.connection.run("GET", bucketKey).bytes
      let attributes = try lock.connection.run("GET", keys.rows(of: number, .people, entity) + id.utf8).bytes
      let text = try bucket.flatMap { try ListDocument.leaving($0, attributes: attributes, lock.address) }
      let entry = generation.entry?.removing(1, .positions, entity)
        .removing(bucket != nil && text == nil ? 1 : 0, .buckets, entity)
      try lock.evaluate(
        RedisScripts.erasePosition,
        keys: [
          keys.generations, keys.positions(of: number, entity), keys.places(of: number, entity),
          keys.outside(of: number, entity), bucketKey,
        ], [[UInt8](decimal: number), try entry?.json() ?? [], id.utf8, text ?? []])
      generation.entry = entry
    }
    return removed
  }

  /// Removes the entries of people from the list of a catalog's key.
  private func removeEntries(from key: RedisRowKey, _ generation: inout Generation) throws -> Int {
    let ids = people.ids(in: .entry(catalog: key.name))
    let entries =
      try lock.connection.run(
        "LRANGE", key.bytes, [UInt8](decimal: 0), [UInt8](decimal: -1)
      ).elements?.compactMap(\.bytes) ?? []
    let gone = try entries.filter {
      try ListDocument.ids(ofEntry: $0, lock.address).contains(where: ids.contains)
    }
    if options.isDryRun { return gone.count }
    for text in Set(gone) {
      let entry = generation.entry?.removing(gone.count { $0 == text }, .catalog, key.name)
      try lock.evaluate(
        RedisScripts.eraseEntry, keys: [lock.keys.generations, key.bytes],
        [[UInt8](decimal: generation.number), try entry?.json() ?? [], text])
      generation.entry = entry
    }
    return gone.count
  }

  /// Removes candidates from documents.
  private func edit(_ keys: [RedisRowKey], _ erasure: inout StoreErasure) throws {
    for key in keys { try lock.connection.send(RedisCommand("GET", key.bytes)) }
    let documents = try keys.map { _ in try lock.connection.reply().bytes }
    for (key, document) in zip(keys, documents) {
      guard let document,
        let edited = try ListDocument.erased(
          document, people.ids(in: .candidate(list: key.name)), lock.address)
      else { continue }
      erasure.places += edited.removed
      if !options.isDryRun { try lock.run("SET", [key.bytes], edited.text) }
    }
  }

  /// Deletes the matches in the hash `key`, and their counterparts in the hashes of the other sides.
  private func deleteMatches(_ key: RedisRowKey, _ generation: inout Generation) throws -> Int {
    let found = try lock.connection.run("HGETALL", key.bytes).elements ?? []
    // A match has a field in the hash of each side, and an erasure deletes both fields at once. A dry run
    // finds both fields of a match between erased people, so it counts only the outward field. A self-match
    // has both fields in one hash, so it is also counted by its outward field.
    let erased: Set<StoredID> = options.isDryRun ? people.ids(in: .match(name: key.name)) : [key.id]
    var rows = 0
    var sides: [(key: [UInt8], field: [UInt8])] = []
    for index in stride(from: 0, to: found.count - 1, by: 2) {
      guard let field = found[index].bytes, let direction = field.first, field.count > 1 else {
        throw RedisGenerations.damage("a match is not in Nightjar's format", lock.address)
      }
      let back = direction == RedisSink.outward ? RedisSink.inward : RedisSink.outward
      sides.append((key.prefix + field.dropFirst(), [back] + key.id.utf8))
      let other = StoredID(utf8: Array(field.dropFirst()))
      if direction == RedisSink.outward || !erased.contains(other) { rows += 1 }
    }
    return try delete(key, rows: rows, mirrored: sides, &generation)
  }

  /// Removes a key and its counterparts, and changes the number of rows in the same step.
  private func delete(
    _ key: RedisRowKey, rows: Int, mirrored sides: [(key: [UInt8], field: [UInt8])] = [],
    _ generation: inout Generation
  ) throws -> Int {
    if options.isDryRun { return rows }
    let entry = generation.entry?.removing(rows, key.kind, key.name)
    let removed = try lock.evaluate(
      RedisScripts.erase, keys: [lock.keys.generations, key.bytes] + sides.map(\.key),
      [[UInt8](decimal: generation.number), try entry?.json() ?? []] + sides.map(\.field))
    // SCAN may return a key twice while the server resizes its hash table.
    guard removed == .integer(1) else { return 0 }
    generation.entry = entry
    return rows
  }
}

extension RedisGenerationEntry {
  /// Returns the entry with `rows` fewer rows in one of its tables.
  fileprivate func removing(_ rows: Int, _ kind: TableKind, _ name: String) -> RedisGenerationEntry {
    var entry = self
    for index in entry.tables[kind].indices
    where entry.tables[kind][index].name.utf8.elementsEqual(name.utf8) {
      entry.tables[kind][index].rows -= rows
    }
    return entry
  }
}

extension RedisServingStore {
  func erase(_ people: ErasedPeople, of pipeline: String, _ options: ErasureOptions) throws -> StoreErasure {
    try ServingStoreError.checkWritable(access, address, isDryRun: options.isDryRun)
    return try withLock(pipeline) { lock in
      try RedisErasure(lock: lock, people: people, options: options).run()
    }
  }

  func visitIDs(
    in generation: Int, of pipeline: String, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    try withConnection { connection in
      try connection.forEachKey(
        of: generation, RedisKeys(pipeline: pipeline), eachOnce: false, renewing: nil
      ) { keys in
        for key in keys {
          switch key.kind {
          case .list: try visit(.user(list: key.name), key.id)
          // Each match is stored in the Redis hashes of both people. Visiting only the owner of each hash
          // therefore covers both ids.
          case .matches: try visit(.match(name: key.name), key.id)
          case .people: try visit(.person(entity: key.name), key.id)
          case .catalog:
            let entries = try connection.run(
              "LRANGE", key.bytes, [UInt8](decimal: 0), [UInt8](decimal: -1))
            for entry in entries.elements?.compactMap(\.bytes) ?? [] {
              for id in try ListDocument.ids(ofEntry: entry, address) {
                try visit(.entry(catalog: key.name), id)
              }
            }
          case .positions:
            let fields = try connection.run("HKEYS", key.bytes).elements?.compactMap(\.bytes) ?? []
            for id in fields { try visit(.person(entity: key.name), StoredID(utf8: id)) }
          case .buckets: break
          }
        }
        let lists = keys.filter { $0.kind == .list }
        for key in lists { try connection.send(RedisCommand("GET", key.bytes)) }
        let documents = try lists.map { _ in try connection.reply().bytes }
        for (key, document) in zip(lists, documents) {
          guard let document else { continue }
          for candidate in try ListDocument.parsed(document, address).candidates {
            try visit(.candidate(list: key.name), StoredID(utf8: candidate))
          }
        }
      }
    }
  }
}
