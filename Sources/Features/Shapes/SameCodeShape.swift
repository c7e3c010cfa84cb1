internal import Columns

/// A value of 1 if the user's code equals the candidate's code, otherwise 0. Both codes come from one
/// vocabulary.
package struct SameCodeShape: ValueShape {
  /// One code per row.
  let users: [UInt32]
  let candidates: [UInt32]

  package init(users: [UInt32], candidates: [UInt32]) {
    self.users = users
    self.candidates = candidates
  }

  package var form: SearchForm { .sameCode }
  package var words: [String] { ["no", "yes"] }
  package var wordThreshold: Double? { 0.5 }
  package var candidateCodes: [UInt32]? { candidates }
  package var learningColumns: LearningColumns { LearningColumns(codes: candidates) }

  /// Returns the value for two codes; NaN if either is missing.
  package static func value(_ user: UInt32, _ candidate: UInt32) -> Double {
    if user == CategoryColumn.missing || candidate == CategoryColumn.missing { return .nan }
    return user == candidate ? 1 : 0
  }

  package func value(user: Int, candidate: Int, distance: Double) -> Double {
    Self.value(users[user], candidates[candidate])
  }

  package func own(ofUser user: Int) -> UserOwnValue {
    UserOwnValue(isMissing: users[user] == CategoryColumn.missing, code: users[user])
  }

  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary(code: candidates[candidate]) }

  package func bound(ofUser user: Int) -> ValueBound {
    let own = FeatureSummary.bit(users[user])
    return { group, _ in group.range(ofFlag: own) }
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    let own = users[rows.user]
    for place in 0..<rows.count { values[base + place] = Self.value(own, rows.codes[place]) }
  }
}
