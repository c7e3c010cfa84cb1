/// Sends the rows of a generation to Redis, in batches of which one is under way while the next is put together.
///
/// A match stands in the hashes of both of its sides, under a field of the other's id: with `>` before it in the hash of the
/// side that was loaded first, with `<` in the other one. So a pair that is loaded twice is found out, and a match that is
/// loaded in both directions stands in all its forms.
final class RedisSink: GenerationSink {
  /// Before the other's id: how the match was loaded, seen from the hash's side.
  static let (outward, inward) = (UInt8(ascii: ">"), UInt8(ascii: "<"))

  /// How many bytes and keys go to the server at once: it does nothing else meanwhile.
  private static let (batchBytes, batchRows) = (1 << 18, 1_000)

  private let lock: RedisLock
  private let generation: Int
  /// A table that was begun: what its keys begin with, its name for messages, and how many rows the server has taken.
  private struct Table {
    var prefix: [UInt8] = []
    var name = ""
    var taken = 0
  }

  /// The last one is open.
  private var tables: [Table] = []
  private var prefix: [UInt8] { tables.last?.prefix ?? [] }
  /// The batch that is put together.
  private var keys = RedisCommand()
  private var values = RedisCommand()
  /// The batch whose reply has not come: all of it is of one table.
  private var underWay: (rows: Int, table: Int)?
  /// What the server did not take. Thrown at the end alone: told while a later row is added, it would seem to be that row's.
  private var refusal: ServingStoreError?
  private(set) var sample = RedisSample()

  init(_ lock: RedisLock, generation: Int) {
    self.lock = lock
    self.generation = generation
  }

  func begin(_ kind: TableKind, _ name: String) throws {
    try send()
    tables.append(
      Table(prefix: lock.keys.rows(of: generation, kind, name), name: "\(kind.rawValue) '\(name)'"))
  }

  func add(_ id: Span<UInt8>, _ json: Span<UInt8>) throws {
    try add(key: prefix + Array(copying: id), field: [], json)
  }

  func add(match user: Span<UInt8>, _ other: Span<UInt8>, at: Span<UInt8>) throws {
    let (user, other) = (Array(copying: user), Array(copying: other))
    try add(key: prefix + user, field: [Self.outward] + other, at)
    try add(key: prefix + other, field: [Self.inward] + user, at)
  }

  /// Sends what is left, and waits until the server has taken all.
  ///
  /// - Throws: `refused` where the same id, or pair, came twice.
  func end() throws {
    try send()
    try receive()
    if let refusal { throw refusal }
  }

  func count(table: Int, _ kind: TableKind) throws -> Int {
    // A match stands under both of its sides.
    tables[table].taken / (kind == .matches ? 2 : 1)
  }

  func stored(table: Int, _ kind: TableKind, id: StoredID) throws -> [UInt8]? {
    try lock.connection.run("GET", tables[table].prefix + id.utf8).bytes
  }

  private func add(key: [UInt8], field: [UInt8], _ value: Span<UInt8>) throws {
    // Nothing will be published: the rest needs no sending.
    if refusal != nil { return }
    keys.append(key.span)
    values.append(field.span)
    values.append(value)
    sample.offer(key: key, field: field, value: value)
    let isFull = keys.body.count + values.body.count >= Self.batchBytes || keys.count >= Self.batchRows
    if isFull || lock.isDue { try send() }
  }

  private func send() throws {
    guard keys.count > 0 else { return }
    try receive()
    try lock.connection.send(lock.evaluation(RedisScripts.load, keys: keys, values))
    underWay = (keys.count, tables.count - 1)
    keys.removeAll()
    values.removeAll()
  }

  private func receive() throws {
    guard let (rows, table) = underWay else { return }
    underWay = nil
    guard let taken = try lock.connection.reply().integer else {
      preconditionFailure("the script returns a number")
    }
    tables[table].taken += taken
    if taken != rows, refusal == nil {
      refusal = .refusal(lock.address, "\(tables[table].name) has the same id, or pair, twice")
    }
  }
}
