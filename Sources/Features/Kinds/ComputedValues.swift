internal import Columns
internal import Concurrency
internal import PipelineFile
internal import RunSchemas

/// A computed attribute as a feature: by candidate for predictions, and by learning row for learning. A row's value leaves out
/// what the row's own user did to the candidate; otherwise the outcome would leak into the feature.
package struct ComputedValues: Sendable {
  /// By candidate, from everything received; NaN is missing.
  package let values: [Double]
  /// By interaction that is learned from.
  package let learned: [Double]

  /// - Parameters:
  ///   - values: By candidate.
  ///   - attribute: How they were worked out.
  ///   - received: The interactions that they were worked out from.
  ///   - learning: The interactions that are learned from.
  ///   - groups: By candidate the group of means; `nil` where all are one group.
  ///   - isOfUsers: Whether those who did the former are of the kind that learns: else nothing is left out.
  ///   - threads: Workers over users; the result does not depend on them.
  init(
    _ values: [Double], of attribute: Pipeline.ComputedAttribute, received: InteractionTable,
    learning: InteractionTable, groups: CategoryColumn?, isOfUsers: Bool, threads: Int
  ) {
    self.values = values
    let sums = ReceivedSums(received)
    var means: ShrunkenMeans?
    if case .shrunkenMean(let strength, _) = attribute.measure {
      means = ShrunkenMeans(sums, strength: strength, groups: groups)
    }
    let users = learning.userOffsets.count - 1
    let parts = parallelMap(count: users, chunkSize: 4096, threads: threads) { [means] chunk in
      var part: [Double] = []
      let candidates = learning.candidate.span
      for user in chunk {
        let rows = learning.range(ofUser: user)
        if rows.isEmpty { continue }
        let own = isOfUsers ? received.given(by: user) : [:]
        for row in rows {
          let candidate = Int(candidates[row])
          let (count, sum) = own[candidates[row]] ?? (0, 0)
          part.append(
            means?.value(of: candidate, leavingOut: count, sum: sum) ?? (sums.counts[candidate] - count))
        }
      }
      return part
    }
    learned = parts.flatMap { $0 }
  }
}

extension ComputedValues: CandidateNumbers {
  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double { learned[interaction] }
}

extension InteractionTable {
  /// What `user` did, by candidate: how many interactions, and the sum of their values.
  fileprivate func given(by user: Int) -> [UInt32: (count: Double, sum: Double)] {
    var given: [UInt32: (count: Double, sum: Double)] = [:]
    for row in range(ofUser: user) {
      let before = given[candidate[row]] ?? (0, 0)
      given[candidate[row]] = (before.count + 1, before.sum + value[row])
    }
    return given
  }
}
