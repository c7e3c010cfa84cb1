extension FeatureSpace {
  /// A space of these features, whose columns follow each other in order.
  package init(features: [Feature], columns: [String], candidates: Positions, users: Positions) {
    self.features = features
    self.columns = columns
    self.candidates = candidates
    self.users = users
  }

  /// The same space over candidates in another order, for a search that reads them in that order: what was row
  /// `rows[i]` is row i.
  ///
  /// For scores alone: rates become plain numbers, which know no learning rows.
  package func ordered(_ rows: [Int]) -> FeatureSpace {
    let features = features.map { feature in
      var feature = feature
      feature.values = feature.values.ordered(rows)
      return feature
    }
    return FeatureSpace(
      features: features, columns: columns, candidates: candidates.picked(rows), users: users)
  }
}

extension FeatureValues {
  fileprivate func ordered(_ rows: [Int]) -> FeatureValues {
    func picked<Element>(_ values: [Element]) -> [Element] { rows.map { values[$0] } }
    switch self {
    case .category(let codes, let vocabulary): return .category(picked(codes), vocabulary)
    case .number(let values, let low, let high): return .number(picked(values), low: low, high: high)
    case .received(let rates): return .number(picked(rates.values), low: "low", high: "high")
    case .distance: return .distance
    case .same(let users, let candidates): return .same(users: users, candidates: picked(candidates))
    case .difference(let users, let candidates, let isAbsolute):
      return .difference(users: users, candidates: picked(candidates), isAbsolute: isAbsolute)
    case .overlap(let users, let candidates):
      return .overlap(users: users, candidates: candidates.ordered(rows))
    case .text(let vectors): return .text(vectors.ordered(rows))
    }
  }
}

extension CodeSets {
  fileprivate func ordered(_ rows: [Int]) -> CodeSets {
    var offsets: [UInt64] = [0]
    var codes: [UInt32] = []
    for row in rows {
      codes += self[row]
      offsets.append(UInt64(codes.count))
    }
    return CodeSets(offsets: offsets, codes: codes)
  }
}

extension TextVectors {
  fileprivate func ordered(_ rows: [Int]) -> TextVectors {
    TextVectors(dimensions: dimensions, components: rows.flatMap { self[$0] })
  }
}
