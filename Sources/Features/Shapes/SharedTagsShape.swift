/// The overlap (Jaccard index) of the user's and the candidate's sets, from 0 to 1.
package struct SharedTagsShape: ValueShape {
  /// One set per row. Both sides use the codes of one vocabulary.
  let users: CodeSets
  let candidates: CodeSets

  package init(users: CodeSets, candidates: CodeSets) {
    self.users = users
    self.candidates = candidates
  }

  package var words: [String] { ["little", "much"] }

  package func value(user: Int, candidate: Int, distance: Double) -> Double {
    CodeSets.overlap(users[user], candidates[candidate])
  }

  package func own(ofUser user: Int) -> UserOwnValue { UserOwnValue(isMissing: users[user].isEmpty) }

  /// Returns a summary of the size of the candidate's set, and of the set's codes modulo 64.
  package func summary(of candidate: Int) -> FeatureSummary {
    let set = candidates[candidate]
    var summary = FeatureSummary(number: set.isEmpty ? .nan : Double(set.count))
    for code in set { summary.codes |= FeatureSummary.bit(code) }
    return summary
  }

  package func bound(ofUser user: Int) -> ValueBound {
    let own = users[user]
    // The number of the user's codes in each class modulo 64.
    var counts = [Double](repeating: 0, count: 64)
    for code in own { counts[Int(code % 64)] += 1 }
    return { [counts, size = Double(own.count)] group, _ in
      guard group.hasValues else {
        return .none(hasMissing: group.hasMissing)
      }
      return ValueRange(
        low: 0, high: Self.greatest(size, counts, in: group), hasMissing: group.hasMissing)
    }
  }

  /// Returns an upper bound on the overlap of the user's set with a set of the group.
  ///
  /// For set sizes u and s with c common codes, the overlap is c / (u + s - c). The overlap grows with c and
  /// falls with s. At most m of the user's codes occur in the group, so c is at most min(m, s). The set size
  /// nearest to m therefore gives the upper bound. Sizes are small integers, so the sums are exact, and the
  /// rounded division is still monotonic.
  private static func greatest(_ own: Double, _ counts: [Double], in group: FeatureSummary) -> Double {
    var inCommon = 0.0
    var rest = group.codes
    while rest != 0 {
      inCommon += counts[rest.trailingZeroBitCount]
      rest &= rest - 1
    }
    let size = min(max(inCommon, group.low), group.high)
    let common = min(inCommon, size)
    return common / (own + size - common)
  }
}
