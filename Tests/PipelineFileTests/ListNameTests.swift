import IngestFixture
import RunSchemas
import Testing
import Text

@testable import PipelineFile

/// The names of exclusions in the funnel, and the candidates that exclusions remove.
struct ListNameTests {
  @Test(
    arguments: [
      (.oneself, "self"), (.interacted, "interacted"), (.vetoed, "vetoed"), (.friends, "friends"),
      (.flagged("gone"), "gone"), (.notFlagged("open"), "not open"),
      (.unasked(user: "wanted"), "none of wanted"),
      (.unwished(Pipeline.Wish(candidate: "price", relation: .atMost, user: "budget")), "price above budget"),
      (.unwished(Pipeline.Wish(candidate: "price", relation: .atLeast, user: "least")), "price below least"),
      (.unwished(Pipeline.Wish(candidate: "town", relation: .anyOf, user: "towns")), "town other than towns"),
      (.unwished(Pipeline.Wish(candidate: "pets", relation: .allOf, user: "own")), "lacks own"),
      (.unwished(Pipeline.Wish(candidate: "pets", relation: .noneOf, user: "feared")), "pets in feared"),
      (.unless(.flagged("open")), "not open"), (.unless(.notFlagged("gone")), "gone"),
      (.unless(.oneOf("town", ["Cork"])), "other town"), (.unless(.noneOf("pets", ["cat"])), "unwanted pets"),
      (.unless(.within("price", 0...1)), "out of bounds: price"),
      (.unless(.free("slots", within: 1)), "not in time: slots"),
      (.unless(.known("town")), "no town"), (.unless(.notOver(["ends", "starts"])), "over: ends, starts"),
    ] as [(Pipeline.Exclusion, String)])
  func `each exclusion has a name`(exclusion: Pipeline.Exclusion, name: String) {
    #expect(exclusion.name == name)
  }

  private static let yaml = """
    pipeline: p
    entities:
      rooms:
        source: { path: rooms.jsonl }
        id: id
        attributes:
          gone: { type: flag }
          open: { type: flag }
          town: { type: category }
          free: { type: intervals, optional: true }
    """

  /// The intervals are in milliseconds around the as-of time 1000.
  private static let rows = """
    {"id":"a","gone":true,"open":true,"town":"x","free":[{"from":900,"to":1000}]}
    {"id":"b","gone":false,"open":false,"town":"y","free":[{"from":900,"to":1001}]}
    {"id":"c","gone":false,"open":true,"town":"x","free":[{"from":1499,"to":1600}]}
    {"id":"d","gone":true,"open":false,"town":"y","free":[{"from":1500,"to":1600}]}
    {"id":"e","gone":false,"open":true,"town":"y"}

    """

  private func table() throws -> EntityTable {
    let night = try Night(
      Self.yaml + "\nplausible: [1, 9999]\n", ["rooms.jsonl": Self.rows], asOf: Instant(milliseconds: 1000))
    return try #require(try night.snapshot().entities["rooms"])
  }

  @Test func `an entity is free if an interval overlaps the time from now on`() throws {
    let table = try table()
    let asOf = Instant(milliseconds: 1000)
    #expect(table.meets(.free("free", within: 500), asOf: asOf) == [false, true, true, false, false])
    #expect(table.meets(.free("free", within: 501), asOf: asOf) == [false, true, true, true, false])
    // The end of the time would be after all times.
    #expect(table.meets(.free("free", within: .max), asOf: asOf) == [false, true, true, true, false])
  }

  @Test(
    arguments: [
      ([], [-1, -1, -1, -1, -1]), ([.flagged("gone")], [0, -1, -1, 0, -1]),
      ([.flagged("gone"), .notFlagged("open")], [0, 1, -1, 0, -1]),
      ([.notFlagged("open"), .flagged("gone")], [1, 0, -1, 0, -1]),
      // Exclusions that depend on the user are left out, but they count.
      ([.oneself, .friends, .unless(.oneOf("town", ["x"])), .vetoed, .flagged("gone")], [4, 2, -1, 2, 2]),
      ([.unless(.flagged("open")), .unasked(user: "u"), .interacted], [-1, 0, -1, 0, -1]),
    ] as [([Pipeline.Exclusion], [Int16])])
  func `the first exclusion that applies is found`(exclusions: [Pipeline.Exclusion], expected: [Int16]) throws
  {
    #expect(try table().exclusionsByFlag(exclusions, asOf: Instant(milliseconds: 1000)) == expected)
  }
}
