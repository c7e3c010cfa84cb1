internal import Columns
package import RunSchemas

/// What users decided after the cut on candidates who existed at it: the truth that lists and scores are judged by.
///
/// A pair's latest test interaction is its decision: a like if its value is above 0; none if it is a retraction. Rows are those
/// of the cut snapshot.
package struct LaterDecisions: Sendable {
  /// By user: the decisions of user u are those at `offsets[u]..<offsets[u + 1]`, in the order of candidates.
  package let offsets: [Int]
  package let candidates: [UInt32]
  package let isLike: [Bool]
  package let counts: Counts

  /// Where test interactions went.
  package struct Counts: Hashable, Sendable {
    /// All of them.
    package var interactions = 0
    /// Of users, and with candidates, who did not exist as of the cut.
    package var ofLaterUsers = 0
    package var withLaterCandidates = 0
    /// With candidates on whom the user had decided before, not taken back by the cut, in a ranking that shows no candidate
    /// twice.
    package var decidedBefore = 0
    /// Followed by another with the same candidate.
    package var notTheLatest = 0
    /// Those that take back, and what they took back.
    package var takenBack = 0
    package var likes = 0
    package var passes = 0
  }

  package var userCount: Int { offsets.count - 1 }

  package func range(ofUser user: Int) -> Range<Int> { offsets[user]..<offsets[user + 1] }

  /// The candidates that `user` later liked.
  package func relevant(of user: Int) -> Set<UInt32> {
    Set(range(ofUser: user).filter { isLike[$0] }.map { candidates[$0] })
  }
}

extension LaterDecisions {
  /// Judges the test part of `table`.
  ///
  /// - Parameters:
  ///   - table: All interactions, also those that were taken back; NaN is the value of what takes back.
  ///   - isTest: By index of the interaction.
  ///   - users: The new row of each user; `UInt32.max` for who did not exist as of the cut.
  ///   - candidates: The same of candidates.
  ///   - userCount: How many users the cut snapshot has.
  ///   - omitsDecided: Whether pairs with an interaction in the learning part are left out.
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
        // In the order of time: what was taken back by the cut was shown again.
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
