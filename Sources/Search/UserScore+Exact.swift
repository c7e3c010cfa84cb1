internal import Columns
internal import Features
internal import Geohash

extension UserScore {
  /// The prediction for the candidate at `place`: the operations of `Scorer.score(candidate:distance:)` in the same
  /// order, and so the same bits.
  ///
  /// - Parameters:
  ///   - candidates: For whose layout the model was laid out.
  ///   - place: Place of the candidate.
  ///   - distance: Kilometres to the candidate; NaN where unknown.
  /// - Returns: The prediction, in units of the values learned from.
  package func score(_ candidates: borrowing SearchedCandidates, place: Int, distance: Double) -> Double {
    let numbers = candidates.exact.span
    let codes = candidates.codes.span
    let (parts, tables) = (parts.span, tables.span)
    let firstNumber = place * candidates.exactWidth + 3
    let firstCode = candidates.firstCode(of: place)
    var score = base
    for index in parts.indices {
      let part = parts[index]
      switch part.kind {
      case .category:
        let code = codes[firstCode + part.slot * SearchedCandidates.blockSize]
        score += tables[part.table + Self.place(of: code)]
      case .number:
        score += part.contribution(of: numbers[firstNumber + part.slot])
      case .distance:
        score += part.contribution(of: distance)
      case .same:
        let code = codes[firstCode + part.slot * SearchedCandidates.blockSize]
        score += code == CategoryColumn.missing ? 0 : part.contribution(of: code == part.code ? 1 : 0)
      case .difference, .absoluteDifference:
        let number = numbers[firstNumber + part.slot]
        score += part.contribution(
          of: FeatureSpace.difference(part.user, number, part.kind == .absoluteDifference))
      case .overlap, .follows, .text:
        score += setOrText(part, candidates.space, row: Int(candidates.rows[place]))
      }
    }
    return score
  }

  /// The contribution of a feature whose values are no single number.
  func setOrText(_ part: Part, _ space: FeatureSpace, row: Int) -> Double {
    switch space.features[part.feature].values {
    case .overlap(let users, let candidates):
      return part.contribution(of: CodeSets.overlap(users[user], candidates[row]))
    case .follows(let followed):
      return part.contribution(of: followed.value(user: user, candidate: row))
    case .text(let vectors):
      var product = 0.0
      for (index, component) in vectors[row].enumerated() {
        product += tables[part.table + index] * Double(component)
      }
      return product + part.missing
    case .category, .number, .received, .computed, .distance, .same, .difference:
      preconditionFailure("feature \(part.feature) has single numbers")
    }
  }
}
