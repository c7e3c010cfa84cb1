import Foundation
import StageFixture
import Testing
import Text

/// An evaluation compares wishes with the values that users and candidates had at the cut.
struct WishEvaluationTests {
  private static let yaml = """
    pipeline: flats
    as_of: newest
    plausible: [1, 9999]
    entities:
      seekers:
        source: { path: seekers.csv }
        id: id
        updated: updated
        position: { latitude: lat, longitude: lon }
        attributes: { budget: { type: number } }
      rooms:
        source: { path: rooms.csv }
        id: id
        updated: updated
        position: { latitude: lat, longitude: lon }
        attributes: { price: { type: number }, smoking: { type: flag } }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: s, entity: seekers }
        candidate: { from: r, entity: rooms }
        at: t
        value: v
    rankings:
      near:
        users: seekers
        candidates: rooms
        only: [not smoking, { price: { at_most: 5000 } }]
        wishes: { price: { at_most: budget } }
        order_by: distance
    evaluation: { cut: '1970-01-01T00:00:00.800Z', at: [3] }
    """

  @Test func `budgets and prices are as of the cut`() throws {
    let users = ["s1", "s2", "s3"]
    let rooms = ["r1", "r2", "r3", "r4", "r5"]
    let later = users.flatMap { user in rooms.map { "\(user),\($0),900,1\n" } }
    let fixture = try StageFixture(
      yaml: Self.yaml,
      files: [
        "seekers.csv": """
        id,updated,lat,lon,budget
        s1,1,50,8,500
        s1,850,50,8,10
        s2,1,50,8,100
        s2,850,50,8,9000
        s3,1,50,8,

        """,
        "rooms.csv": """
        id,updated,lat,lon,price,smoking
        r1,1,50,8,400,
        r2,1,50,8,100,
        r2,850,50,8,9000,
        r3,1,50,8,,
        r4,1,50,8,9000,
        r4,850,50,8,50,
        r5,1,50,8,20,true
        r5,850,50,8,20,

        """,
        "likes.csv": "s,r,t,v\ns1,r1,1,1\ns2,r1,2,1\ns3,r2,3,1\n" + later.joined(),
      ])
    try fixture.runStages()
    let metrics = try fixture.evaluate().metrics
    let eligible = ["s1 r1", "s1 r2", "s2 r2", "s3 r1", "s3 r2"]
    #expect(metrics["rankings"]?["near"]?["users"]?["reachable_likes"] == .integer(eligible.count))
    // The ranking is by distance, so the nearest candidates are its own lists.
    let tested =
      metrics["rankings"]?["near"]?["tests"]?.elements.compactMap { $0["method"]?.stringValue } ?? []
    #expect(tested.contains("random") && !tested.contains("nearest"))
    let run = String(decoding: try fixture.bytes("evaluation/trec/near.pipeline.run"), as: UTF8.self)
    let pairs = run.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      return "\(words[0]) \(words[2])"
    }
    #expect(pairs.sorted() == eligible)
    // The lists of the run use the current data.
    #expect(
      try fixture.rows("rankings/near.csv").map { "\($0[0]) \($0[2])" }.sorted()
        == ["s2 r1", "s2 r4", "s2 r5", "s3 r1", "s3 r4", "s3 r5"])
  }
}
