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

  /// p1 and p4 are at one place, p2 has no position, and p3 is far away. n2 has no position, and n3 has no
  /// creation time.
  @Test func `candidates without a position or a time are listed, and short lists have a reason`() throws {
    let likes = """
      interactions:
        likes:
          source: { path: likes.csv }
          user: { from: u, entity: people }
          candidate: { from: c, entity: notes }
          at: at
          value: v

      """
    let yaml = Self.yaml.replacing("owner: { from: by, entity: people }", with: "")
      .replacing("rankings:\n", with: likes + "rankings:\n").replacing("[self]", with: "[interacted]")
    let fixture = try StageFixture(
      yaml: yaml,
      files: [
        "people.csv": "id,lat,lon\np1,60,179\np2,,\np3,10,10\np4,60,179\n",
        "notes.csv":
          "id,at,lat,lon\nn1,3,60,179.1\nn2,9,,\nn3,,60,179.05\nn4,3,60,179.05\nn5,1,60.1,179\n",
        "likes.csv": "u,c,at,v\np1,n5,10,1\n",
      ])
    let manifest = try #require(try fixture.runStages()["rankings"])
    #expect(manifest.counts["search"] == ["near": "newest", "all": "newest"])
    let all = try fixture.list("all").map { $0.recommendations.map(\.candidate) }
    #expect(all[0] == ["n2", "n4", "n1", "n5", "n3"] && all[3] == all[0])
    // Without a position of one's own, the equally new notes n1 and n4 are in any order.
    #expect(all[1].sorted() == ["n1", "n2", "n3", "n4", "n5"])
    #expect(all[1].first == "n2" && all[1].suffix(2) == ["n5", "n3"])
    let near = try fixture.list("near").map { [$0.shortfall ?? ""] + $0.recommendations.map(\.candidate) }
    #expect(
      near == [
        ["none_left", "n4", "n1", "n3"], ["no_position"], ["none_in_radius"],
        ["none_in_radius", "n4", "n1", "n5", "n3"],
      ])
    let candidates = manifest.counts["lists"]?["near"]?["candidates"]
    #expect(candidates?["pairs"] == 20 && candidates?["out_of_reach"] == 12)
    #expect(candidates?["excluded"] == ["interacted": 1] && candidates?["listed"] == 7)
  }
}
