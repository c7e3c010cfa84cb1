package import RunSchemas

/// One feature's contribution to a prediction, with a readable name.
package struct Reason: Hashable, Sendable {
  /// The name of the feature and the word for the candidate's value, such as `business_field=Technology` or
  /// `latitude=south`.
  package var feature: String
  package var contribution: Double
  /// Whether the reason may be published.
  package var isPublic = true
}

extension FeatureSpace {
  /// Returns one reason per feature, in the order of features. The base plus all contributions equals the
  /// score.
  ///
  /// The word for a number depends on whether the candidate's value is below a threshold (`latitude=south`,
  /// `distance_km=near`) or not (`experience_years=high`). The threshold is usually the mean of the feature
  /// over the learning rows. The value itself would reveal more about the candidate than the list needs. The
  /// word for tags is the candidate's tag with the greatest contribution. A missing value has no word.
  package func reasons(
    _ scorer: Scorer, model: UserModel, user: Int, candidate: Int, distance: Double
  ) -> [Reason] {
    let pair = FeaturePair(user: user, candidate: candidate, distance: distance)
    return features.indices.map { index in
      let feature = features[index]
      let mean = model.terms.first { $0.column == feature.firstColumn }?.mean ?? 0
      let word =
        scorer.strongestWord(of: index, candidate: candidate) ?? feature.shape.word(of: pair, mean: mean)
      return Reason(
        feature: feature.name + (word.map { "=" + feature.shape.words[$0] } ?? ""),
        contribution: scorer.contribution(of: index, candidate: candidate, distance: distance),
        isPublic: feature.isPublic)
    }
  }
}

extension [Reason] {
  /// The reasons that are published with a recommendation: the three largest positive public reasons, largest
  /// first.
  ///
  /// Reasons with equal contributions keep the order of features.
  package var published: [Reason] {
    let positive = enumerated().filter { $0.element.isPublic && $0.element.contribution > 0 }
    let sorted = positive.sorted {
      ($1.element.contribution, $0.offset) < ($0.element.contribution, $1.offset)
    }
    return sorted.prefix(3).map(\.element)
  }
}
