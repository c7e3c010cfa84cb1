import Concurrency
import Foundation
import Testing

@testable import Synthesis

@Suite struct `Times of exports` {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
    (1_709_251_199_999, "2024-02-29T23:59:59Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
  ])
  func `are formatted by the calendar`(instant: Int64, text: String) {
    #expect(CivilTime.text(instant, .none) == text)
  }

  @Test(arguments: 0..<500 as Range<UInt64>)
  func `are parsed by timegm`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let instant = Int64(generator.nextIndex(below: 253_402_300_800_000))
    let microsecond = Int64(generator.nextIndex(below: 1000))
    let whole = Double(instant / 1000)
    #expect(ParsedExport.seconds(CivilTime.text(instant, .none)) == whole)
    let milliseconds = CivilTime.text(instant, .milliseconds)
    #expect(ParsedExport.seconds(milliseconds) == whole + Double(instant % 1000) / 1e3)
    let microseconds = CivilTime.text(instant, .microseconds, microsecond: microsecond)
    #expect(
      ParsedExport.seconds(microseconds) == whole + Double(instant % 1000 * 1000 + microsecond) / 1e6)
  }

  @Test func `can be named by date`() {
    #expect(CivilTime.text(FusionExport.newestSwipe, .none) == "2026-11-15T23:41:07Z")
    #expect(CivilTime.instant(year: 2000, month: 2, day: 29) == 951_782_400_000)
    #expect(CivilTime.weekday(FusionExport.newestSwipe) == 6)
    #expect(CivilTime.weekday(0) == 3)
  }

  @Test func `from the daily rhythm stay in their range`() {
    let rhythm = DailyRhythm(end: FusionExport.newestSwipe, days: 3)
    #expect(CivilTime.text(rhythm.start, .none) == "2026-11-13T00:00:00Z")
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let from = generator.nextInstant(in: rhythm.start..<rhythm.end)
      let to = generator.nextInstant(in: from + 1..<rhythm.end + 1)
      let instant = rhythm.next(in: from..<to, using: &generator)
      #expect((from..<to).contains(instant))
    }
  }
}

@Suite struct `Draws for exports` {
  @Test func `reach every index about equally often`() {
    var generator = SplitMix64(seed: 5)
    var counts = Array(repeating: 0, count: 7)
    for _ in 0..<70_000 { counts[generator.nextIndex(below: 7)] += 1 }
    // Five standard deviations of a count are 463.
    #expect(counts.allSatisfy { abs($0 - 10_000) < 463 })
  }

  @Test func `have mean 0 and variance 1`() {
    var generator = SplitMix64(seed: 6)
    let values = (0..<100_000).map { _ in generator.nextGaussian() }
    let mean = values.reduce(0, +) / 100_000
    let squares: [Double] = values.map { $0 * $0 }
    let variance: Double = squares.reduce(0, +) / 100_000 - mean * mean
    #expect(abs(mean) < 0.016)  // five standard errors
    #expect(abs(variance - 1) < 0.023)
    #expect(values.allSatisfy { $0.isFinite })
  }

  @Test(arguments: [0, 1, 2, 10, 1000])
  func `contain every number once`(count: Int) {
    var generator = SplitMix64(seed: 7)
    let order = generator.nextPermutation(of: count)
    #expect(order.sorted() == Array(0..<count))
    if count == 1000 { #expect(order != Array(0..<count)) }
  }

  @Test func `follow the weights, and never select a zero weight`() {
    let choice = WeightedChoice([0, 3, 0, 1, 0])
    var generator = SplitMix64(seed: 8)
    var counts = Array(repeating: 0, count: 5)
    for _ in 0..<40_000 { counts[choice.next(using: &generator)] += 1 }
    #expect(counts[0] + counts[2] + counts[4] == 0)
    #expect(abs(counts[1] - 30_000) < 433)  // five standard deviations
    #expect(WeightedChoice([]).isEmpty)
    #expect(WeightedChoice([0, 0]).isEmpty)
  }

  @Test func `differ between purposes`() {
    var first = SplitMix64(seed: 1, purpose: .person, index: 3)
    var second = SplitMix64(seed: 1, purpose: .taste, index: 3)
    var third = SplitMix64(seed: 1, purpose: .person, index: 4)
    let values = [first.next(), second.next(), third.next()]
    #expect(Set(values).count == 3)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `are divided into shares that add up`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let count = generator.nextInteger(in: 1...40)
    let most = generator.nextInteger(in: 1...30)
    let total = generator.nextInteger(in: count...count * most)
    let weights = (0..<count).map { _ in 0.001 + generator.nextUnit() }
    let shares = ActivityPlan.divide(total, by: weights, most: most)
    #expect(shares.reduce(0, +) == total)
    #expect(shares.allSatisfy { (1...most).contains($0) })
  }

  @Test func `shares follow the weights`() {
    #expect(ActivityPlan.divide(60, by: [1, 2, 3], most: 100) == [10, 20, 30])
  }
}

@Suite struct `Fields of Firestore documents` {
  @Test(arguments: ["", "plain", "Ana, \"PhD\"", "back\\slash", "a\nb\tc\u{1}\u{1F}", "Jose\u{301} Ø 🦉", "/"])
  func `hold any text`(text: String) throws {
    var fields = FirestoreFields()
    fields.string(text, text)
    let object = try JSONSerialization.jsonObject(with: Data("{\(fields.members)}".utf8))
    let parsed = try #require(object as? [String: [String: String]])
    let entry = try #require(parsed.first)
    #expect(Array(entry.key.utf8) == Array(text.utf8))
    #expect(Array((entry.value["stringValue"] ?? "?").utf8) == Array(text.utf8))
  }

  @Test func `have the types of the REST API`() {
    var inner = FirestoreFields()
    inner.string("city", "Graz")
    var fields = FirestoreFields()
    fields.integer("a", 7)
    fields.flag("b", true)
    fields.null("c")
    fields.time("d", "2026-01-01T00:00:00Z")
    fields.strings("e", ["x", "y"])
    fields.strings("f", [])
    fields.map("g", inner)
    fields.geoPoint("h", latitude: "47.07", longitude: "\"NaN\"")
    #expect(
      fields.members == #"""
        "a":{"integerValue":"7"},"b":{"booleanValue":true},"c":{"nullValue":null},\#
        "d":{"timestampValue":"2026-01-01T00:00:00Z"},\#
        "e":{"arrayValue":{"values":[{"stringValue":"x"},{"stringValue":"y"}]}},"f":{"arrayValue":{}},\#
        "g":{"mapValue":{"fields":{"city":{"stringValue":"Graz"}}}},\#
        "h":{"geoPointValue":{"latitude":47.07,"longitude":"NaN"}}
        """#)
  }
}

@Suite struct `The map of an export` {
  @Test func `has about sixty cities of Europe, each once`() {
    #expect((55...65).contains(City.europe.count))
    #expect(Set(City.europe.map(\.name)).count == City.europe.count)
    for city in City.europe {
      #expect((27...71).contains(city.latitude))
      #expect((-26...34).contains(city.longitude))
      #expect(city.thousands > 0)
    }
  }

  /// The distances in kilometers come from an atlas.
  @Test(arguments: [
    ("London", "Paris", 344.0), ("Madrid", "Barcelona", 505), ("Reykjavík", "Oslo", 1750),
    ("Las Palmas", "Santa Cruz de Tenerife", 90), ("Vienna", "Budapest", 214), ("Athens", "Nicosia", 915),
  ])
  func `has distances that are accurate to a few percent`(from: String, to: String, kilometers: Double) throws
  {
    let first = try #require(City.europe.first { $0.name == from })
    let second = try #require(City.europe.first { $0.name == to })
    let distance = first.place.kilometers(to: second.place)
    #expect(abs(distance / kilometers - 1) < 0.06)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `moves places by the given distances, to five decimals`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let start = Place(latitude: 28 + 40 * generator.nextUnit(), longitude: -25 + 58 * generator.nextUnit())
    let north = 40 * generator.nextUnit() - 20
    let east = 40 * generator.nextUnit() - 20
    let moved = start.moved(north: north, east: east)
    #expect(abs(moved.latitude * 1e5 - (moved.latitude * 1e5).rounded()) < 1e-6)
    let back = start.offset(to: moved)
    #expect(abs(back.north - north) < 0.002)
    // `offset` uses the middle latitude and `moved` uses the latitude of the start. At 68 degrees, they
    // differ by 0.4 % over 20 km.
    #expect(abs(back.east - east) < 0.1)
  }
}
