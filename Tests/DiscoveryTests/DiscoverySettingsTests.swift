import Columns
import Concurrency
import Files
import LeastSquares
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Discovery

struct DiscoverySettingsTests {
  @Test func `settings are stored by name, with the half-life in seconds`() {
    let defaults: JSONValue = [
      "half_life_seconds": .null, "half_place": .null, "popularity": .number(1), "distance": .number(0),
      "area_precision": .null,
    ]
    #expect(DiscoverySettings().json == defaults)
    #expect(DiscoverySettings(defaults) == DiscoverySettings())
    var settings = DiscoverySettings()
    settings.halfLife = 3_000_000
    settings.halfPlace = 2.5
    settings.popularity = 0.25
    settings.distance = 0.5
    settings.areaPrecision = 5
    let expected: JSONValue = [
      "half_life_seconds": 3000, "half_place": .number(2.5), "popularity": .number(0.25),
      "distance": .number(0.5), "area_precision": 5,
    ]
    #expect(settings.json == expected)
    #expect(DiscoverySettings(expected) == settings)
    #expect(DiscoverySettings.key == "discovery")
  }

  @Test func `an order by items alone has a tiny weight of the popularity and no other setting`() {
    let settings = DiscoverySettings.itemsAlone
    #expect(settings.popularity == 1e-6 && settings.distance == 0)
    #expect(settings.halfLife == nil && settings.halfPlace == nil && settings.areaPrecision == nil)
  }

  @Test(
    arguments: [
      ("popularity", -0.5, false), ("popularity", 0, true), ("popularity", .infinity, false),
      ("distance", -0.5, false), ("distance", 0, true), ("distance", .infinity, false),
      ("half_place", 0, false), ("half_place", -1, false), ("half_place", .infinity, false),
      ("half_place", 0.5, true),
    ] as [(String, Double, Bool)])
  func `stored settings out of range are not read`(_ name: String, _ value: Double, _ isRead: Bool) {
    var members = DiscoverySettings().json.members
    members[name] = .number(value)
    #expect((DiscoverySettings(.object(members)) != nil) == isRead)
  }

  @Test(
    arguments: [
      (-1, nil), (0, nil), (1, 1000), (Int.max / 1000, Int64(Int.max / 1000) * 1000),
      (Int.max / 1000 + 1, nil),
    ] as [(Int, Int64?)])
  func `a stored half-life is at least a second and fits in milliseconds`(
    _ seconds: Int, _ milliseconds: Int64?
  ) {
    var members = DiscoverySettings().json.members
    members["half_life_seconds"] = .integer(seconds)
    let read = DiscoverySettings(.object(members))
    #expect(read?.halfLife == milliseconds)
    #expect((read == nil) == (milliseconds == nil))
  }

  @Test(
    arguments: [(0, nil), (1, 1), (12, 12), (13, nil), (.number(5), nil), (.null, nil), (nil, nil)]
      as [(JSONValue?, Int?)])
  func `a stored precision of areas is a precision of geohashes`(_ stored: JSONValue?, _ precision: Int?) {
    var members = DiscoverySettings().json.members
    members["area_precision"] = stored
    let read = DiscoverySettings(.object(members))
    #expect(read?.areaPrecision == precision)
    #expect((read == nil) == (precision == nil && stored != .null && stored != nil))
  }

  @Test(arguments: ["popularity", "distance"])
  func `settings without a weight or an exponent are not read`(_ name: String) {
    var members = DiscoverySettings().json.members
    members[name] = nil
    #expect(DiscoverySettings(.object(members)) == nil)
  }

  @Test func `a weight halves with each half-life`() {
    #expect([0, 1, 2, 3].map { DiscoverySettings.half($0) } == [1, 0.5, 0.25, 0.125])
  }
}
