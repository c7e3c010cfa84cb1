internal import Concurrency

/// The number of rows of each account, to ignore most rows of a few accounts when a limit is checked.
///
/// A single account can write many faulty rows, for example because the clock of its phone is wrong. If many
/// accounts have such rows, the export is probably broken. Likewise, all rows that refer to a deleted account
/// dangle. If the rows of many unknown ids dangle at once, an export of entities is probably incomplete.
struct RowsByAccount: Sendable {
  /// The number of accounts whose rows are ignored. These are the accounts with the most rows. `NewestUsers`
  /// tolerates the loss of the same number of users.
  static let exempt = NewestUsers.count - 1

  /// The number of accounts that `trim` keeps. It bounds the memory of this value.
  static let limit = 100_000

  /// The number of rows by account; see `account(_:)`.
  private var rows: [UInt64: Int] = [:]

  /// Returns the account with this id, as a number. Two ids have the same number only by chance.
  static func account(_ id: Span<UInt8>) -> UInt64 { Mix64.finalized(Mix64.hash(id)) }

  /// Counts a row of the account `id`. After an erasure, the log contains empty texts instead of ids. An empty
  /// id is not counted.
  mutating func add(_ id: String) {
    guard !id.isEmpty else { return }
    add(Self.account(id.utf8.span))
  }

  /// Counts `count` rows of an account.
  mutating func add(_ account: UInt64, _ count: Int = 1) {
    rows[account, default: 0] += count
    if rows.count >= 2 * Self.limit { trim() }
  }

  /// Adds the rows of a later part of the source.
  mutating func add(_ part: RowsByAccount) {
    // The order of the accounts differs between processes, so `trim` waits until all of them are added.
    for (account, count) in part.rows { rows[account, default: 0] += count }
    if rows.count >= 2 * Self.limit { trim() }
  }

  /// Forgets the accounts with the fewest rows. Accounts with equally many rows are kept or forgotten
  /// together, so the result does not depend on their order.
  private mutating func trim() {
    let most = rows.values.sorted(by: >)[Self.limit]
    rows = rows.filter { $0.value > most }
  }

  /// Returns the number of rows of the `count` accounts with the most rows, without `least` rows of each
  /// account.
  func rows(ofMostFrequent count: Int, beyond least: Int = 0) -> Int {
    rows.values.sorted(by: >).prefix(count).reduce(0) { $0 + max($1 - least, 0) }
  }

  /// The number of rows that do not count toward a limit: the rows of the exempt accounts, without one row of
  /// each account.
  var beyondFirst: Int { rows(ofMostFrequent: Self.exempt, beyond: 1) }

  /// Returns the number of rows that do not count toward a limit, given the number of rows of each account.
  static func beyondFirst(_ rows: [UInt32]) -> Int {
    // The greatest numbers so far, in ascending order. Sorting all numbers would take longer.
    var greatest = Array(repeating: UInt32(1), count: exempt)
    for count in rows where count > greatest[0] {
      greatest[0] = count
      greatest.sort()
    }
    return greatest.reduce(0) { $0 + Int($1) - 1 }
  }
}
