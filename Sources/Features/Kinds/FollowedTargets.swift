internal import Columns
internal import Concurrency
internal import RunSchemas

/// Whether a user likes a candidate, or the candidate's owner, according to one kind of interaction.
/// Predictions use all interactions in the snapshot. A learning row uses only earlier interactions, so that
/// the future does not leak into the feature.
///
/// A pair's latest interaction decides. Retractions and passes do not count as likes.
package struct FollowedTargets: Sendable {
  /// For each user, the set of the liked targets' row numbers.
  let users: CodeSets
  /// For each candidate, the row of the target: the candidate itself or its owner. `CategoryColumn.missing`
  /// marks a candidate without a target.
  let targets: [UInt32]
  /// One value per learning row.
  let learned: [Double]

  /// Finds the liked targets and the values of the learning rows.
  ///
  /// - Parameters:
  ///   - history: The interactions, including interactions that were retracted later.
  ///   - targets: The row of each candidate's target.
  ///   - learning: The learning rows.
  ///   - threads: The number of workers; the result does not depend on it.
  init(_ history: InteractionTable, targets: [UInt32], learning: InteractionTable, threads: Int) {
    let count = history.userOffsets.count - 1
    let parts = parallelMap(count: count, chunkSize: 4096, threads: threads) { chunk in
      var part = LearnedPart()
      for user in chunk {
        let deeds = UserDeeds(of: user, in: history)
        part.liked.append(deeds.liked)
        for row in learning.range(ofUser: user) {
          let target = targets[Int(learning.candidate[row])]
          part.learned.append(
            target == CategoryColumn.missing ? .nan : deeds.liked(target, before: learning.at[row]) ? 1 : 0)
        }
      }
      return part
    }
    var offsets: [UInt64] = [0]
    var codes: [UInt32] = []
    for liked in parts.lazy.flatMap(\.liked) {
      codes += liked
      offsets.append(UInt64(codes.count))
    }
    users = CodeSets(offsets: offsets, codes: codes)
    self.targets = targets
    learned = parts.flatMap(\.learned)
  }

  /// Creates the feature without values of learning rows, for predictions of fitted models.
  package init(users: CodeSets, targets: [UInt32]) {
    (self.users, self.targets, learned) = (users, targets, [])
  }

  /// Returns 1 if the user likes the target, otherwise 0; NaN without a target.
  package func value(user: Int, candidate: Int, distance: Double) -> Double {
    let target = targets[candidate]
    if target == CategoryColumn.missing { return .nan }
    let liked = users[user]
    let index = liked.partitioningIndex { $0 >= target }
    return index < liked.endIndex && liked[index] == target ? 1 : 0
  }

  private struct LearnedPart: Sendable {
    var liked: [[UInt32]] = []
    var learned: [Double] = []
  }
}

extension FollowedTargets: ValueShape {
  package var words: [String] { ["no", "yes"] }
  package var wordThreshold: Double? { 0.5 }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double { learned[interaction] }

  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary(code: targets[candidate]) }

  package func bound(ofUser user: Int) -> ValueBound {
    let liked = users[user].reduce(0) { $0 | FeatureSummary.bit($1) }
    return { group, _ in group.range(ofFlag: liked) }
  }
}

/// The interactions of one user, grouped by target. Each group is in chronological order.
private struct UserDeeds {
  private var byTarget: [UInt32: [(at: Int64, isLike: Bool)]] = [:]

  init(of user: Int, in history: InteractionTable) {
    for row in history.range(ofUser: user) {
      // NaN marks a retraction, which does not count as a like.
      let isLike = history.value[row] >= history.likedFrom
      byTarget[history.candidate[row], default: []].append((history.at[row], isLike))
    }
  }

  /// The rows of the liked targets, ascending.
  var liked: [UInt32] { byTarget.filter { $0.value.last?.isLike ?? false }.keys.sorted() }

  func liked(_ target: UInt32, before moment: Int64) -> Bool {
    byTarget[target]?.last { $0.at < moment }?.isLike ?? false
  }
}
