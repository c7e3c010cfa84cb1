/// The candidate's number minus the user's number. If `isAbsolute` is true, the value is the absolute
/// difference.
package struct DifferenceShape: ValueShape {
  /// One number per row; NaN means a missing number.
  let users: [Double]
  let candidates: [Double]
  let isAbsolute: Bool
  /// The numbers for learning rows; NaN if the number is missing or beyond the bounds.
  var learnedUsers: [Double]
  var learnedCandidates: [Double]

  package init(users: [Double], candidates: [Double], isAbsolute: Bool) {
    self.users = users
    self.candidates = candidates
    self.isAbsolute = isAbsolute
    (learnedUsers, learnedCandidates) = (users, candidates)
  }

  package var form: SearchForm { isAbsolute ? .absoluteDifference : .difference }
  package var words: [String] { isAbsolute ? ["small", "large"] : ["low", "high"] }
  package var candidateNumbers: [Double]? { candidates }
  package var learningColumns: LearningColumns { LearningColumns(numbers: [learnedCandidates]) }

  /// Returns the value for two numbers; NaN if either is missing.
  package static func value(_ user: Double, _ candidate: Double, isAbsolute: Bool) -> Double {
    isAbsolute ? abs(candidate - user) : candidate - user
  }

  package func value(user: Int, candidate: Int, distance: Double) -> Double {
    Self.value(users[user], candidates[candidate], isAbsolute: isAbsolute)
  }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double {
    Self.value(learnedUsers[pair.user], learnedCandidates[pair.candidate], isAbsolute: isAbsolute)
  }

  package func own(ofUser user: Int) -> UserOwnValue {
    UserOwnValue(isMissing: users[user].isNaN, number: users[user])
  }

  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary(number: candidates[candidate]) }

  package func bound(ofUser user: Int) -> ValueBound {
    let own = users[user]
    guard isAbsolute else {
      return { group, _ in
        ValueRange(low: group.low - own, high: group.high - own, hasMissing: group.hasMissing)
      }
    }
    return { group, _ in
      guard group.hasValues else {
        return .none(hasMissing: group.hasMissing)
      }
      let (low, high) = (abs(group.low - own), abs(group.high - own))
      let isInside = group.low <= own && own <= group.high
      return ValueRange(
        low: isInside ? 0 : min(low, high), high: max(low, high), hasMissing: group.hasMissing)
    }
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    let own = learnedUsers[rows.user]
    for place in 0..<rows.count {
      values[base + place] = Self.value(own, rows.numbers[place], isAbsolute: isAbsolute)
    }
  }
}
