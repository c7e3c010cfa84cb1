internal import Columns
internal import Concurrency
internal import RunSchemas

/// The users whose rows determine a prior: all users with interactions, or a sample of limited size.
///
/// The sample depends only on ids and the seed.
struct LearningSample {
  /// The largest number of users in a sample. With 20 000 users, the standard error of a mean is less than a
  /// hundredth of the standard deviation between users. More users add little accuracy.
  static let mostUsers = 20_000
  /// The smallest number of users in a sample, unless fewer users have interactions. With fewer users,
  /// variances are mostly noise, so this minimum takes precedence over the memory limit.
  static let leastUsers = 100
  /// The memory limit in bytes. It applies to the sums of the users and, if their rows are stored, separately
  /// to the rows.
  static let mostBytes = 256 << 20

  /// Returns the largest number of users in a sample whose sums have `order` parameters.
  static func limit(order: Int) -> Int {
    min(mostUsers, max(leastUsers, mostBytes / bytesPerUser(order: order)))
  }

  /// Returns the bytes per user: two packed triangles of sums and one inverse matrix. There are two
  /// triangles, because `choose` keeps the sums over all columns and over the kept columns.
  static func bytesPerUser(order: Int) -> Int {
    2 * 8 * (order * (order + 1) / 2) + 8 * order * order
  }

  /// Returns the number of rows that fit into `mostBytes`. A row has `order` elements, a value and the
  /// overhead of an array.
  static func rowLimit(order: Int) -> Int { mostBytes / (8 * order + 64) }

  /// The users with interactions, in the pseudorandom order in which they are drawn.
  let drawn: [Int]

  init(_ rows: LearningRows, ids: StringColumn, seed: UInt64) {
    let active = (0..<rows.userCount).filter { !rows.table.range(ofUser: $0).isEmpty }
    let mixed = active.map { (mix: Mix64.finalized(Mix64.hash(ids.bytes($0)) ^ seed), user: $0) }
    drawn = mixed.sorted { ($0.mix, $0.user) < ($1.mix, $1.user) }.map(\.user)
  }

  /// Returns the first `limit` drawn users for whom `isWanted` returns true, in ascending order.
  func users(limit: Int, where isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
    drawn.lazy.filter(isWanted).prefix(limit).sorted()
  }
}
