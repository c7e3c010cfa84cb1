internal import Concurrency

extension Bootstrap {
  /// Above so many users, groups of users are drawn instead of users.
  package static let largestUserCount = 4_000

  /// Of each of `count` users, or clusters of users, the number of the group that is drawn at once.
  ///
  /// Up to `largestUserCount` every user is a group. Many more would make a thousand samples slow without making an
  /// interval better: then users are dealt at random into 2 000 groups of about equal size, whose sums vary as those of
  /// users do.
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
