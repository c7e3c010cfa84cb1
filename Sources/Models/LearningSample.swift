internal import Columns
internal import Concurrency
internal import RunSchemas

/// The users whose rows determine a prior: all users with interactions, or a sample of limited size.
///
/// The sample depends only on ids and the seed.
struct LearningSample {
  /// With 20 000 users, means and variances are accurate to a hundredth of their spread. More users add
  /// little.
  static let mostUsers = 20_000
  /// With fewer users, variances are mostly noise, so this minimum applies even beyond the memory limit.
  static let leastUsers = 100
  /// The memory limit in bytes for the sums of the users, and separately for their rows if these are stored.
  static let mostBytes = 256 << 20

  /// The number of users whose sums of `order` parameters fit into memory.
  static func limit(order: Int) -> Int {
    min(mostUsers, max(leastUsers, mostBytes / bytesPerUser(order: order)))
  }

  /// The memory per user: two packed sums and the inverse. There are two sums, because a choice keeps the
  /// sums of all columns and of its current columns.
  static func bytesPerUser(order: Int) -> Int {
    2 * 8 * (order * (order + 1) / 2) + 8 * order * order
  }

  /// The number of rows that fit into memory, each with `order` elements, array overhead and a value.
  static func rowLimit(order: Int) -> Int { mostBytes / (8 * order + 64) }

  /// The users with interactions, in the order in which they are drawn.
  let drawn: [Int]

  init(_ rows: LearningRows, ids: StringColumn, seed: UInt64) {
    let active = (0..<rows.userCount).filter { !rows.table.range(ofUser: $0).isEmpty }
    let mixed = active.map { (mix: Mix64.finalized(Mix64.hash(ids.bytes($0)) ^ seed), user: $0) }
    drawn = mixed.sorted { ($0.mix, $0.user) < ($1.mix, $1.user) }.map(\.user)
  }

  /// The first `limit` drawn users for whom `isWanted` returns true, in ascending order.
  func users(limit: Int, where isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
    drawn.lazy.filter(isWanted).prefix(limit).sorted()
  }
}
