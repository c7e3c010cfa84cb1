package import Features

extension UserScore {
  /// The maximum number of reasons published with a recommendation.
  package static let publishedReasons = 3

  /// Writes the published reasons of a prediction: its three largest positive public contributions, largest
  /// first. Tied reasons keep the order of features. The result equals `[Reason].published`.
  ///
  /// - Parameters:
  ///   - candidates: The candidates for which the model was prepared.
  ///   - place: The candidate's index in search order.
  ///   - distance: Kilometers to the candidate; NaN if unknown.
  ///   - published: The array that receives the reasons, at most three. Its previous elements are removed.
  package func writeReasons(
    _ candidates: borrowing SearchedCandidates, place: Int, distance: Double,
    to published: inout [Contribution]
  ) {
    published.removeAll(keepingCapacity: true)
    let parts = parts.span
    for index in parts.indices where parts[index].isPublic {
      let found = contribution(parts[index], candidates, place: place, distance: distance)
      guard found.amount > 0 else { continue }
      if published.count < Self.publishedReasons {
        published.append(found)
      } else if published[published.count - 1].amount < found.amount {
        published[published.count - 1] = found
      } else {
        continue
      }
      var last = published.count - 1
      while last > 0, published[last - 1].amount < published[last].amount {
        published.swapAt(last - 1, last)
        last -= 1
      }
    }
  }

  /// Returns the contribution of one feature to the score of a candidate, and the word for the feature's
  /// value. The amount is bit-identical to `Scorer.contribution`, and the word is the same as in
  /// `FeatureSpace.reasons`.
  private func contribution(
    _ part: ScoredFeature, _ candidates: borrowing SearchedCandidates, place: Int, distance: Double
  ) -> Contribution {
    func found(_ value: Double) -> Contribution {
      let word: UInt32 = value.isNaN ? 0 : value < part.wordThreshold ? 1 : 2
      return Contribution(feature: part.feature, word: word, amount: part.contribution(of: value))
    }
    func number() -> Double { candidates.exact[place * candidates.exactWidth + 3 + part.slot] }
    func code() -> UInt32 {
      candidates.codes[candidates.firstCode(of: place) + part.slot * SearchedCandidates.blockSize]
    }
    switch part.form {
    case .code:
      let place = Self.place(of: code())
      return Contribution(feature: part.feature, word: UInt32(place), amount: tables[part.table + place])
    case .number:
      return found(number())
    case .distance:
      return found(part.distances(distance))
    case .sameCode:
      return found(SameCodeShape.value(part.code, code()))
    case .difference, .absoluteDifference:
      return found(
        DifferenceShape.value(part.user, number(), isAbsolute: part.form.isAbsoluteDifference))
    case .pair:
      return found(pairValue(part, candidates, row: Int(candidates.rows[place])))
    case .vector:
      let row = Int(candidates.rows[place])
      let word = candidates.layout.vectors[part.slot].strongestWord(of: row) { tables[part.table + $0] }
      return Contribution(
        feature: part.feature, word: word.map { UInt32($0) + 1 } ?? 0,
        amount: unkept(part, candidates, row: row))
    }
  }
}

extension UserScore.ScoredFeature {
  /// Returns the contribution `coefficient * (value - mean)`; 0 if `value` is missing (NaN).
  @inline(__always)
  func contribution(of value: Double) -> Double {
    value.isNaN ? 0 : coefficient * (value - mean)
  }
}
