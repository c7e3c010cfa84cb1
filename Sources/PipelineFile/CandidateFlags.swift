package import Tables

extension EntityTable {
  /// By row: the index of the first of `exclusions` that is by a flag and that the row falls under, or -1.
  package func exclusionsByFlag(_ exclusions: [Pipeline.Exclusion]) -> [Int16] {
    var found = [Int16](repeating: -1, count: count)
    for (index, exclusion) in exclusions.enumerated().reversed() {
      let excluded: (name: String, value: UInt8)
      switch exclusion {
      case .flagged(let name): excluded = (name, 1)
      case .notFlagged(let name): excluded = (name, 0)
      case .oneself, .interacted, .vetoed, .friends: continue
      }
      guard let column = flags[excluded.name]?.elements else { continue }
      for (row, flag) in column.enumerated() where flag == excluded.value { found[row] = Int16(index) }
    }
    return found
  }
}

extension Pipeline.Exclusion {
  /// The name in the pipeline file and in the funnel.
  package var name: String {
    switch self {
    case .oneself: "self"
    case .interacted: "interacted"
    case .vetoed: "vetoed"
    case .friends: "friends"
    case .flagged(let name): name
    case .notFlagged(let name): "not " + name
    }
  }
}
