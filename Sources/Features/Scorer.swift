package import Tables

/// One user's predictions: the model laid out for the feature space.
///
/// A score is the base plus one contribution per feature, added in the order of features: the one order in which
/// every search and every explanation adds, so that their scores are equal to the last bit.
package struct Scorer: Sendable {
  private enum Part: Sendable {
    /// The contribution of each code, and that of a category which the user never met.
    case category([UInt32], [Double], unseen: Double)
    case number([Double], coefficient: Double, mean: Double)
    case distance(coefficient: Double, mean: Double)
  }

  package let base: Double
  private let parts: [Part]

  /// Lays `model` out for `space`.
  package init(_ model: UserModel, in space: FeatureSpace) {
    base = model.base
    let terms = Dictionary(uniqueKeysWithValues: model.terms.map { ($0.column, $0) })
    parts = space.features.map { feature in
      let term = terms[UInt32(feature.firstColumn)]
      switch feature.values {
      case .category(let codes, let vocabulary):
        let columns = UInt32(feature.firstColumn)..<UInt32(feature.firstColumn + vocabulary.count)
        // In the model's own order of terms: a sum has one order.
        let met = model.terms.filter { columns.contains($0.column) }
        let unseen = -met.reduce(0) { $0 + $1.coefficient * $1.mean }
        let table = columns.map { unseen + (terms[$0]?.coefficient ?? 0) }
        return .category(codes, table, unseen: unseen)
      case .number(let values, _, _):
        return .number(values, coefficient: term?.coefficient ?? 0, mean: term?.mean ?? 0)
      case .distance:
        return .distance(coefficient: term?.coefficient ?? 0, mean: term?.mean ?? 0)
      }
    }
  }

  /// What the feature at `index` adds to the score of `candidate`: `w (x - mean)`, and 0 where x is missing.
  ///
  /// - Parameters:
  ///   - index: Index of the feature in the space.
  ///   - candidate: Row of the candidate.
  ///   - distance: Kilometres to the candidate; NaN where unknown.
  /// - Returns: The contribution, in units of the values learned from.
  package func contribution(of index: Int, candidate: Int, distance: Double) -> Double {
    switch parts[index] {
    case .category(let codes, let table, let unseen):
      let code = codes[candidate]
      return code == CategoryColumn.missing ? unseen : table[Int(code)]
    case .number(let values, let coefficient, let mean):
      let value = values[candidate]
      return value.isNaN ? 0 : coefficient * (value - mean)
    case .distance(let coefficient, let mean):
      return distance.isNaN ? 0 : coefficient * (distance - mean)
    }
  }

  /// The prediction for `candidate`, in units of the values learned from.
  package func score(candidate: Int, distance: Double) -> Double {
    var score = base
    for index in parts.indices {
      score += contribution(of: index, candidate: candidate, distance: distance)
    }
    return score
  }
}
