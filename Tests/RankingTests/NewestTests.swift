import Concurrency
import Files
import Foundation
import Geohash
import PipelineFile
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// With `order_by: newest`, the newest candidate in reach comes first. If two candidates are equally new, the
/// nearer one comes first.
@Suite struct NewestTests {
  private struct Note {
    var id: String
    var owner: Int
    /// The creation time, or `nil` if it is missing in the export.
    var created: Int64?
    var place: Coordinate
  }

  /// At precision 12, snapping moves a position by less than a tenth of a meter.
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    privacy: { snap_positions_to: 12 }
    entities:
      people: { source: { path: people.csv }, id: id, position: { latitude: lat, longitude: lon } }
      notes:
        source: { path: notes.csv }
        id: id
        created: at
        owner: { from: by, entity: people }
        position: { latitude: lat, longitude: lon }
    rankings:
      near: { users: people, candidates: notes, within_km: 30, exclude: [self], order_by: newest, top: 7 }
      all: { users: people, candidates: notes, order_by: newest, top: 1000 }
    """

  private static func place(_ random: inout SplitMix64) throws -> Coordinate {
    try #require(
      Coordinate(
        latitude: 60 + Double.random(in: 0..<1, using: &random),
        longitude: 179.5 + Double.random(in: 0..<0.5, using: &random)))
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func `lists equal a full sort`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let people = try (0..<40).map { _ in try Self.place(&random) }
    let notes = try (0..<300).map { index in
      Note(
        id: "n\(index)", owner: Int.random(in: 0..<40, using: &random),
        // There are few different times, so many candidates are equally new.
        created: index % 29 == 0 ? nil : Int64.random(in: 1...60, using: &random),
        place: try Self.place(&random))
    }
    let fixture = try StageFixture(
      yaml: Self.yaml,
      files: [
        "people.csv": "id,lat,lon\n"
          + people.enumerated().map { "p\($0),\($1.latitude),\($1.longitude)\n" }.joined(),
        "notes.csv": "id,at,by,lat,lon\n"
          + notes.map {
            "\($0.id),\($0.created.map(String.init) ?? ""),p\($0.owner),\($0.place.latitude),\($0.place.longitude)\n"
          }.joined(),
      ])
    let manifest = try #require(try fixture.runStages(threads: 3)["rankings"])
    #expect(manifest.counts["search"] == ["near": "newest", "all": "newest"])
    var compared = 0
    for (list, isNear) in [("near", true), ("all", false)] {
      for line in try fixture.list(list) {
        let user = try #require(Int(line.user.dropFirst()))
        let origin = DistanceOrigin(people[user])
        let expected = notes.map { note in
          (
            note,
            origin.distanceInKilometers(
              toLatitude: note.place.latitude, longitude: note.place.longitude,
              cosineOfLatitude: DistanceOrigin.cosine(ofLatitude: note.place.latitude))
          )
        }.filter { !isNear || ($0.1 <= 30 && $0.0.owner != user) }
          .sorted { ($1.0.created ?? .min, $0.1) < ($0.0.created ?? .min, $1.1) }
          .prefix(isNear ? 7 : 1000)
        #expect(line.recommendations.map(\.candidate) == expected.map(\.0.id), "\(list) of \(line.user)")
        #expect(line.recommendations.allSatisfy { $0.score == nil })
        #expect((line.shortfall == nil) == (isNear && expected.count == 7))
        compared += expected.count
      }
    }
    #expect(compared > 10_000)
    try expectOneList(fixture)
  }

  /// All search methods must find the same candidates.
  private func expectOneList(_ fixture: StageFixture) throws {
    let snapshot = try fixture.snapshot()
    for ranking in fixture.pipeline.rankings {
      for top in [1, 3, 7, 40] {
        var ranking = ranking
        ranking.top = top
        let recommenders = try [Recommender.Method.auto, .scan].map {
          try Recommender(
            ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: .keys([.newest], .distance),
            method: $0)
        }
        var uncounted = 0
        for user in 0..<recommenders[0].userCount {
          var workspace = SearchWorkspace()
          let counted = recommenders[1].search(user: user, using: &workspace)
          let found = recommenders[0].search(user: user, isCounting: false, using: &workspace)
          #expect(found.best == counted.best)
          #expect(found.shortfall == counted.shortfall)
          if found.counts == nil { uncounted += 1 }
          let again = recommenders[0].search(user: user, using: &workspace)
          #expect(again.best == counted.best && again.counts != nil && again.counts == counted.counts)
        }
        // Some users must be searched from the newest candidate on.
        if top == 3 { #expect(uncounted > 5) }
      }
    }
  }
}
