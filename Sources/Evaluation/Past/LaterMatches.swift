/// Pairs of users who matched after the cut.
struct LaterMatches: Hashable, Sendable {
  /// The rows of both users of each pair, the smaller first, in ascending order of pairs.
  var pairs: [[UInt32]]

  /// The number of pairs in which at least one user's list contains the other user, and the number of pairs
  /// in which both lists do.
  func found(in lists: MethodLists) -> (onOne: Int, onBoth: Int) {
    var (onOne, onBoth) = (0, 0)
    for pair in pairs {
      let there = lists[Int(pair[0])].contains(pair[1])
      let back = lists[Int(pair[1])].contains(pair[0])
      if there || back { onOne += 1 }
      if there && back { onBoth += 1 }
    }
    return (onOne, onBoth)
  }
}
