internal import Columns
package import RunSchemas

/// One user's predictions: the model laid out for the feature space.
///
/// A score is the base plus one contribution per feature, added in the order of features: the one order in which
/// every search and every explanation adds, so that their scores are equal to the last bit.
package struct Scorer: Sendable {
  /// One feature as this user sees it.
  package enum Part: Sendable {
    /// The contribution of each code, and that of a missing one.
    case category([UInt32], [Double], missing: Double)
    case number([Double], coefficient: Double, mean: Double)
    case distance(coefficient: Double, mean: Double)
    case same([UInt32], user: UInt32, coefficient: Double, mean: Double)
    case difference([Double], user: Double, isAbsolute: Bool, coefficient: Double, mean: Double)
    case overlap(CodeSets, user: ArraySlice<UInt32>, coefficient: Double, mean: Double)
    case follows(FollowedTargets, user: Int, coefficient: Double, mean: Double)
    /// The contribution of a vector v is `coefficients · v + constant`.
    case text(TextVectors, coefficients: [Double], constant: Double)
    /// No coefficient: contributes 0 whoever the candidate is.
    case nothing
  }

  package let base: Double
  /// In the order of features.
  package let parts: [Part]

  /// Lays `model` out for `space`, for the user at row `user`.
  package init(_ model: UserModel, of user: Int, in space: FeatureSpace) {
    base = model.base
    let terms = Dictionary(uniqueKeysWithValues: model.terms.map { ($0.column, $0) })
    parts = space.features.map { feature in
      let term = terms[UInt32(feature.firstColumn)]
      let (coefficient, mean) = (term?.coefficient ?? 0, term?.mean ?? 0)
      switch feature.values {
      case .category(let codes, _):
        let columns = UInt32(feature.firstColumn)..<UInt32(feature.firstColumn + feature.width)
        // In the model's own order of terms: a sum has one order.
        let met = model.terms.filter { columns.contains($0.column) }
        // Not the negative sum, which may be -0.
        let unseen = 0 - met.reduce(0) { $0 + $1.coefficient * $1.mean }
        let table = columns.map { unseen + (terms[$0]?.coefficient ?? 0) }
        return .category(codes, table, missing: model.missingCategory == .baseline ? unseen : 0)
      case .number(let values, _, _):
        return coefficient == 0 ? .nothing : .number(values, coefficient: coefficient, mean: mean)
      case .received(let rates):
        return coefficient == 0 ? .nothing : .number(rates.values, coefficient: coefficient, mean: mean)
      case .computed(let computed):
        return coefficient == 0 ? .nothing : .number(computed.values, coefficient: coefficient, mean: mean)
      case .distance:
        return coefficient == 0 ? .nothing : .distance(coefficient: coefficient, mean: mean)
      case .same(let users, let candidates):
        return coefficient == 0 || users[user] == CategoryColumn.missing
          ? .nothing : .same(candidates, user: users[user], coefficient: coefficient, mean: mean)
      case .difference(let users, let candidates, let isAbsolute):
        return coefficient == 0 || users[user].isNaN
          ? .nothing
          : .difference(
            candidates, user: users[user], isAbsolute: isAbsolute, coefficient: coefficient, mean: mean)
      case .overlap(let users, let candidates):
        return coefficient == 0 || users[user].isEmpty
          ? .nothing : .overlap(candidates, user: users[user], coefficient: coefficient, mean: mean)
      case .follows(let followed):
        return coefficient == 0
          ? .nothing : .follows(followed, user: user, coefficient: coefficient, mean: mean)
      case .text(let vectors):
        let own = feature.columns.map { terms[UInt32($0)] }
        guard own.contains(where: { $0.map { $0.coefficient != 0 } ?? false }) else { return .nothing }
        return .text(
          vectors, coefficients: own.map { $0?.coefficient ?? 0 },
          constant: -own.reduce(0) { $0 + ($1.map { $0.coefficient * $0.mean } ?? 0) })
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
    case .category(let codes, let table, let missing):
      let code = codes[candidate]
      return code == CategoryColumn.missing ? missing : table[Int(code)]
    case .number(let values, let coefficient, let mean):
      let value = values[candidate]
      return value.isNaN ? 0 : coefficient * (value - mean)
    case .distance(let coefficient, let mean):
      return distance.isNaN ? 0 : coefficient * (distance - mean)
    case .same(let codes, let user, let coefficient, let mean):
      let code = codes[candidate]
      if code == CategoryColumn.missing { return 0 }
      return coefficient * ((code == user ? 1 : 0) - mean)
    case .difference(let values, let user, let isAbsolute, let coefficient, let mean):
      let value = FeatureSpace.difference(user, values[candidate], isAbsolute)
      return value.isNaN ? 0 : coefficient * (value - mean)
    case .overlap(let sets, let user, let coefficient, let mean):
      let value = CodeSets.overlap(user, sets[candidate])
      return value.isNaN ? 0 : coefficient * (value - mean)
    case .follows(let followed, let user, let coefficient, let mean):
      let value = followed.value(user: user, candidate: candidate)
      return value.isNaN ? 0 : coefficient * (value - mean)
    case .text(let vectors, let coefficients, let constant):
      var product = 0.0
      for (coefficient, component) in zip(coefficients, vectors[candidate]) {
        product += coefficient * Double(component)
      }
      return product + constant
    case .nothing:
      return 0
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
