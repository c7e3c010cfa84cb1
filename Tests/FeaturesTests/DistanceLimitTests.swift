import Columns
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Features

/// The greatest distance from which a model learns.
@Suite struct DistanceLimitTests {
  /// Twenty people are within 220 km. Another person, `far`, is in the Gulf of Guinea.
  private static func space(_ rankings: String) throws -> FeatureSpace {
    let people = (0..<20).map { "p\($0),\(50 + Double($0) / 10),8\n" }
    let swipes = (0..<20).flatMap { user in
      (0..<20).filter { $0 != user }.map { "p\(user),p\($0),\($0),\($0 % 2)\n" }
        + (user < 3 ? ["p\(user),far,30,0\n"] : [])
    }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id, position: { latitude: lat, longitude: lon } }
        interactions:
          swipes: { source: { path: swipes.csv }, user: a, candidate: b, at: at, value: v }
        model: { learns_from: swipes, features: [position, distance], prior: population }
        rankings:
        \(rankings)
        """,
      files: [
        "people.csv": "id,lat,lon\nfar,0.5,0.5\n" + people.joined(),
        "swipes.csv": "a,b,at,v\n" + swipes.joined(),
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    return FeatureSpace(
      try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot(), threads: 2)
  }

  private static let wide = "  wide: { users: people, candidates: people }"

  /// The three rows about `far` are beyond the fence. A radius of 100 km also excludes far pairs of the
  /// others.
  @Test(
    arguments: [
      (wide, nil, 3), ("  near: { users: people, candidates: people, within_km: 100 }", 100, nil),
      (
        "  near: { users: people, candidates: people, within_km: 50 }\n  far: { users: people, candidates: people, within_km: 100 }",
        100, nil
      ),
      ("  near: { users: people, candidates: people, within_km: 100 }\n" + wide, nil, 3),
    ] as [(String, Double?, Int?)])
  func `distances beyond the fence or all radii are missing in learning rows`(
    rankings: String, radius: Double?, beyond: Int?
  ) throws {
    let space = try Self.space(rankings)
    let bounds = try #require(space.form.features["distance_km"]?.candidates)
    #expect(bounds.low == 0)
    if let radius { #expect(bounds.high == radius) } else { #expect((300..<5000).contains(bounds.high)) }
    if let beyond { #expect(bounds.beyond == beyond) } else { #expect(bounds.beyond > 3) }
    let place = try #require(space.columns.firstIndex(of: "distance_km"))
    func value(_ distance: Double, learningFrom row: Int?) -> Double {
      var values = [Double](repeating: -1, count: space.columns.count)
      space.fill(&values, user: 1, candidate: 0, distance: distance, learningFrom: row)
      return values[place]
    }
    #expect(value(7, learningFrom: 0) == 7 && value(7, learningFrom: nil) == 7)
    #expect(value(5800, learningFrom: 0).isNaN && value(5800, learningFrom: nil) == bounds.high)
    // The manifest would reveal bounds of positions to readers of logs.
    #expect(space.form.features["latitude"]?.candidates == nil)
  }
}
