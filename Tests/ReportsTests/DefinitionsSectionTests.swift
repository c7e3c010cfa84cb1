import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The definitions at the end of a report.
@Suite struct DefinitionsSectionTests {
  private static func items(_ definitions: JSONValue?) throws -> [String] {
    let world = try RunByHand()
    if let definitions {
      let metrics: JSONValue = [
        "rankings": ["near": Found.ranking()], "split": [:], "definitions": definitions,
      ]
      try world.scratch.write(metrics.pretty, to: "evaluation/metrics.json")
    }
    // The last line is a paragraph about rounding.
    return try Array(Section.definitions(world.run()).shown.dropLast())
  }

  private static func terms(_ items: [String]) -> [String] { items.map { String($0.prefix { $0 != ":" }) } }

  @Test func `a report defines its own figures, and each metric at its greatest length`() throws {
    let items = try Self.items([
      "ndcg@3": "short", "ndcg@10": "the gain", "mrr@1": "one", "auc": "the area", "brier": "the error",
      "novelty": "new", "auc_weighted_mean": "weighted",
    ])
    let own = ["share rejected", "full list", "share of a step", "difference", "bold difference"]
    #expect(Self.terms(items) == own + ["AUC", "Brier", "nDCG@10", "fewer than 10"])
    #expect(Array(items[5...7]) == ["AUC: the area", "Brier: the error", "nDCG@10: the gain"])
    #expect(items[0] == "share rejected: rejected rows of a source / rows read from it")
    #expect(items[2] == "share of a step: users at the step / all users of the ranking")
    #expect(
      items[3]
        == "difference: mean over users of the pipeline’s value minus the other method’s value for the same user"
    )
    #expect(
      items[8]
        == "fewer than 10: smaller groups are hidden, and smaller counts are not shown exactly")
    #expect(try Self.terms(Self.items(nil)) == own + ["fewer than 10"])
  }
}
