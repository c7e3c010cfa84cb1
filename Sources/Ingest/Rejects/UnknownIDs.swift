internal import Concurrency

/// For each unknown id, the number of dangling rows that refer to it.
///
/// If one account is deleted, all rows that refer to it dangle. If the rows of many accounts dangle at once,
/// the export of an entity is probably incomplete.
struct UnknownIDs: Sendable {
  /// The number of unknown ids whose rows the check of `dangling_rise` ignores. These are the ids with the
  /// most rows. `NewestUsers` tolerates the loss of the same number of users.
  static let exempt = NewestUsers.count - 1

  /// The maximum number of ids that are counted. More unknown ids cannot result from the deletion of a few
  /// accounts.
  static let limit = 100_000

  private var rows: [UInt64: Int] = [:]

  /// Counts a row that refers to `id`. After an erasure, the log contains empty texts instead of ids. An
  /// empty id is not counted.
  mutating func add(_ id: String) {
    guard !id.isEmpty else { return }
    add(Mix64.finalized(Mix64.hash(id.utf8.span)), 1)
  }

  /// Adds the rows of a later part of the source.
  mutating func add(_ part: UnknownIDs) {
    // The order decides which ids are counted at the limit, so it must be the same in each process.
    let isClose = rows.count + part.rows.count > Self.limit
    if isClose {
      for (id, count) in part.rows.sorted(by: { $0.key < $1.key }) { add(id, count) }
    } else {
      for (id, count) in part.rows { add(id, count) }
    }
  }

  private mutating func add(_ id: UInt64, _ count: Int) {
    if rows.count < Self.limit {
      rows[id, default: 0] += count
    } else if let index = rows.index(forKey: id) {
      rows.values[index] += count
    }
  }

  /// Returns the number of rows of the `count` ids with the most rows.
  func rows(ofMostFrequent count: Int) -> Int {
    rows.values.sorted(by: >).prefix(count).reduce(0, +)
  }
}
