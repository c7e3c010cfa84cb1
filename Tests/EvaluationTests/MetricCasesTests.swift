import Foundation
import Ranking
import Testing
import TestSupport
import Text

@testable import Evaluation

/// Runs the test cases of other libraries. Each library has its own convention. Comments at the
/// conversion explain how it differs from Nightjar's.
@Suite(.enabled(if: SharedData.exists("third-party/ranking"), "needs ../shared/data"))
struct MetricCasesTests {
  struct Case: Decodable {
    var id: String
    var metric: String
    var input: JSONValue
    var expected: JSONValue
    var tol: Double
  }

  private static func cases() throws -> [Case] {
    let text = try SharedData.text("third-party/ranking/metric_cases.dev.json")
    return try JSONDecoder().decode([Case].self, from: Data(text.utf8))
  }

  @Test func `every case has the value of its reference library`() throws {
    let cases = try Self.cases()
    #expect(cases.count >= 52)
    for test in cases {
      let found = try #require(
        Self.values(test), "\(test.id): the metric '\(test.metric)' is not computed here")
      let expected = Self.flat(test.expected)
      #expect(found.count == expected.count, "\(test.id)")
      for (found, expected) in zip(found, expected) {
        let isEqual = found.isNaN && expected.isNaN || abs(found - expected) <= test.tol
        #expect(isEqual, "\(test.id): \(found), expected \(expected)")
      }
    }
  }

  /// Returns all numbers of a value in order. Members of objects are ordered by key.
  private static func flat(_ value: JSONValue) -> [Double] {
    switch value {
    case .integer(let value): [Double(value)]
    case .number(let value): [value]
    case .string("NaN"): [.nan]
    case .array(let values): values.flatMap(flat)
    case .object(let members): members.sorted { $0.key < $1.key }.flatMap { flat($0.value) }
    default: []
    }
  }

  private static func values(_ test: Case) -> [Double]? {
    let input = test.input
    if input["hits"] != nil { return atEveryPlace(test.metric, input) }
    if input["qrels"] != nil { return byQuery(test.metric, input) }
    switch test.metric {
    case "ndcg", "dcg", "ndcg_exp": return [gain(test.metric, input)]
    case "recall", "average_precision":
      let list = judged(input)
      let n = input["n"]?.integerValue
      guard list.relevant > 0 else { return [.nan] }
      switch (test.metric, n) {
      // With a list length, LensKit divides by the number of items that fit. This equals Nightjar's
      // capped recall.
      case ("recall", let n?): return [list.cappedRecall(at: n) ?? .nan]
      case ("recall", nil): return [list.recall(at: max(list.hits.count, 1)) ?? .nan]
      // Without a list length, all relevant items fit.
      default: return [list.averagePrecision(at: n ?? max(list.hits.count, list.relevant)) ?? .nan]
      }
    case "mrr": return [mean(input) { $0.reciprocalRank(at: $1) }]
    case "r_precision_mean": return [mean(input) { list, _ in list.precisionAtRelevant ?? .nan }]
    case "recall_mean": return [mean(input) { $0.recall(at: $1) ?? .nan }]
    case "hits_mean": return [mean(input) { Double($0.hits(at: $1)) }]
    case "item_coverage", "gini": return exposure(test.metric, input)
    case "gauc": return [groupedArea(input)]
    case "roc_auc":
      let (y, s) = (flat(input["y"] ?? .null), flat(input["s"] ?? .null))
      return [AreaUnderCurve(scores: s, isLike: y.map { $0 > 0 }).value ?? .nan]
    case "average_precision_scores":
      let (y, s) = (flat(input["y"] ?? .null), flat(input["s"] ?? .null))
      let order = s.indices.sorted { s[$0] > s[$1] }
      let list = JudgedList(hits: order.map { y[$0] > 0 }, relevant: y.count { $0 > 0 })
      return [list.averagePrecision(at: y.count) ?? .nan]
    case "ndcg_scores_list":
      let (gains, s) = (flat(input["rel"] ?? .null), flat(input["s"] ?? .null))
      let order = s.indices.sorted { s[$0] > s[$1] }
      return [DiscountedGain.normalized(order.map { gains[$0] }, ideal: gains)]
    default: return nil
    }
  }

  private static func judged(_ input: JSONValue) -> JudgedList {
    JudgedList(flat(input["recs"] ?? .null), relevant: Set(flat(input["truth"] ?? .null)))
  }

  private static func mean(_ input: JSONValue, _ metric: (JudgedList, Int) -> Double) -> Double {
    guard case .array(let lists)? = input["lists"] else { return .nan }
    let values = lists.map { metric(judged($0), input["n"]?.integerValue ?? 1000) }
    return values.reduce(0, +) / Double(values.count)
  }

  private static func gain(_ metric: String, _ input: JSONValue) -> Double {
    let recommended = flat(input["recs"] ?? .null)
    let relevant = Set(flat(input["truth"] ?? .null))
    if relevant.isEmpty { return .nan }
    let n = input["n"]?.integerValue
    guard let gains = input["gains"]?.members else {
      // LensKit's ideal list has the given length. Without a length, it contains all relevant
      // items.
      let list = judged(input)
      return list.normalizedDiscountedGain(at: n ?? max(list.hits.count, list.relevant)) ?? .nan
    }
    let transform = { (gain: Double) in metric == "ndcg_exp" ? pow(2, gain) - 1 : gain }
    let byItem = Dictionary(
      uniqueKeysWithValues: gains.map { (Double($0.key) ?? .nan, transform(flat($0.value)[0])) })
    let found = recommended.prefix(n ?? recommended.count).map { byItem[$0] ?? 0 }
    if metric == "dcg" { return DiscountedGain.total(Array(found)) }
    let ideal = byItem.values.sorted(by: >).prefix(n ?? byItem.count)
    return DiscountedGain.normalized(Array(found), ideal: Array(ideal))
  }

  /// RecBole's tables have a row per list and a column per k.
  private static func atEveryPlace(_ metric: String, _ input: JSONValue) -> [Double]? {
    guard case .array(let rows)? = input["hits"] else { return nil }
    let counts = flat(input["n_relevant"] ?? .null).map { Int($0) }
    return zip(rows, counts).flatMap { row, count -> [Double] in
      let hits = flat(row).map { $0 > 0 }
      let list = JudgedList(hits: hits, relevant: max(count, hits.count { $0 }))
      return (1...hits.count).map { k in
        switch metric {
        case "hit@1..3": list.hitRate(at: k)
        case "ndcg@1..3": list.normalizedDiscountedGain(at: k) ?? .nan
        case "mrr@1..3": list.reciprocalRank(at: k)
        case "map@1..3": list.averagePrecision(at: k) ?? .nan
        case "precision@1..3": list.precision(at: k)
        default: .nan
        }
      }
    }
  }

  private static func exposure(_ metric: String, _ input: JSONValue) -> [Double]? {
    guard case .array(let lists)? = input["lists"], let items = input["num_items"]?.integerValue else {
      return nil
    }
    // RecBole counts places without a discount. Its item numbers start at 1.
    var places = [Double](repeating: 0, count: items)
    for item in lists.flatMap(flat) { places[Int(item) - 1] += 1 }
    let exposure = Exposure(places)
    return [metric == "gini" ? exposure.gini : exposure.coverage]
  }

  /// RecBole's table of users contains the number of candidates, the number of relevant candidates,
  /// and the sum of the ranks of the relevant candidates.
  private static func groupedArea(_ input: JSONValue) -> Double {
    let lengths = flat(input["user_len"] ?? .null)
    let likes = flat(input["pos_len"] ?? .null)
    let ranks = flat(input["pos_rank_sum"] ?? .null)
    var sum = 0.0
    var weights = 0.0
    for ((length, likes), ranks) in zip(zip(lengths, likes), ranks) where likes > 0 && likes < length {
      // The area depends only on the sum of the ranks, so the test uses any order with this sum.
      let choices = (0..<1 << Int(length)).lazy.map { bits in
        (1...Int(length)).filter { bits >> ($0 - 1) & 1 == 1 }
      }
      guard let chosen = choices.first(where: { $0.count == Int(likes) && $0.reduce(0, +) == Int(ranks) })
      else {
        return .nan
      }
      let area = AreaUnderCurve(
        scores: (1...Int(length)).map { -Double($0) }, isLike: (1...Int(length)).map(chosen.contains))
      // RecBole weights users by their likes. Nightjar weights them by their decisions.
      sum += likes * (area.value ?? .nan)
      weights += likes
    }
    return sum / weights
  }

  /// TREC's input has graded judgments and scores by document. Queries are ordered by name.
  private static func byQuery(_ metric: String, _ input: JSONValue) -> [Double]? {
    let judgements = input["qrels"]?.members ?? [:]
    guard let run = input["run"]?.members else {
      return [trec(metric, judgements, input["scores"]?.members ?? [:], n: nil)]
    }
    return judgements.sorted { $0.key < $1.key }.map {
      trec(metric, $0.value.members, run[$0.key]?.members ?? [:], n: input["n"]?.integerValue)
    }
  }

  private static func trec(
    _ metric: String, _ judgements: [String: JSONValue], _ scores: [String: JSONValue], n: Int?
  ) -> Double {
    let gains = judgements.mapValues { flat($0)[0] }
    let order = scores.mapValues { flat($0)[0] }.sorted { $0.value > $1.value }.map(\.key)
    let list = JudgedList(order, relevant: Set(gains.filter { $0.value > 0 }.keys))
    switch metric {
    case "precision_per_query": return list.precision(at: n ?? order.count)
    case "map_per_query": return list.averagePrecision(at: max(order.count, list.relevant)) ?? .nan
    default: return DiscountedGain.normalized(order.map { gains[$0] ?? 0 }, ideal: Array(gains.values))
    }
  }
}
