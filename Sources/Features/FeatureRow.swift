internal import Columns

extension FeatureSpace {
  /// Writes the value of every column for one pair, NaN where it is missing.
  ///
  /// - Parameters:
  ///   - row: One element per column.
  ///   - user: Row of the user.
  ///   - candidate: Row of the candidate.
  ///   - distance: Kilometres between them; NaN where unknown.
  ///   - interaction: Index of the interaction that is learned from, whose own outcome is left out of what others did
  ///     to the candidate; `nil` for a prediction.
  /// - Complexity: O(columns).
  package func fill(
    _ row: inout [Double], user: Int, candidate: Int, distance: Double, learningFrom interaction: Int?
  ) {
    precondition(row.count == columns.count, "\(row.count) elements for \(columns.count) columns")
    for feature in features {
      let first = feature.firstColumn
      switch feature.values {
      case .category(let codes, _):
        let code = codes[candidate]
        let isMissing = code == CategoryColumn.missing
        for column in feature.columns { row[column] = isMissing ? .nan : 0 }
        if !isMissing { row[first + Int(code)] = 1 }
      case .number(let values, _, _):
        row[first] = values[candidate]
      case .received(let rates):
        row[first] =
          interaction.map { rates.leavingOut($0, user: user, candidate: candidate) }
          ?? rates.values[candidate]
      case .computed(let computed):
        row[first] = interaction.map { computed.learned[$0] } ?? computed.values[candidate]
      case .distance:
        row[first] = distance
      case .same(let users, let candidates):
        row[first] = Self.same(users[user], candidates[candidate])
      case .difference(let users, let candidates, let isAbsolute):
        row[first] = Self.difference(users[user], candidates[candidate], isAbsolute)
      case .overlap(let users, let candidates):
        row[first] = CodeSets.overlap(users[user], candidates[candidate])
      case .follows(let followed):
        row[first] =
          interaction.map { followed.learned[$0] } ?? followed.value(user: user, candidate: candidate)
      case .text(let vectors):
        for (column, component) in zip(feature.columns, vectors[candidate]) {
          row[column] = Double(component)
        }
      }
    }
  }

  /// 1 for equal codes, else 0; NaN where one is missing.
  package static func same(_ user: UInt32, _ candidate: UInt32) -> Double {
    if user == CategoryColumn.missing || candidate == CategoryColumn.missing { return .nan }
    return user == candidate ? 1 : 0
  }

  package static func difference(_ user: Double, _ candidate: Double, _ isAbsolute: Bool) -> Double {
    isAbsolute ? abs(candidate - user) : candidate - user
  }
}
