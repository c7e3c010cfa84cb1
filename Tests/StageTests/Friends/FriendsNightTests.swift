import Foundation
import Testing
import TestSupport
import Text

/// Runs of Finding Friends on small exports and on invalid input.
struct FriendsNightTests {
  private func candidates(_ run: FriendsRun, _ list: String) throws -> [String: [String]] {
    try #require(run.ended.ending == .status(0), "\(run.ended.errors)")
    return try Dictionary(
      uniqueKeysWithValues: run.list(list).map { ($0.user, $0.recommendations.map(\.candidate)) })
  }

  @Test func `a person's newest check-in is their position`() throws {
    var exports = FriendsExports()
    for id in ["a", "b", "c"] { exports.user(id) }
    exports.checkIn("1", "a", "10:00:00", 52.5200, 13.4000, place: "Here")
    exports.checkIn(
      "2", "b", "10:00:00", 52.5205, 13.4000, place: "There", picture: "https://x.example/b.jpg")
    exports.checkIn("3", "c", "09:00:00", 52.5200, 13.4000, place: "Then")
    exports.checkIn("4", "c", "11:00:00", 48.0000, 11.0000, place: "Away")
    exports.post("p1", "a", "09:00:00", 52.52, 13.40)
    exports.post("p2", "b", "09:30:00", 52.52, 13.90)
    exports.post("p3", "c", "10:30:00", 52.52, 13.41)
    let run = try exports.run()
    #expect(try candidates(run, "nearby") == ["a": ["b"], "b": ["a"], "c": []])
    #expect(try candidates(run, "posts") == ["a": ["p3", "p2"], "b": ["p3", "p1"], "c": []])
    let found = try #require(try run.list("nearby").first?.recommendations.first)
    #expect(found.shown?["place"] == "There")
    #expect(found.shown?["name"] == "N. b")
    #expect(found.shown?["picture"] == "https://x.example/b.jpg")
    #expect(found.kilometers == 0.2)
    #expect(run.ended.errors.contains("as of 2026-11-15T11:00:00Z"))
  }

  @Test func `check-ins count for 24 hours, to the millisecond`() throws {
    var exports = FriendsExports()
    for id in ["edge", "over", "now"] { exports.user(id) }
    exports.checkIn("1", "edge", "06:00:00.000", 1, 1)
    exports.checkIn("2", "over", "05:59:59.999", 1, 1)
    exports.checkIn("3", "now", "07:00:00", 1, 1)
    let run = try exports.run(["--as-of", "2026-11-16T06:00:00Z"])
    #expect(try candidates(run, "nearby") == ["edge": ["now"], "over": [], "now": ["edge"]])
    #expect(try run.list("nearby").map(\.shortfall) == ["none_in_radius", "none_in_radius", "no_position"])
    let longer = try exports.run([
      "--as-of", "2026-11-16T06:00:00Z", "--set", "check_ins.check_ins.expires_after=never",
    ])
    #expect(try candidates(longer, "nearby").values.allSatisfy { $0.count == 2 })
  }

  @Test(arguments: [
    // The places are on both sides of the antimeridian and around a pole, where all meridians meet.
    (-17.0, 179.999, -17.0, -179.999, 0.3), (89.9999, 0.0, 89.9999, 179.9, 0.2),
    (90.0, 10.0, 90.0, -170.0, 0.2),
    (-90.0, 0.0, -90.0, 90.0, 0.2),
  ])
  func `nearby works anywhere on the globe`(
    latitude: Double, longitude: Double, other: Double, otherLongitude: Double, atMost: Double
  ) throws {
    var exports = FriendsExports()
    for id in ["a", "b"] { exports.user(id) }
    exports.checkIn("1", "a", "10:00:00", latitude, longitude)
    exports.checkIn("2", "b", "10:00:00", other, otherLongitude)
    exports.post("p", "b", "10:00:00", other, otherLongitude)
    let run = try exports.run()
    #expect(try candidates(run, "nearby") == ["a": ["b"], "b": ["a"]])
    #expect(try candidates(run, "posts") == ["a": ["p"], "b": []])
    let kilometers = try #require(try run.list("nearby").first?.recommendations.first?.kilometers)
    #expect(kilometers <= atMost)
  }

  @Test func `moving within a cell changes no list`() throws {
    let cell = PlainGeodesy.cell(latitude: 41.9, longitude: 12.5, precision: 7)
    func lists(_ north: Double, _ east: Double) throws -> [[RankingsFiles.Line]] {
      var exports = FriendsExports()
      for id in ["a", "b", "c"] { exports.user(id) }
      exports.checkIn("1", "a", "10:00:00", 41.905, 12.505)
      exports.checkIn("2", "b", "10:00:00", 41.8999, 12.5)
      exports.checkIn(
        "3", "c", "10:00:00", cell.south + north * (cell.north - cell.south),
        cell.west + east * (cell.east - cell.west))
      exports.post("p", "c", "10:00:00", 41.9, 12.5)
      let run = try exports.run()
      try #require(run.ended.ending == .status(0), "\(run.ended.errors)")
      return try ["nearby", "map", "posts"].map(run.list)
    }
    let expected = try lists(0.5, 0.5)
    #expect(expected[0].allSatisfy { $0.recommendations.count == 2 })
    for (north, east) in [(0.01, 0.01), (0.99, 0.01), (0.3, 0.99)] {
      #expect(try lists(north, east) == expected)
    }
  }

  @Test func `empty tables give warnings and no lists`() throws {
    let run = try FriendsExports().run()
    #expect(run.ended.ending == .status(0), "\(run.ended.errors)")
    for list in ["nearby", "map", "posts"] { #expect(try run.list(list).isEmpty) }
    for name in ["users", "check_ins", "posts"] {
      #expect(run.ended.errors.contains("'\(name)' has no rows"))
    }
  }

  @Test func `people without check-ins have empty lists with a reason`() throws {
    var exports = FriendsExports()
    for id in ["a", "b"] { exports.user(id) }
    exports.post("p", "b", "10:00:00", 1, 1)
    let run = try exports.run()
    for list in ["nearby", "map", "posts"] {
      #expect(try candidates(run, list) == ["a": [], "b": []])
      #expect(try run.list(list).allSatisfy { $0.shortfall == "no_position" })
    }
  }

  @Test func `a single person has empty lists`() throws {
    var exports = FriendsExports()
    exports.user("a")
    exports.checkIn("1", "a", "10:00:00", 1, 1)
    exports.post("p", "a", "10:00:00", 1, 1)
    let run = try exports.run()
    for list in ["nearby", "map", "posts"] {
      #expect(try candidates(run, list) == ["a": []])
      #expect(try run.list(list).first?.shortfall == "none_in_radius")
    }
  }

  @Test func `without valid rows the run ends with status 65 and the reasons`() throws {
    var exports = FriendsExports()
    exports.user("a")
    for number in 0..<5 { exports.checkIn("\(number)", "stranger", "10:00:00", 1, 1) }
    let strict = try exports.run(["--set", "dangling_limit=0.1"])
    #expect(strict.ended.ending == .status(65))
    #expect(strict.ended.errors.contains("5 unknown_user"))
    // With a higher limit, the run succeeds and the lists are empty.
    #expect(try candidates(exports.run(), "nearby") == ["a": []])
  }

  @Test func `a check-in without a place name or picture is rejected and hides no older one`()
    throws
  {
    var exports = FriendsExports()
    for id in ["a", "b"] { exports.user(id) }
    exports.checkIn("1", "a", "10:00:00", 1, 1, place: "Good")
    exports.checkIn("2", "a", "11:00:00", 5, 5, place: "")
    exports.checkIn("3", "a", "12:00:00", 5, 5, picture: "")
    exports.checkIn("4", "b", "10:00:00", 1, 1)
    let run = try exports.run()
    #expect(try candidates(run, "nearby") == ["a": ["b"], "b": ["a"]])
    #expect(try run.list("nearby").last?.recommendations.first?.shown?["place"] == "Good")
    #expect(try run.sources().object("check_ins").object("rejected").integers == ["missing_attribute": 2])
    #expect(run.ended.errors.contains("as of 2026-11-15T10:00:00Z"))
  }
}
