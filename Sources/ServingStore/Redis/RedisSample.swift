import Reproducible

/// At most a thousand of the rows that were loaded, to be read back: which, does not depend on their order or their number.
///
/// A row is in it if a mix of its key is below a limit, which is halved whenever there are too many.
struct RedisSample {
  /// A row's place, and what to expect there.
  private struct Row {
    var rank: UInt64
    var key: [UInt8]
    /// Of a hash; empty if the key has the value itself.
    var field: [UInt8]
    var hash: UInt64
    var count: Int
  }

  static let limit = 1_000
  /// How many rows are asked for at once.
  private static let batch = 50

  private var rows: [Row] = []
  private var highest = UInt64.max

  var count: Int { rows.count }

  /// Takes a row that is loaded, maybe.
  mutating func offer(key: [UInt8], field: [UInt8], value: Span<UInt8>) {
    let rank = Mix64.pair(Mix64.hash(key.span), Mix64.hash(field.span), seed: 0)
    guard rank <= highest else { return }
    rows.append(Row(rank: rank, key: key, field: field, hash: Mix64.hash(value), count: value.count))
    while rows.count > Self.limit {
      highest /= 2
      rows.removeAll { $0.rank > highest }
    }
  }

  /// Reads the rows back.
  ///
  /// - Throws: `refused` where one is not there, or is not what was loaded.
  func verify(_ connection: RedisConnection, _ address: StoreAddress) throws {
    for start in stride(from: 0, to: rows.count, by: Self.batch) {
      let batch = rows[start..<min(start + Self.batch, rows.count)]
      for row in batch {
        try connection.send(
          row.field.isEmpty ? RedisCommand("GET", row.key) : RedisCommand("HGET", row.key, row.field))
      }
      for row in batch {
        let found = try connection.reply().bytes
        guard let found, found.count == row.count, Mix64.hash(found.span) == row.hash else {
          throw ServingStoreError.refusal(address, "a row that was loaded reads back otherwise")
        }
      }
    }
  }
}
