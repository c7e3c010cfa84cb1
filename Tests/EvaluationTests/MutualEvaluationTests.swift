import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import TestSupport
import Text

@testable import Evaluation

/// The evaluation of a ranking in the mutual order, from exports to files.
@Suite struct MutualEvaluationTests {
  private static func evaluated(_ order: String, exclude: String = "[self, interacted]") throws -> (
    fixture: StageFixture, figures: JSONValue, text: String
  ) {
    let world = RandomExport(seed: 91, people: 60, swipes: 2_500)
    let yaml = RandomExport.yaml(
      features: "[{ category: field }, { number: experience }, received_like_rate]",
      ranking:
        "    within_km: 900\n    exclude: \(exclude)\n    order_by: \(order)\n    top: 5\n    minimum_score: -9"
    )
    let fixture = try StageFixture(
      yaml: yaml + "\nevaluation: { cut: 0.6, at: [5], samples: 100 }", files: world.files)
    try fixture.runStages()
    let (metrics, text) = try fixture.evaluate()
    return (fixture, try #require(metrics["rankings"]?["near"]), text)
  }

  private static func mean(_ figures: JSONValue, _ method: String, _ path: String...) -> Double? {
    path.reduce(figures["methods"]?[method]) { $0?[$1] }?["mean"]?.numberValue
  }

  @Test func `the order of own scores is the method one_sided`() throws {
    let (_, mutual, text) = try Self.evaluated("mutual")
    let (_, scored, _) = try Self.evaluated("score")
    let order = mutual["method_order"]?.elements.compactMap(\.stringValue) ?? []
    #expect(order.prefix(2) == ["pipeline", "one_sided"])
    #expect(scored["methods"]?["one_sided"] == nil)
    for path in [["ordering", "auc"], ["matching", "match_auc"], ["finding", "ndcg@5"]] {
      let own = path.reduce(scored["methods"]?["pipeline"]) { $0?[$1] }
      try #require(own?["mean"]?.numberValue != nil, "\(path)")
      #expect(path.reduce(mutual["methods"]?["one_sided"]) { $0?[$1] } == own, "\(path)")
      #expect(path.reduce(mutual["methods"]?["pipeline"]) { $0?[$1] } != own, "\(path)")
    }
    #expect(text.contains("matching: do later matches"))
    let tested = (mutual["tests"]?.elements ?? []).compactMap { $0["metric"]?.stringValue }
    #expect(Set(tested) == ["ndcg@5", "recall@5", "auc", "match_auc"])
  }

  @Test func `the areas of matches computed from scores.csv equal those in metrics.json`() throws {
    let (fixture, figures, _) = try Self.evaluated("{ mutual: { other: 0.5, known: likes } }")
    let rows = plainCSVText(Array(try fixture.bytes("evaluation/scores.csv")))
    let match = try #require(rows[0].firstIndex(of: "match"))
    for method in ["pipeline", "one_sided", "popular"] {
      let column = try #require(rows[0].firstIndex(of: method))
      var (areas, firsts): ([Double], [Double]) = ([], [])
      for own in Dictionary(grouping: rows.dropFirst().filter { !$0[match].isEmpty }, by: { $0[1] }).values {
        func scores(_ label: String) throws -> [Double] {
          try own.filter { $0[match] == label }.map { try #require(Double($0[column])) }
        }
        let (matches, others) = (try scores("1"), try scores("0"))
        guard let best = (matches + others).max(), !matches.isEmpty, !others.isEmpty else { continue }
        let wins = matches.map { match in others.map { match > $0 ? 1 : match == $0 ? 0.5 : 0 }.reduce(0, +) }
        areas.append(wins.reduce(0, +) / Double(matches.count * others.count))
        let first = (matches.count { $0 == best }, others.count { $0 == best })
        firsts.append(Double(first.0) / Double(first.0 + first.1))
      }
      try #require(areas.count > 10)
      for (name, values) in [("match_auc", areas), ("match_at_1", firsts)] {
        let mean = try #require(Self.mean(figures, method, "matching", name))
        #expect(abs(values.reduce(0, +) / Double(values.count) - mean) < 1e-12, "\(method) \(name)")
      }
    }
    for name in ["match_auc", "match_at_1"] {
      let own = try #require(Self.mean(figures, "pipeline", "matching", name))
      let other = try #require(Self.mean(figures, "one_sided", "matching", name))
      let difference = try #require(figures["differences"]?["one_sided"]?[name]?["mean"]?.numberValue)
      #expect(abs(difference - (own - other)) < 1e-12, "\(name)")
    }
  }

  /// Candidates who passed on the user before the cut are not on the lists, so the order of these pairs does
  /// not count.
  @Test func `decisions on candidates that the ranking excludes have no label`() throws {
    func labels(_ exclude: String) throws -> Int {
      let (fixture, _, _) = try Self.evaluated("mutual", exclude: exclude)
      let rows = plainCSVText(Array(try fixture.bytes("evaluation/scores.csv")))
      let match = try #require(rows[0].firstIndex(of: "match"))
      return rows.dropFirst().count { !$0[match].isEmpty }
    }
    let (all, some) = (try labels("[self, interacted]"), try labels("[self, interacted, vetoed]"))
    #expect(some > 20 && some < all)
  }

  @Test(arguments: [
    ("compat: createml", "createml", "everybody"), ("prior: everybody", "everybody", "createml"),
  ])
  func `a method that equals the order of own scores is left out`(model: String, own: String, other: String)
    throws
  {
    let world = RandomExport(seed: 92, people: 40, swipes: 800)
    let yaml = RandomExport.yaml(
      features: "[{ category: field }]",
      ranking: "    exclude: [self]\n    order_by: mutual\n    top: 5"
    ).replacingOccurrences(of: "compat: createml", with: model)
    let fixture = try StageFixture(
      yaml: yaml + "\nevaluation: { cut: 0.6, at: [5], samples: 100 }", files: world.files)
    try fixture.runStages()
    let figures = try #require(try fixture.evaluate().metrics["rankings"]?["near"])
    #expect(figures["left_out"]?[own] == "it is the same as the method 'one_sided'")
    #expect(figures["methods"]?[own] == nil && figures["methods"]?["one_sided"] != nil)
    #expect(figures["left_out"]?[other] == nil && figures["methods"]?[other] != nil)
  }
}
