internal import Concurrency

extension Bootstrap {
  /// The largest number of users or clusters that the bootstrap draws one by one. Larger numbers are divided
  /// into groups, and the bootstrap draws these groups.
  package static let largestUserCount = 4_000

  /// Returns the group number of each user or cluster of users. The bootstrap draws whole groups.
  ///
  /// Up to `largestUserCount` users, every user is a group. More groups would take more time without
  /// improving the interval. Therefore, larger numbers of users are assigned at random to 2,000 groups of
  /// about equal size. The variance of the mean stays about the same.
  package static func userGroups(count: Int, seed: UInt64) -> [Int] {
    guard count > largestUserCount else { return Array(0..<count) }
    var order = Array(0..<count)
    var random = SplitMix64(seed: seed &+ 1)
    order.shuffle(using: &random)
    var groups = [Int](repeating: 0, count: count)
    for (place, user) in order.enumerated() { groups[user] = place % 2_000 }
    return groups
  }
}
