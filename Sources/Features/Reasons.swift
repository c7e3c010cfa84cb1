package import RunSchemas

/// One feature's part in a prediction, named for people.
package struct Reason: Hashable, Sendable {
  /// The feature and what the candidate has of it: `business_field=Technology`, `latitude=south`.
  package var feature: String
  package var contribution: Double
  /// Whether it may be published.
  package var isPublic = true
}

extension FeatureSpace {
  /// One reason per feature, in the order of features: base and contributions add up to the score.
  ///
  /// A number is named by the side of the learning mean on which the candidate's value is (`latitude=south`,
  /// `distance_km=near`, `experience_years=high`): a column's own value would say more about the candidate than a
  /// list needs to. A missing value has no word.
  package func reasons(
    _ scorer: Scorer, model: UserModel, user: Int, candidate: Int, distance: Double
  ) -> [Reason] {
    let pair = FeaturePair(user: user, candidate: candidate, distance: distance)
    return features.indices.map { index in
      let feature = features[index]
      let mean = model.terms.first { $0.column == feature.firstColumn }?.mean ?? 0
      let word = feature.shape.word(of: pair, mean: mean).map { feature.shape.words[$0] }
      return Reason(
        feature: feature.name + (word.map { "=" + $0 } ?? ""),
        contribution: scorer.contribution(of: index, candidate: candidate, distance: distance),
        isPublic: feature.isPublic)
    }
  }
}

extension [Reason] {
  /// The reasons that are published with a recommendation: the three largest positive public ones, largest first.
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
