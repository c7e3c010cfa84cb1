internal import Foundation

// Metrics of one list with binary relevance. `k` is at least 1; places behind the list's end hold nothing, so a short
// list is not rewarded. Means over users are the caller's: every user with something relevant counts once.

extension JudgedList {
  /// Hits on the first `k` places, by `k`, however short the list is.
  ///
  /// Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval (2008), section 8.4.
  package func precision(at k: Int) -> Double { Double(hits(at: k)) / Double(k) }

  /// Hits on the first `k` places, by all that is relevant; `nil` where nothing is.
  package func recall(at k: Int) -> Double? {
    relevant == 0 ? nil : Double(hits(at: k)) / Double(relevant)
  }

  /// Hits on the first `k` places, divided by the possible number min(relevant, k); `nil` if nothing is relevant.
  package func cappedRecall(at k: Int) -> Double? {
    relevant == 0 ? nil : Double(hits(at: k)) / Double(min(relevant, k))
  }

  /// Hits on the first `relevant` places, by `relevant`; `nil` where nothing is relevant.
  package var precisionAtRelevant: Double? { recall(at: max(relevant, 1)) }

  /// 1 where one of the first `k` places is a hit, else 0.
  package func hitRate(at k: Int) -> Double { hits(at: k) > 0 ? 1 : 0 }

  /// 1 by the first hit's place; 0 where the first `k` places have none.
  package func reciprocalRank(at k: Int) -> Double {
    hits.prefix(k).firstIndex(of: true).map { 1 / Double($0 + 1) } ?? 0
  }

  /// The sum over hits on the first `k` places of the precision there, by min(relevant, k); `nil` where nothing is
  /// relevant. Its mean over users is MAP.
  ///
  /// The denominator is the most hits that there could be, so that a perfect list has 1. (Dividing by all that is relevant
  /// bounds it by k / relevant; dividing by the hits found rewards finding fewer.)
  package func averagePrecision(at k: Int) -> Double? {
    guard relevant > 0 else { return nil }
    var found = 0
    var sum = 0.0
    for (index, isHit) in hits.prefix(k).enumerated() where isHit {
      found += 1
      sum += Double(found) / Double(index + 1)
    }
    return sum / Double(min(relevant, k))
  }

  /// The discounted cumulative gain of the first `k` places, divided by the gain of the best list: a hit on place i gains 1 /
  /// log2(i + 1), and the best list has min(relevant, k) hits on its first places; `nil` where nothing is relevant.
  ///
  /// Source: Järvelin, Kekäläinen 2002, doi:10.1145/582415.582418, with base 2 and binary gains.
  package func normalizedDiscountedGain(at k: Int) -> Double? {
    guard relevant > 0 else { return nil }
    let gain = DiscountedGain.total(hits.prefix(k).map { $0 ? 1 : 0 })
    return gain / DiscountedGain.total(Array(repeating: 1, count: min(relevant, k)))
  }
}

/// Cumulative gain discounted by place, of any gains.
package enum DiscountedGain {
  /// What a place is worth: 1 / log2(place + 1), places counted from 1.
  package static func discount(atPlace place: Int) -> Double { 1 / log2(Double(place + 1)) }

  /// The sum of `gains` by place from the first, each discounted.
  package static func total(_ gains: [Double]) -> Double {
    gains.enumerated().reduce(0) { $0 + $1.element * discount(atPlace: $1.offset + 1) }
  }

  /// The total of `gains` divided by the total of the `ideal` ones, in any order. Negative gains count as 0; without an ideal
  /// gain the result is 0.
  package static func normalized(_ gains: [Double], ideal: [Double]) -> Double {
    let best = total(ideal.filter { $0 > 0 }.sorted(by: >))
    return best == 0 ? 0 : total(gains.map { max($0, 0) }) / best
  }
}
