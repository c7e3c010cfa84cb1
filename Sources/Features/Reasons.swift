internal import Columns
package import RunSchemas

/// One feature's part in a prediction, named for people.
package struct Reason: Hashable, Sendable {
  /// The feature and what the candidate has of it: `business_field=Technology`, `latitude=south`.
  package var feature: String
  package var contribution: Double
  /// Whether it may stand in what is published.
  package var isPublic = true
}

extension FeatureSpace {
  /// One reason per feature, in the order of features: base and contributions add up to the score.
  ///
  /// A number is named by the side of the learning mean on which the candidate stands (`latitude=south`,
  /// `distance_km=near`, `experience_years=high`): a column's own value would say more about the candidate than a
  /// list needs to. A missing value has no word.
  package func reasons(
    _ scorer: Scorer, model: UserModel, user: Int, candidate: Int, distance: Double
  ) -> [Reason] {
    features.indices.map { index in
      let feature = features[index]
      let mean = model.terms.first { $0.column == feature.firstColumn }?.mean ?? 0
      let word: String?
      switch feature.values {
      case .category(let codes, let vocabulary):
        let code = codes[candidate]
        word = code == CategoryColumn.missing ? nil : vocabulary[Int(code)]
      case .number(let values, let low, let high):
        word = Self.word(values[candidate], mean, low, high)
      case .received(let rates):
        word = Self.word(rates.values[candidate], mean, "low", "high")
      case .computed(let computed):
        word = Self.word(computed.values[candidate], mean, "low", "high")
      case .distance:
        word = Self.word(distance, mean, "near", "far")
      case .same(let users, let candidates):
        word = Self.word(Self.same(users[user], candidates[candidate]), 0.5, "no", "yes")
      case .difference(let users, let candidates, let isAbsolute):
        let value = Self.difference(users[user], candidates[candidate], isAbsolute)
        word = isAbsolute ? Self.word(value, mean, "small", "large") : Self.word(value, mean, "low", "high")
      case .overlap(let users, let candidates):
        word = Self.word(CodeSets.overlap(users[user], candidates[candidate]), mean, "little", "much")
      case .follows(let followed):
        word = Self.word(followed.value(user: user, candidate: candidate), 0.5, "no", "yes")
      case .text:
        word = nil
      }
      return Reason(
        feature: feature.name + (word.map { "=" + $0 } ?? ""),
        contribution: scorer.contribution(of: index, candidate: candidate, distance: distance),
        isPublic: feature.isPublic)
    }
  }

  /// The side of `mean` on which `value` stands; `nil` where it is missing.
  private static func word(_ value: Double, _ mean: Double, _ low: String, _ high: String) -> String? {
    value.isNaN ? nil : value < mean ? low : high
  }
}

extension [Reason] {
  /// The reasons that are published with a recommendation: the three largest positive ones that users may be told, largest first.
  ///
  /// Equal ones stay in the order of features.
  package var published: [Reason] {
    let positive = enumerated().filter { $0.element.isPublic && $0.element.contribution > 0 }
    let sorted = positive.sorted {
      ($1.element.contribution, $0.offset) < ($0.element.contribution, $1.offset)
    }
    return sorted.prefix(3).map(\.element)
  }
}
