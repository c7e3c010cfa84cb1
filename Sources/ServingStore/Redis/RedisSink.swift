import Geohash
internal import Text

/// Sends the rows of a generation to Redis in batches. One batch is in flight while the next is assembled.
///
/// A match is a field in the hashes of both sides. The field is the other side's id, prefixed by `>` in the
/// hash of the first-named side and by `<` in the other hash. The prefixes distinguish a duplicate pair from
/// a match that is loaded in both directions.
final class RedisSink: GenerationSink {
  /// The prefix of the other side's id: `outward` in the hash of the side that the match names first,
  /// `inward` in the hash of the other side.
  static let (outward, inward) = (UInt8(ascii: ">"), UInt8(ascii: "<"))

  /// The maximum size of a batch in bytes and in rows. A batch is limited because the server handles no other
  /// client while it processes the batch.
  private static let (batchBytes, batchRows) = (1 << 18, 1_000)

  private let lock: RedisLock
  private let generation: Int
  /// An opened table, with the prefix of its keys and the number of rows that the server has accepted. A
  /// match counts as two rows.
  private struct SentTable {
    var kind: TableKind
    var name: String
    var prefix: [UInt8]
    var taken = 0
  }

  /// The opened tables. The last one is open.
  private var tables: [SentTable] = []
  private var prefix: [UInt8] { tables.last?.prefix ?? [] }
  /// The batch being assembled.
  private var keys = RedisCommand()
  private var values = RedisCommand()
  private var rows = 0
  /// The batch in flight. All its rows are in one table.
  private var underWay: (rows: Int, table: Int)?
  /// The error about rows that the server rejected. This error is thrown only at the end, because it would
  /// otherwise seem to be about a later row.
  private var refusal: ServingStoreError?

  init(_ lock: RedisLock, generation: Int) {
    self.lock = lock
    self.generation = generation
  }

  func begin(_ kind: TableKind, _ name: String) throws {
    try send()
    tables.append(SentTable(kind: kind, name: name, prefix: lock.keys.rows(of: generation, kind, name)))
  }

  func add(_ row: TableRow, rank: Int) throws {
    // The publication will fail, so the remaining rows are not sent.
    if refusal != nil { return }
    switch row {
    case .document(let id, let json, _): try add(key: prefix + Array(copying: id), field: [], json)
    case .match(let user, let other, let instant):
      let (user, other) = (Array(copying: user), Array(copying: other))
      try add(key: prefix + user, field: [Self.outward] + other, instant)
      try add(key: prefix + other, field: [Self.inward] + user, instant)
    case .position(let id, let position, let cell):
      let place = RedisPlaces.takes(position) ? ["\(position.longitude)", "\(position.latitude)"] : ["", ""]
      values.append(id)
      values.append(RedisPlaces.json(position, cell).span)
      for word in place { values.append(word) }
      try addedRow()
    case .entry(let key, let json):
      try add(key: prefix + Array(copying: key), field: [UInt8](decimal: rank), json)
    }
  }

  /// Sends the last batch, and waits until the server has processed all batches.
  ///
  /// - Throws: `refused` if an id or a pair is a duplicate; errors of the server.
  func end() throws {
    try send()
    try receive()
    if let refusal { throw refusal }
  }

  func count(table: Int, _ kind: TableKind) throws -> Int {
    // A match is stored under both of its sides.
    tables[table].taken / (kind.layout.shape == .match ? 2 : 1)
  }

  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool {
    let (prefix, connection) = (tables[table].prefix, lock.connection)
    switch row {
    case .document(let id, let json):
      return try connection.run("GET", prefix + id.utf8).bytes == json
    case .match(let user, let other, let instant):
      let (there, back) = ([Self.outward] + other.utf8, [Self.inward] + user.utf8)
      return try connection.run("HGET", prefix + user.utf8, there).bytes == instant
        && connection.run("HGET", prefix + other.utf8, back).bytes == instant
    case .position(let id, let position):
      let places = RedisPlaces(connection, lock.keys, generation: generation, entity: tables[table].name)
      return try places.position(of: id) == position && places.isFound(id, position)
    case .entry(let key, let rank, let json):
      return try connection.run("LINDEX", prefix + key, [UInt8](decimal: rank - 1)).bytes == json
    }
  }

  func keepAlive() throws { try lock.renew() }

  private func add(key: [UInt8], field: [UInt8], _ value: Span<UInt8>) throws {
    if refusal != nil { return }
    keys.append(key.span)
    values.append(field.span)
    values.append(value)
    try addedRow()
  }

  private func addedRow() throws {
    rows += 1
    let isFull = keys.body.count + values.body.count >= Self.batchBytes || rows >= Self.batchRows
    if isFull || lock.isDue { try send() }
  }

  private func send() throws {
    guard rows > 0, let table = tables.last else { return }
    try receive()
    let script: String
    switch table.kind.layout.shape {
    case .document, .match: script = RedisScripts.load
    case .entry: script = RedisScripts.loadEntries
    case .position:
      script = RedisScripts.loadPositions
      keys.append([
        lock.keys.positions(of: generation, table.name), lock.keys.places(of: generation, table.name),
        lock.keys.outside(of: generation, table.name),
      ])
    }
    try lock.connection.send(lock.evaluation(script, keys: keys, values))
    underWay = (rows, tables.count - 1)
    keys.removeAll()
    values.removeAll()
    rows = 0
  }

  private func receive() throws {
    guard let (rows, table) = underWay else { return }
    underWay = nil
    guard let taken = try lock.connection.reply().integer else {
      preconditionFailure("the script did not return a number")
    }
    tables[table].taken += taken
    if taken != rows, refusal == nil {
      let name = "\(tables[table].kind.rawValue) '\(tables[table].name)'"
      refusal = .refusal(lock.address, "\(name) contains an id or a pair twice")
    }
  }
}
