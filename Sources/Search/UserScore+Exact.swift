internal import Columns
internal import Features
internal import Geohash

extension UserScore {
  /// Returns the prediction for the candidate at `place`. This function performs the operations of
  /// `Scorer.score(candidate:distance:)` in the same order, so the results of both are bit-identical.
  ///
  /// - Parameters:
  ///   - candidates: The candidates for which the model was prepared.
  ///   - place: The candidate's index in search order.
  ///   - distance: Kilometers to the candidate; NaN if unknown.
  /// - Returns: The prediction, in the units of the learned values.
  package func score(_ candidates: borrowing SearchedCandidates, place: Int, distance: Double) -> Double {
    let numbers = candidates.exact.span
    let codes = candidates.codes.span
    let (parts, tables) = (parts.span, tables.span)
    let firstNumber = place * candidates.exactWidth + 3
    let firstCode = candidates.firstCode(of: place)
    var score = base
    for index in parts.indices {
      let part = parts[index]
      switch part.form {
      case .code:
        let code = codes[firstCode + part.slot * SearchedCandidates.blockSize]
        score += tables[part.table + Self.place(of: code)]
      case .number:
        score += part.contribution(of: numbers[firstNumber + part.slot])
      case .distance:
        score += part.contribution(of: part.distances(distance))
      case .sameCode:
        let code = codes[firstCode + part.slot * SearchedCandidates.blockSize]
        score += code == CategoryColumn.missing ? 0 : part.contribution(of: code == part.code ? 1 : 0)
      case .difference, .absoluteDifference:
        let number = numbers[firstNumber + part.slot]
        score += part.contribution(
          of: DifferenceShape.value(part.user, number, isAbsolute: part.form.isAbsoluteDifference))
      case .pair, .vector:
        score += unkept(part, candidates, row: Int(candidates.rows[place]))
      }
    }
    return score
  }

  /// Returns the contribution of a feature whose values `SearchedCandidates` does not store.
  func unkept(_ part: ScoredFeature, _ candidates: borrowing SearchedCandidates, row: Int) -> Double {
    guard part.form.isVector else { return part.contribution(of: pairValue(part, candidates, row: row)) }
    var product = 0.0
    for (index, component) in candidates.layout.vectors[part.slot][row].enumerated() {
      product += tables[part.table + index] * Double(component)
    }
    return product + part.missing
  }

  /// Returns the value of a feature whose values are computed for each pair of a user and a candidate.
  func pairValue(_ part: ScoredFeature, _ candidates: borrowing SearchedCandidates, row: Int) -> Double {
    candidates.layout.pairs[part.slot].value(user: user, candidate: row, distance: .nan)
  }
}
