internal import Columns
package import RunSchemas

/// One user's predictions: the coefficients of the user's model, arranged by the features of the space.
///
/// A score is the base plus one contribution per feature, added in the order of features. Every search and
/// every explanation adds in this order, so their scores are bit-identical.
package struct Scorer: Sendable {
  /// The contribution of one feature to this user's scores.
  package enum Contributor: Sendable {
    /// The code of each candidate, the contribution of each code, and the contribution of a missing code.
    case codes([UInt32], [Double], missing: Double)
    /// The contribution is `coefficient * (x - mean)`, and 0 if x is missing.
    case value(any ValueShape, coefficient: Double, mean: Double)
    /// The contribution of a vector v is `coefficients · v + constant`.
    case vector(CandidateVectors, coefficients: [Double], constant: Double)
    /// The contribution is 0 for every candidate, because the coefficients are missing or 0, or the user's
    /// value is unknown.
    case nothing
  }

  package let base: Double
  /// The row of the user.
  package let user: Int
  /// One element per feature, in the order of features.
  package let contributors: [Contributor]

  /// Arranges the coefficients of `model` by the features of `space`, for the user at row `user`.
  package init(_ model: UserModel, of user: Int, in space: FeatureSpace) {
    base = model.base
    let terms = Dictionary(uniqueKeysWithValues: model.terms.map { ($0.column, $0) })
    self.user = user
    contributors = space.features.map { feature in
      switch feature.shape.terms {
      case .codes(let codes):
        let columns = UInt32(feature.firstColumn)..<UInt32(feature.firstColumn + feature.width)
        // Terms are added in the model's order, because a floating-point sum depends on the order.
        let met = model.terms.filter { columns.contains($0.column) }
        // The sum is subtracted from 0, because negating it could give -0.
        let unseen = 0 - met.reduce(0) { $0 + $1.coefficient * $1.mean }
        let table = columns.map { unseen + (terms[$0]?.coefficient ?? 0) }
        return .codes(codes, table, missing: model.missingCategory == .baseline ? unseen : 0)
      case .value(let shape):
        let term = terms[UInt32(feature.firstColumn)]
        guard let term, term.coefficient != 0, !shape.own(ofUser: user).isMissing else { return .nothing }
        return .value(shape, coefficient: term.coefficient, mean: term.mean)
      case .vector(let vectors):
        let own = feature.columns.map { terms[UInt32($0)] }
        guard own.contains(where: { $0.map { $0.coefficient != 0 } ?? false }) else { return .nothing }
        return .vector(
          vectors, coefficients: own.map { $0?.coefficient ?? 0 },
          constant: -own.reduce(0) { $0 + ($1.map { $0.coefficient * $0.mean } ?? 0) })
      }
    }
  }

  /// Returns the contribution of the feature at `index` to the score of `candidate`. `Contributor` contains
  /// the formulas.
  ///
  /// - Parameters:
  ///   - index: The index of the feature in the space.
  ///   - candidate: The row of the candidate.
  ///   - distance: Kilometers to the candidate; NaN if unknown.
  /// - Returns: The contribution, in the units of the learned values.
  package func contribution(of index: Int, candidate: Int, distance: Double) -> Double {
    switch contributors[index] {
    case .codes(let codes, let table, let missing):
      let code = codes[candidate]
      return code == CategoryColumn.missing ? missing : table[Int(code)]
    case .value(let shape, let coefficient, let mean):
      let value = shape.value(user: user, candidate: candidate, distance: distance)
      return value.isNaN ? 0 : coefficient * (value - mean)
    case .vector(let vectors, let coefficients, let constant):
      var product = 0.0
      for (coefficient, component) in zip(coefficients, vectors[candidate]) {
        product += coefficient * Double(component)
      }
      return product + constant
    case .nothing:
      return 0
    }
  }

  /// Returns the index of the candidate's word with the greatest contribution. The result is `nil` if the
  /// candidate has no word, if all coefficients are 0, or if the feature is not a vector with words.
  func strongestWord(of index: Int, candidate: Int) -> Int? {
    guard case .vector(let vectors, let coefficients, _) = contributors[index] else { return nil }
    return vectors.strongestWord(of: candidate) { coefficients[$0] }
  }

  /// Returns the predicted score of `candidate`, in the units of the learned values.
  package func score(candidate: Int, distance: Double) -> Double {
    var score = base
    for index in contributors.indices {
      score += contribution(of: index, candidate: candidate, distance: distance)
    }
    return score
  }
}
