import Foundation

/// The entry of a generation in the hash of generations, as JSON.
struct RedisGenerationEntry: Codable, Hashable, Sendable {
  var run: Int
  var asOf: Int64
  var note: GenerationNote
  var tables: GenerationTables

  enum CodingKeys: String, CodingKey {
    case run, note, tables
    case asOf = "as_of_ms"
  }

  init(run: Int, asOf: Int64, note: GenerationNote, tables: GenerationTables) {
    (self.run, self.asOf, self.note, self.tables) = (run, asOf, note, tables)
  }

  /// Decodes an entry. Also accepts the form of earlier versions, in which the tables are members of the
  /// entry itself.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    run = try container.decode(Int.self, forKey: .run)
    asOf = try container.decode(Int64.self, forKey: .asOf)
    note = try container.decode(GenerationNote.self, forKey: .note)
    tables =
      try container.decodeIfPresent(GenerationTables.self, forKey: .tables)
      ?? GenerationTables(from: decoder)
  }

  /// Returns the entry as JSON, as it is stored in Redis.
  func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }

  func summary(number: Int, isServed: Bool) -> GenerationSummary {
    GenerationSummary(number: number, run: run, asOf: asOf, isServed: isServed, note: note, tables: tables)
  }
}

/// The generations of a pipeline, and the number of the served generation (the pointer), at one point in
/// time.
struct RedisGenerations: Sendable {
  var current: Int?
  var entries: [Int: RedisGenerationEntry]

  /// The generations, newest first.
  var summaries: [GenerationSummary] {
    entries.sorted { $0.key > $1.key }.map { $1.summary(number: $0, isServed: $0 == current) }
  }

  /// Reads the pointer and the generations in one transaction. Otherwise, if another process published
  /// between the two reads, the pointer could name a generation that is no longer kept.
  static func fetch(
    _ connection: RedisConnection, _ keys: RedisKeys, _ address: StoreAddress
  ) throws -> RedisGenerations {
    try connection.send(
      RedisCommand("MULTI"), RedisCommand("GET", keys.current), RedisCommand("HGETALL", keys.generations),
      RedisCommand("EXEC"))
    for _ in 0..<3 { _ = try connection.reply() }
    guard let replies = try connection.reply().elements, replies.count == 2,
      let fields = replies[1].elements, fields.count.isMultiple(of: 2)
    else { throw damage("the server's reply about the generations is invalid", address) }

    var generations = RedisGenerations(current: replies[0].integer, entries: [:])
    for index in stride(from: 0, to: fields.count, by: 2) {
      guard let number = fields[index].integer, number > 0, let json = fields[index + 1].bytes,
        let entry = try? JSONDecoder().decode(RedisGenerationEntry.self, from: Data(json))
      else { throw damage("a generation's entry is not in Nightjar's format", address) }
      generations.entries[number] = entry
    }
    if replies[0] != .none, generations.current.flatMap({ generations.entries[$0] }) == nil {
      throw damage("the served generation does not exist", address)
    }
    return generations
  }

  /// The advice for a damaged store.
  static let restoration = "restore the keys 'nightjar:*' from a backup, or remove them and publish again"

  static func damage(_ found: String, _ address: StoreAddress) -> ServingStoreError {
    ServingStoreError(
      .corrupt, address: address.description, found: found, nextStep: restoration)
  }
}
