import Features
import Foundation
import Geohash
import RunSchemas
import StageFixture
import Testing

@testable import Discovery

struct EntitiesAsOfTests {
  /// The table has one person with two profiles, one whose profiles are all later, and one who joins later.
  private func people(
    at time: Int64, usesLaterProfiles: Bool = false
  ) throws -> (exists: [Bool], latitudes: [Double?]) {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1960, 2100]
        entities:
          people:
            source: { path: people.csv }
            id: id
            created: { from: created, unit: seconds }
            updated: { from: updated, unit: seconds }
            position: { latitude: lat, longitude: lon }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: user, entity: people }
            candidate: { from: other, entity: people }
            at: { from: at, unit: seconds }
            value: like
        """,
      files: [
        "people.csv": """
        id,lat,lon,created,updated
        a,10,-5,1,1
        a,11,-6,1,50
        b,20,-7,1,50
        c,30,-8,60,60

        """,
        "likes.csv": "user,other,at,like\na,b,90,1\n",
      ])
    try fixture.ingest()
    let table = try #require(try fixture.snapshot().entities["people"])
    let found = EntitiesAsOf(table, usesLaterProfiles: usesLaterProfiles) { _ in time * 1000 }
    let positions = try #require(found.positions)
    // Each version has its own longitude.
    let longitudes: [Double: Double] = [10: -5, 11: -6, 20: -7, 30: -8]
    let places = (0..<3).map { positions[$0] }
    let latitudes = places.map { place in place.map { $0.latitude.rounded() } }
    for (place, latitude) in zip(places, latitudes) {
      let expected = latitude.flatMap { longitudes[$0] }
      #expect(place.map { $0.longitude.rounded() } == expected)
    }
    return (found.exists, latitudes)
  }

  @Test(
    arguments: [
      (49, [true, true, false], [10, nil, nil]), (50, [true, true, false], [11, 20, nil]),
      (59, [true, true, false], [11, 20, nil]), (60, [true, true, true], [11, 20, 30]),
    ] as [(Int64, [Bool], [Double?])])
  func `each entity has its position as of the time`(
    time: Int64, exists: [Bool], latitudes: [Double?]
  ) throws {
    let found = try people(at: time)
    #expect(found.exists == exists && found.latitudes == latitudes)
  }

  @Test func `later profiles count only if this is allowed`() throws {
    let found = try people(at: 49, usesLaterProfiles: true)
    #expect(found.exists == [true, true, false] && found.latitudes == [10, 20, nil])
  }
}
