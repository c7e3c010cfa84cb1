internal import Columns
package import RunSchemas
package import Text

extension EntityTable {
  /// Returns, for each row, the index of the first exclusion in `exclusions` that applies at the as-of time
  /// `asOf`. The index is -1 if no exclusion applies. Only exclusions by flags and conditions are considered.
  package func exclusionsByFlag(_ exclusions: [Pipeline.Exclusion], asOf: Instant) -> [Int16] {
    var found = [Int16](repeating: -1, count: count)
    for (index, exclusion) in exclusions.enumerated().reversed() {
      let isExcluded: [Bool]
      switch exclusion {
      case .flagged(let name): isExcluded = flags[name]?.elements.map { $0 == 1 } ?? []
      case .notFlagged(let name): isExcluded = flags[name]?.elements.map { $0 == 0 } ?? []
      case .unless(let condition): isExcluded = meets(condition, asOf: asOf).map { !$0 }
      case .oneself, .interacted, .vetoed, .friends, .unwished, .unasked: continue
      }
      for (row, isExcluded) in isExcluded.enumerated() where isExcluded { found[row] = Int16(index) }
    }
    return found
  }
}

extension Pipeline.Exclusion {
  /// The name under which the funnel counts the candidates that the exclusion removes.
  package var name: String {
    switch self {
    case .oneself: "self"
    case .interacted: "interacted"
    case .vetoed: "vetoed"
    case .friends: "friends"
    case .unwished(let wish): wish.name
    case .unasked(let user): "none of " + user
    case .flagged(let name): name
    case .notFlagged(let name): "not " + name
    case .unless(let condition): condition.name
    }
  }
}
