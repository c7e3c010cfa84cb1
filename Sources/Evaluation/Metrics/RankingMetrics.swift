internal import Foundation
internal import Ranking

// Metrics of one list with binary relevance. `k` is at least 1. Places past the end of the list count as
// misses, so a short list has no advantage. A mean over users counts each user with relevant items once.

extension JudgedList {
  /// Returns the number of hits in the first `k` places divided by `k`, even if the list is shorter.
  ///
  /// Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval (2008), section 8.4.
  package func precision(at k: Int) -> Double { Double(hits(at: k)) / Double(k) }

  /// Returns the number of hits in the first `k` places divided by the number of relevant items; `nil`
  /// without a relevant item.
  package func recall(at k: Int) -> Double? {
    relevant == 0 ? nil : Double(hits(at: k)) / Double(relevant)
  }

  /// Returns the number of hits in the first `k` places divided by the largest possible number of hits,
  /// min(relevant, k); `nil` if no item is relevant.
  package func cappedRecall(at k: Int) -> Double? {
    relevant == 0 ? nil : Double(hits(at: k)) / Double(min(relevant, k))
  }

  /// R-precision: the number of hits in the first `relevant` places divided by `relevant`; `nil` if no item
  /// is relevant.
  package var precisionAtRelevant: Double? { recall(at: max(relevant, 1)) }

  /// Returns 1 if any of the first `k` places is a hit, otherwise 0.
  package func hitRate(at k: Int) -> Double { hits(at: k) > 0 ? 1 : 0 }

  /// Returns the reciprocal of the first hit's place; 0 if the first `k` places have no hit.
  package func reciprocalRank(at k: Int) -> Double {
    hits.prefix(k).firstIndex(of: true).map { 1 / Double($0 + 1) } ?? 0
  }

  /// Returns the sum of the precision at each hit in the first `k` places, divided by min(relevant, k); `nil`
  /// without a relevant item. The mean of this value over users is MAP.
  ///
  /// The denominator is the largest possible number of hits, so a perfect list scores 1. With the number of
  /// relevant items as the denominator, a perfect list could score less than 1. With the number of hits as
  /// the denominator, a list with fewer hits could score higher.
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

  /// Returns the discounted cumulative gain of the first `k` places, divided by the gain of the best list. A
  /// hit at rank i has the gain 1 / log2(i + 1). The best list has hits at its first min(relevant, k) ranks.
  /// `nil` if no item is relevant.
  ///
  /// Source: Järvelin, Kekäläinen 2002, doi:10.1145/582415.582418, with base 2 and binary gains.
  package func normalizedDiscountedGain(at k: Int) -> Double? {
    guard relevant > 0 else { return nil }
    let gain = DiscountedGain.total(hits.prefix(k).map { $0 ? 1 : 0 })
    return gain / DiscountedGain.total(Array(repeating: 1, count: min(relevant, k)))
  }
}

/// Discounted cumulative gain for arbitrary gains.
package enum DiscountedGain {
  /// Returns the sum of the `gains`, which are in the order of places, times `Exposure.discount`.
  package static func total(_ gains: [Double]) -> Double {
    gains.enumerated().reduce(0) { $0 + $1.element * Exposure.discount(atPlace: $1.offset + 1) }
  }

  /// Returns the total of `gains` divided by the total of the `ideal` gains in descending order. The
  /// parameter `ideal` may have any order. Negative gains count as 0. Without a positive ideal gain, the
  /// result is 0.
  package static func normalized(_ gains: [Double], ideal: [Double]) -> Double {
    let best = total(ideal.filter { $0 > 0 }.sorted(by: >))
    return best == 0 ? 0 : total(gains.map { max($0, 0) }) / best
  }
}
