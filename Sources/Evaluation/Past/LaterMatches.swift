internal import Ranking
internal import RunSchemas

/// Pairs of users who matched after the cut.
struct LaterMatches: Hashable, Sendable {
  /// The row numbers of both users of each pair, the smaller number first. The pairs are in ascending order.
  var pairs: [[UInt32]]
  /// For each later decision, whether the user and the candidate like each other; `nil` if the candidate has
  /// not decided on the user, if both had already matched as of the cut, or if `leaveOut` left the decision
  /// out.
  var isMatch: [Bool?]

  /// Leaves out the decisions for which `isOmitted` is true, for example because the ranking could not list
  /// the candidate as of the cut.
  mutating func leaveOut(
    from decisions: LaterDecisions, where isOmitted: (_ user: Int) -> (_ candidate: UInt32) -> Bool
  ) {
    for user in 0..<decisions.userCount {
      let range = decisions.range(ofUser: user)
      guard range.contains(where: { isMatch[$0] != nil }) else { continue }
      let isOmitted = isOmitted(user)
      for index in range where isMatch[index] != nil && isOmitted(decisions.candidates[index]) {
        isMatch[index] = nil
      }
    }
  }

  /// Returns the number of pairs in which at least one user's list contains the other user, and the number of
  /// pairs in which each user's list contains the other user.
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

extension LaterMatches {
  /// Returns whether each of `decisions` led to a match. A decision led to a match if it is a like and the
  /// candidate's latest decision on the user is a like, too. The candidate's decision can be before or after
  /// the cut.
  ///
  /// - Parameters:
  ///   - decisions: The decisions after the cut.
  ///   - answers: All interactions, including retracted ones.
  ///   - kept: For each user of the cut snapshot, the user's row number in `answers`.
  /// - Returns: One element per decision; `nil` if the candidate has not decided on the user.
  static func labels(
    of decisions: LaterDecisions, answers: InteractionTable, keptRows kept: [Int]
  ) -> [Bool?] {
    let received = ReceivedInteractions(answers)
    var labels: [Bool?] = []
    var isLikeOfGiver: [Int: Bool] = [:]
    for user in 0..<decisions.userCount {
      let range = decisions.range(ofUser: user)
      guard !range.isEmpty else { continue }
      isLikeOfGiver.removeAll(keepingCapacity: true)
      received.forEachLatest(of: kept[user]) { giver, value in
        if !value.isNaN { isLikeOfGiver[Int(giver)] = value >= answers.likedFrom }
      }
      for index in range {
        labels.append(
          isLikeOfGiver[kept[Int(decisions.candidates[index])]].map { $0 && decisions.isLike[index] })
      }
    }
    return labels
  }
}
