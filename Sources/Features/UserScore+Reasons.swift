internal import Tables

/// A published reason before it has a name.
package struct Contribution: Sendable {
  /// Index in the space.
  package var feature: Int
  package var amount: Double
}

extension UserScore {
  /// Writes what is published of a prediction: the three largest positive contributions that users may be told, largest
  /// first, equal ones in the order of features. The same as `[Reason].published`.
  ///
  /// - Parameters:
  ///   - space: The features that the model was laid out for.
  ///   - candidate: Row of the candidate.
  ///   - distance: Kilometres to the candidate; NaN where unknown.
  ///   - published: Receives at most three.
  package func writeReasons(
    _ space: FeatureSpace, candidate: Int, distance: Double, to published: inout [Contribution]
  ) {
    published.removeAll(keepingCapacity: true)
    for part in parts where space.features[part.feature].isPublic {
      let amount = contribution(part, space, candidate: candidate, distance: distance)
      guard amount > 0 else { continue }
      let place = published.firstIndex { $0.amount < amount } ?? published.count
      if place == 3 { continue }
      if published.count == 3 { published.removeLast() }
      published.insert(Contribution(feature: part.feature, amount: amount), at: place)
    }
  }

  /// What one feature adds to the score of a candidate: the bits of `Scorer.contribution`.
  private func contribution(
    _ part: Part, _ space: FeatureSpace, candidate: Int, distance: Double
  ) -> Double {
    switch space.features[part.feature].values {
    case .category(let codes, _):
      let code = codes[candidate]
      return code == CategoryColumn.missing ? part.missing : tables[part.table + Int(code)]
    case .number(let values, _, _):
      return part.contribution(of: values[candidate])
    case .received(let rates):
      return part.contribution(of: rates.values[candidate])
    case .distance:
      return part.contribution(of: distance)
    case .same(_, let codes):
      let code = codes[candidate]
      return code == CategoryColumn.missing ? 0 : part.contribution(of: code == part.code ? 1 : 0)
    case .difference(_, let values, let isAbsolute):
      return part.contribution(of: FeatureSpace.difference(part.user, values[candidate], isAbsolute))
    case .overlap, .text:
      return setOrText(part, space, row: candidate)
    }
  }
}

extension UserScore.Part {
  /// `w (x - mean)`, and 0 where x is missing.
  @inline(__always)
  func contribution(of value: Double) -> Double {
    value.isNaN ? 0 : coefficient * (value - mean)
  }
}
