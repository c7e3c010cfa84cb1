package import Features

extension UserScore {
  /// At most so many reasons are published with a recommendation.
  package static let publishedReasons = 3

  /// Writes what is published of a prediction: the three largest positive contributions that users may be told, largest
  /// first, equal ones in the order of features. The same as `[Reason].published`.
  ///
  /// - Parameters:
  ///   - candidates: For whose layout the model was laid out.
  ///   - place: Place of the candidate.
  ///   - distance: Kilometres to the candidate; NaN where unknown.
  ///   - published: Receives at most three.
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

  /// What one feature adds to the score of a candidate: the bits of `Scorer.contribution`, and the word of
  /// `FeatureSpace.reasons`.
  private func contribution(
    _ part: Part, _ candidates: borrowing SearchedCandidates, place: Int, distance: Double
  ) -> Contribution {
    func found(_ value: Double, mean: Double? = nil) -> Contribution {
      let word: UInt32 = value.isNaN ? 0 : value < mean ?? part.mean ? 1 : 2
      return Contribution(feature: part.feature, word: word, amount: part.contribution(of: value))
    }
    func number() -> Double { candidates.exact[place * candidates.exactWidth + 3 + part.slot] }
    func code() -> UInt32 {
      candidates.codes[candidates.firstCode(of: place) + part.slot * SearchedCandidates.blockSize]
    }
    switch part.kind {
    case .category:
      let place = Self.place(of: code())
      return Contribution(feature: part.feature, word: UInt32(place), amount: tables[part.table + place])
    case .number:
      return found(number())
    case .distance:
      return found(distance)
    case .same:
      return found(FeatureSpace.same(part.code, code()), mean: 0.5)
    case .difference, .absoluteDifference:
      return found(FeatureSpace.difference(part.user, number(), part.kind == .absoluteDifference))
    case .overlap, .follows, .text:
      let (row, space) = (Int(candidates.rows[place]), candidates.space)
      switch space.features[part.feature].values {
      case .overlap(let users, let candidates):
        return found(CodeSets.overlap(users[user], candidates[row]))
      case .follows(let followed):
        return found(followed.value(user: user, candidate: row), mean: 0.5)
      default: break
      }
      return Contribution(feature: part.feature, amount: setOrText(part, space, row: row))
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
