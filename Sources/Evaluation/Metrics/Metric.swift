/// A metric of one user's list, based on the user's later likes.
package struct Metric: Hashable, Sendable {
  /// The formula of the metric. The raw values are the names in `metrics.json`.
  package enum Formula: String, CaseIterable, Sendable {
    case precision, recall, map, ndcg, mrr
    case cappedRecall = "capped_recall"
    case hitRate = "hit_rate"
  }

  package var kind: Formula
  /// The number of places that count, from the first place.
  package var k: Int

  /// The metric's name with its length, such as `ndcg@10`.
  package var name: String { "\(kind.rawValue)@\(k)" }

  /// Returns the metrics of all formulas at each length in `lengths`.
  package static func all(at lengths: [Int]) -> [Metric] {
    lengths.flatMap { k in Formula.allCases.map { Metric(kind: $0, k: k) } }
  }

  /// Returns the value for a list, from 0 to 1. An empty list has the value 0. The user must have a relevant
  /// item.
  package func value(of list: JudgedList) -> Double {
    precondition(list.relevant > 0, "a user without relevant candidates has no value")
    return switch kind {
    case .precision: list.precision(at: k)
    case .recall: list.recall(at: k) ?? 0
    case .cappedRecall: list.cappedRecall(at: k) ?? 0
    case .map: list.averagePrecision(at: k) ?? 0
    case .ndcg: list.normalizedDiscountedGain(at: k) ?? 0
    case .mrr: list.reciprocalRank(at: k)
    case .hitRate: list.hitRate(at: k)
    }
  }

  /// The definition of the metric in words.
  package var definition: String {
    switch kind {
    case .precision: "hits in the first \(k) places / \(k)"
    case .recall: "hits in the first \(k) places / relevant candidates"
    case .cappedRecall: "hits in the first \(k) places / min(relevant, \(k))"
    case .map: "sum over hits in the first \(k) places of the precision at their places / min(relevant, \(k))"
    case .ndcg:
      "normalized discounted cumulative gain: sum over hits in the first \(k) places of 1 / log2(place + 1), divided by the same sum for min(relevant, \(k)) hits in the first places"
    case .mrr: "1 / place of the first hit in the first \(k) places, 0 without a hit"
    case .hitRate: "1 with a hit in the first \(k) places, else 0"
    }
  }
}
