import Columns
import PipelineFile
import RunSchemas
import Testing

@testable import Ranking

/// Tests the radii of a ranking, of its users and of its candidates.
@Suite struct ReachTests {
  /// Users and candidates with these radii; NaN is missing.
  private static func reach(_ settings: String, users: [Double], candidates: [Double]) throws -> Reach {
    let pipeline = try Pipeline(
      yaml: """
        pipeline: p
        entities:
          people:
            source: { path: people.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { limit: { type: number } }
          rooms:
            source: { path: rooms.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { limit: { type: number } }
        rankings: { near: { users: people, candidates: rooms, order_by: distance, top: 3, \(settings) } }
        """, file: "p.yaml")
    func table(_ radii: [Double]) -> EntityTable {
      EntityTable(
        ids: StringColumn(inMemory: radii.indices.map { [UInt8(97 + $0)] }), position: nil, owner: nil,
        attributes: AttributeColumns(numbers: ["limit": Column(inMemory: radii)]))
    }
    return Reach(pipeline.rankings[0], users: table(users), candidates: table(candidates))
  }

  /// The search uses the smaller of both radii, because no candidate beyond this radius is in reach.
  @Test(
    arguments: [
      ("within_km: 100", [.nan], [.nan], [100]), ("within_candidates_km: limit", [.nan], [5, 7], [7]),
      ("within_candidates_km: limit", [.nan], [5, .nan], [nil]),
      ("within_candidates_km: limit", [.nan], [], [0.001]),
      ("within_km: 100, within_candidates_km: limit", [.nan], [5, 7], [7]),
      ("within_km: 100, within_candidates_km: limit", [.nan], [5, 700], [100]),
      ("within_km: { from: limit, default: 30 }", [3, .nan, 0, 90_000], [.nan], [3, 30, 0.001, 20_038]),
    ] as [(String, [Double], [Double], [Double?])])
  func `the searched radius is the smaller radius, within the earth's size`(
    _ settings: String, _ users: [Double], _ candidates: [Double], _ expected: [Double?]
  ) throws {
    let reach = try Self.reach(settings, users: users, candidates: candidates)
    #expect(users.indices.map(reach.searchRadius(ofUser:)) == expected)
    #expect(reach.isOneForAll == !settings.contains("limit"))
  }

  @Test func `both radii are inclusive`() throws {
    let reach = try Self.reach(
      "within_km: 100, within_candidates_km: limit", users: [.nan], candidates: [5, .nan])
    for (candidate, distance, isInReach) in [
      (0, 5, true), (0, 5.1, false), (1, 100, true), (1, 100.1, false), (0, .nan, false), (1, .nan, false),
    ] as [(Int, Double, Bool)] {
      #expect(
        reach.contains(candidate, distance: distance, radius: 100) == isInReach, "\(candidate) at \(distance)"
      )
    }
    #expect(reach.contains(1, distance: .nan, radius: nil))
  }
}
