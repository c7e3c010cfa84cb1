internal import Tables

/// The names of reasons as they stand in JSON, made once: a million lists have tens of millions of them.
///
/// The same words as those of `FeatureSpace.reasons`.
package struct ReasonLabels: Sendable {
  /// By feature: the name alone, then with each word that its values have: of categories the vocabulary, else two.
  private let texts: [[[UInt8]]]

  package init(_ space: FeatureSpace) {
    texts = space.features.map { feature in
      ([nil] + feature.values.words).map { word in
        var text = JSONText()
        text.append(string: Array((feature.name + (word.map { "=" + $0 } ?? "")).utf8).span)
        return text.bytes
      }
    }
  }

  /// The name of the reason that a feature gives to list a candidate.
  ///
  /// - Parameters:
  ///   - index: Of the feature.
  ///   - space: The features.
  ///   - mean: That of the feature's column over the learning rows.
  ///   - user: Row of the user.
  ///   - candidate: Row of the candidate.
  ///   - distance: Kilometres to the candidate; NaN where unknown.
  /// - Returns: A JSON string, quotes included.
  package func text(
    of index: Int, in space: FeatureSpace, mean: Double, user: Int, candidate: Int, distance: Double
  ) -> [UInt8] {
    func side(_ value: Double, _ mean: Double) -> Int { value.isNaN ? 0 : value < mean ? 1 : 2 }
    let place: Int
    switch space.features[index].values {
    case .category(let codes, _):
      let code = codes[candidate]
      place = code == CategoryColumn.missing ? 0 : Int(code) + 1
    case .number(let values, _, _): place = side(values[candidate], mean)
    case .received(let rates): place = side(rates.values[candidate], mean)
    case .distance: place = side(distance, mean)
    case .same(let users, let candidates):
      place = side(FeatureSpace.same(users[user], candidates[candidate]), 0.5)
    case .difference(let users, let candidates, let isAbsolute):
      place = side(FeatureSpace.difference(users[user], candidates[candidate], isAbsolute), mean)
    case .overlap(let users, let candidates):
      place = side(CodeSets.overlap(users[user], candidates[candidate]), mean)
    case .text: place = 0
    }
    return texts[index][place]
  }
}

extension FeatureValues {
  /// What a value can be called: the vocabulary of a category, else the words for values under a mean and for others.
  var words: [String] {
    switch self {
    case .category(_, let vocabulary): vocabulary
    case .number(_, let low, let high): [low, high]
    case .received: ["low", "high"]
    case .distance: ["near", "far"]
    case .same: ["no", "yes"]
    case .difference(_, _, let isAbsolute): isAbsolute ? ["small", "large"] : ["low", "high"]
    case .overlap: ["little", "much"]
    case .text: []
    }
  }
}
