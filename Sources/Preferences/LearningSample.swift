internal import Reproducible
internal import Tables

/// The users that a prior is learned from: all who have interactions, or so many of them.
///
/// Who is drawn depends on the id and the seed alone.
struct LearningSample {
  /// Means and variances of 20 000 people are known to a hundredth of their spread: nothing is gained with more.
  static let mostUsers = 20_000
  /// Bytes for sums of products and what an estimation keeps beside them.
  static let mostBytes = 256 << 20

  /// How many users fit, with sums of `order` parameters: 12 bytes for each product, at least 200 users.
  static func limit(order: Int) -> Int {
    min(mostUsers, max(200, mostBytes / (12 * order * order)))
  }

  /// Users with interactions, in the order in which they are drawn.
  let drawn: [Int]

  init(_ rows: LearningRows, ids: StringColumn, seed: UInt64) {
    let active = (0..<rows.userCount).filter { !rows.table.range(ofUser: $0).isEmpty }
    let mixed = active.map { (mix: Mix64.finalized(Mix64.hash(ids.bytes($0)) ^ seed), user: $0) }
    drawn = mixed.sorted { ($0.mix, $0.user) < ($1.mix, $1.user) }.map(\.user)
  }

  /// The first `limit` that `isWanted`, in ascending order.
  func users(limit: Int, where isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
    drawn.lazy.filter(isWanted).prefix(limit).sorted()
  }
}
