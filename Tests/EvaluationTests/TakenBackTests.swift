import Columns
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Evaluation

/// Evaluates retracted interactions. A retraction before the cut removes the interaction. A
/// retraction after the cut has no effect on the state at the cut.
struct TakenBackTests {
  /// The cut is at 10.
  private static let swipes = [
    "a,b,1,r", "a,b,2,x", "a,b,11,r",  // Retracted before the cut, and liked again after it.
    "a,c,3,r", "a,c,12,x",  // Retracted after the cut, so the like counts at the cut.
    "a,d,13,r", "a,d,14,x",  // Liked and retracted after the cut.
    "a,e,15,r", "a,e,16,x", "a,e,17,l",
    "a,f,18,x",
    "b,a,4,r", "b,a,19,r",
  ]

  private static func fixture() throws -> StageFixture {
    let fixture = try StageFixture(
      yaml: """
        pipeline: back
        as_of: newest
        plausible: [1, 9999]
        entities: { people: { source: { path: people.csv }, id: id, attributes: { field: { type: category } } } }
        interactions:
          swipes:
            source: { path: swipes.csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1, x: taken_back } }
        model: { learns_from: swipes, features: [category: field], prior: everybody }
        rankings:
          new: { users: people, candidates: people, exclude: [self, interacted], top: 3 }
        evaluation: { cut: "1970-01-01T00:00:00.010Z", at: [3], samples: 100 }
        """,
      files: [
        "people.csv": "id,field\n" + "abcdef".map { "\($0),f\n" }.joined(),
        "swipes.csv": "who,whom,at,way\n" + swipes.joined(separator: "\n") + "\n",
      ])
    try fixture.runStages()
    return fixture
  }

  private static func decisions(omitsDecided: Bool) throws -> LaterDecisions {
    let fixture = try Self.fixture()
    let snapshot = try Snapshot(
      fixture.run + "/snapshot", entities: fixture.pipeline.entities.map(\.schema),
      interactions: fixture.pipeline.interactions.map(\.schema), holdsEnded: true)
    let table = try #require(snapshot.interactions["swipes"])
    #expect(table.count == swipes.count)
    let rows = (0..<6).map { UInt32($0) }
    return LaterDecisions(
      table, isTest: table.at.elements.map { $0 > 10 }, users: rows, candidates: rows, userCount: 6,
      omitsDecided: omitsDecided)
  }

  @Test func `a retracted decision does not count as a pass or as any other decision`() throws {
    let decisions = try Self.decisions(omitsDecided: true)
    #expect(decisions.candidates == [1, 4] && decisions.isLike == [true, false])
    let counts = decisions.counts
    #expect(counts.decidedBefore == 2 && counts.takenBack == 5 && counts.notTheLatest == 0)
    #expect(counts.likes == 1 && counts.passes == 1 && counts.interactions == 9)
  }

  @Test func `if candidates are shown again, later decisions on known ones count`() throws {
    let decisions = try Self.decisions(omitsDecided: false)
    #expect(decisions.candidates == [1, 4, 0] && decisions.isLike == [true, false, true])
    #expect(decisions.counts.takenBack == 6 && decisions.counts.decidedBefore == 0)
  }

  @Test func `at the cut, a decision counts unless it was retracted before the cut`()
    throws
  {
    let fixture = try Self.fixture()
    let (metrics, text) = try fixture.evaluate()
    #expect(metrics["split"]?["learning"]?.integerValue == 2, "a likes c, and b likes a")
    #expect(metrics["split"]?["test"]?.integerValue == 9)
    let later = try #require(metrics["rankings"]?["new"]?["decisions"])
    #expect(later["taken_back"]?.integerValue == 5 && later["decided_before"]?.integerValue == 2)
    #expect(text.contains("5 retractions and retracted interactions"), "\(text)")
  }
}
