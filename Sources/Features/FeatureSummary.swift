internal import Columns

/// What one feature can be in a group of candidates: everything that a bound needs, in the same few words for every
/// kind of feature.
///
/// | feature | `low` to `high` | `codes` |
/// | --- | --- | --- |
/// | category, same, follows | | codes present |
/// | number, received, computed, difference | values | |
/// | overlap | sizes of the sets | codes of all sets |
/// | text | Euclidean norms | |
///
/// Codes are kept modulo 64, exact for vocabularies up to 64 words and a superset beyond: a bound is then looser, never
/// wrong. Of a distance nothing is kept: where the candidates are is known to whoever groups them.
package struct FeatureSummary: Hashable, Sendable {
  package var low = Double.infinity
  package var high = -Double.infinity
  package var codes: UInt64 = 0
  package var hasMissing = false

  /// The summary of nobody.
  package init() {}

  package var hasValues: Bool { low <= high }

  package mutating func formUnion(_ other: FeatureSummary) {
    low = min(low, other.low)
    high = max(high, other.high)
    codes |= other.codes
    hasMissing = hasMissing || other.hasMissing
  }

  package static func bit(_ code: UInt32) -> UInt64 { 1 << UInt64(code % 64) }
}

extension FeatureValues {
  /// The summary of one candidate.
  package func summary(of row: Int) -> FeatureSummary {
    var summary = FeatureSummary()
    func take(_ value: Double) {
      if value.isNaN { summary.hasMissing = true } else { (summary.low, summary.high) = (value, value) }
    }
    func take(_ code: UInt32) {
      if code == CategoryColumn.missing {
        summary.hasMissing = true
      } else {
        summary.codes = FeatureSummary.bit(code)
      }
    }
    switch self {
    case .category(let codes, _): take(codes[row])
    case .number(let values, _, _): take(values[row])
    case .received(let rates): take(rates.values[row])
    case .computed(let computed): take(computed.values[row])
    case .distance: break
    case .same(_, let candidates): take(candidates[row])
    case .difference(_, let candidates, _): take(candidates[row])
    case .overlap(_, let candidates):
      let set = candidates[row]
      take(set.isEmpty ? .nan : Double(set.count))
      for code in set { summary.codes |= FeatureSummary.bit(code) }
    case .follows(let followed): take(followed.targets[row])
    case .text(let vectors):
      take(vectors[row].reduce(0) { $0 + Double($1) * Double($1) }.squareRoot())
    }
    return summary
  }
}
