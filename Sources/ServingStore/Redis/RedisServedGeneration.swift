import Geohash

/// The generation that a reader of a Redis store sees. Only erasures change its keys. The keys remain for a
/// while after the generation is dropped.
struct RedisServedGeneration: ServedGeneration {
  let connection: RedisConnection
  let keys: RedisKeys
  let address: StoreAddress
  let summary: GenerationSummary

  func document(list: String, user: StoredID) throws -> [UInt8]? {
    try value(.list, list, user)
  }

  func person(entity: String, id: StoredID) throws -> [UInt8]? {
    try value(.people, entity, id)
  }

  func matches(name: String, user: StoredID) throws -> [ServedMatch] {
    let key = keys.rows(of: summary.number, .matches, name) + user.utf8
    guard let fields = try connection.run("HGETALL", key).elements, !fields.isEmpty else {
      try checkPresence()
      return []
    }
    var found: Set<ServedMatch> = []
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      guard let field = fields[index].bytes, field.count > 1, let instant = fields[index + 1].bytes else {
        throw RedisGenerations.damage("a match is not in Nightjar's format", address)
      }
      found.insert(
        ServedMatch(
          other: StoredID(utf8: Array(field.dropFirst())),
          matchedAt: instant.isEmpty ? nil : String(decoding: instant, as: UTF8.self)))
    }
    return found.sorted { left, right in
      left.other == right.other
        ? (left.matchedAt ?? "").utf8.lexicographicallyPrecedes((right.matchedAt ?? "").utf8)
        : left.other < right.other
    }
  }

  func position(entity: String, id: StoredID) throws -> Coordinate? {
    if let position = try places(entity).position(of: id) { return position }
    try checkPresence()
    return nil
  }

  func positions(entity: String, around center: Coordinate, within radius: Double) throws
    -> [ServedPosition]
  {
    let found = try places(entity).near(center, within: radius)
    // If the generation is being removed, the result may be incomplete.
    try checkPresence()
    return [ServedPosition](found, around: center, within: radius)
  }

  func bucket(entity: String, cell: Geohash) throws -> [UInt8]? {
    try value(.buckets, entity, StoredID(cell.description))
  }

  func entries(catalog: String, key: StoredID, _ range: Range<Int>) throws -> [[UInt8]] {
    guard !range.isEmpty else { return [] }
    // The key of a catalog contains the word `catalog`, or `directory` if an earlier version of Nightjar
    // published it.
    for table in [
      keys.rows(of: summary.number, .catalog, catalog), keys.earlierCatalog(of: summary.number, catalog),
    ] {
      let found = try connection.run(
        "LRANGE", table + key.utf8, [UInt8](decimal: range.lowerBound),
        [UInt8](decimal: range.upperBound - 1))
      if let entries = found.elements, !entries.isEmpty { return entries.compactMap(\.bytes) }
    }
    try checkPresence()
    return []
  }

  private func places(_ entity: String) -> RedisPlaces {
    RedisPlaces(connection, keys, generation: summary.number, entity: entity)
  }

  private func value(_ kind: TableKind, _ name: String, _ id: StoredID) throws -> [UInt8]? {
    let found = try connection.run("GET", keys.rows(of: summary.number, kind, name) + id.utf8)
    if let bytes = found.bytes { return bytes }
    try checkPresence()
    return nil
  }

  /// Checks that the generation is not being removed, which would explain a missing key.
  ///
  /// A generation is first kept, then retired, then removed. The removal is marked in the set of retired
  /// generations before the first key is deleted. If the mark is absent now, the generation was complete
  /// until now.
  ///
  /// - Throws: `failed` if the generation is being removed or has been removed.
  private func checkPresence() throws {
    let number = [UInt8](decimal: summary.number)
    // The order matters: between the two commands, the generation may be retired.
    try connection.send(
      RedisCommand("HEXISTS", keys.generations, number), RedisCommand("ZSCORE", keys.retired, number))
    let (isKept, retired) = (try connection.reply(), try connection.reply())
    if isKept == .integer(1) { return }
    if let instant = retired.bytes, instant.first != UInt8(ascii: "-") { return }
    throw ServingStoreError(
      .failed, address: address.description,
      found:
        "generation \(summary.number) was removed during the read, because newer generations replaced it",
      nextStep: "run the command again")
  }
}
