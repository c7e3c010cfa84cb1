internal import Columns
package import RunSchemas

/// The decisions of users, after the cut, on candidates who existed as of the cut. They are the ground truth
/// for lists and scores.
///
/// The decision of a user on a candidate is the latest test interaction of the user with the candidate. It is
/// a like if its value is at least the table's `likedFrom`. A retraction leaves no decision. Row numbers
/// refer to the cut snapshot.
package struct LaterDecisions: Sendable {
  /// The decisions of user u are at `offsets[u]..<offsets[u + 1]`, in ascending order of candidates.
  package let offsets: [Int]
  package let candidates: [UInt32]
  package let isLike: [Bool]
  package let counts: Counts

  /// The numbers of test interactions by outcome.
  package struct Counts: Hashable, Sendable {
    /// All test interactions.
    package var interactions = 0
    /// Interactions of users who did not exist as of the cut.
    package var ofLaterUsers = 0
    /// Interactions with candidates who did not exist as of the cut.
    package var withLaterCandidates = 0
    /// Interactions with candidates on whom the user had already decided as of the cut. They are counted only
    /// if the ranking excludes such candidates.
    package var decidedBefore = 0
    /// Interactions that a later interaction with the same candidate replaced.
    package var notTheLatest = 0
    /// Retractions, and the decisions that they removed.
    package var takenBack = 0
    package var likes = 0
    package var passes = 0
  }

  package var userCount: Int { offsets.count - 1 }

  /// Returns the indices of the decisions of `user`.
  package func range(ofUser user: Int) -> Range<Int> { offsets[user]..<offsets[user + 1] }

  /// Returns the candidates that `user` later liked.
  package func relevant(of user: Int) -> Set<UInt32> {
    Set(range(ofUser: user).filter { isLike[$0] }.map { candidates[$0] })
  }
}

extension LaterDecisions {
  /// Extracts the decisions from the test part of `table`.
  ///
  /// - Parameters:
  ///   - table: All interactions, including retracted ones; a retraction has the value NaN.
  ///   - isTest: Whether each interaction is in the test part.
  ///   - users: The row of each user in the cut snapshot; `UInt32.max` if the user did not exist as of the
  ///     cut.
  ///   - candidates: The row of each candidate in the cut snapshot; `UInt32.max` if the candidate did not
  ///     exist as of the cut.
  ///   - userCount: The number of users in the cut snapshot.
  ///   - omitsDecided: Whether to leave out interactions of a user with a candidate on whom the user decided
  ///     in the learning part.
  package init(
    _ table: InteractionTable, isTest: [Bool], users: [UInt32], candidates: [UInt32], userCount: Int,
    omitsDecided: Bool
  ) {
    var counts = Counts()
    var decisions = [[(candidate: UInt32, isLike: Bool)]](repeating: [], count: userCount)
    let (candidate, value) = (table.candidate.elements, table.value.elements)
    var known: Set<UInt32> = []
    var latest: [UInt32: Bool] = [:]
    for row in users.indices {
      known.removeAll(keepingCapacity: true)
      latest.removeAll(keepingCapacity: true)
      let range = table.range(ofUser: row)
      if omitsDecided {
        // A user's interactions are in chronological order. After a retraction, lists can contain the
        // candidate again.
        for index in range where !isTest[index] {
          if value[index].isNaN { known.remove(candidate[index]) } else { known.insert(candidate[index]) }
        }
      }
      for index in range where isTest[index] {
        counts.interactions += 1
        if users[row] == .max {
          counts.ofLaterUsers += 1
        } else if candidates[Int(candidate[index])] == .max {
          counts.withLaterCandidates += 1
        } else if known.contains(candidate[index]) {
          counts.decidedBefore += 1
        } else if value[index].isNaN {
          let wasDecided = latest.removeValue(forKey: candidates[Int(candidate[index])]) != nil
          counts.takenBack += wasDecided ? 2 : 1
        } else if latest.updateValue(
          value[index] >= table.likedFrom, forKey: candidates[Int(candidate[index])]) != nil
        {
          counts.notTheLatest += 1
        }
      }
      guard !latest.isEmpty else { continue }
      decisions[Int(users[row])] = latest.map { ($0.key, $0.value) }.sorted { $0.candidate < $1.candidate }
    }
    var offsets = [0]
    for list in decisions { offsets.append(offsets[offsets.count - 1] + list.count) }
    let isLike = decisions.flatMap { $0.map(\.isLike) }
    counts.likes = isLike.count { $0 }
    counts.passes = isLike.count - counts.likes
    self.init(
      offsets: offsets, candidates: decisions.flatMap { $0.map(\.candidate) }, isLike: isLike,
      counts: counts)
  }
}
