import Columns
import Concurrency
import Files
import Geohash
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The names of places on a map.
struct PlaceNamesTests {
  typealias People = [(city: String?, latitude: Double, longitude: Double)]

  private enum City: String {
    case bonn = "Bonn", rome = "Rom", ulm = "Ulm", vienna = "Wien"

    var latitude: Double {
      switch self {
      case .bonn: 50.7
      case .rome: 41.9
      case .ulm: 48.4
      case .vienna: 48.2
      }
    }

    var longitude: Double {
      switch self {
      case .bonn: 7.1
      case .rome: 12.5
      case .ulm: 10
      case .vienna: 16.4
      }
    }
  }

  /// Makes people who live in a city and have its word.
  private static func around(_ city: City, _ people: Int) -> People {
    (0..<people).map { (city.rawValue, city.latitude, city.longitude + Double($0 % 3) * 0.001) }
  }

  private static func names(
    _ people: People, snapped: Int = 6
  ) throws -> (attribute: String?, names: [String]) {
    let world = try RunByHand()
    try world.writePeople(people)
    let positions = people.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    let rows = positions.map { "\(Geohash($0, precision: snapped)),1\n" }.joined()
    let path = try world.scratch.write("cell,entities\n" + rows, to: "buckets.csv")
    let run = try world.run()
    let cells = try CoarseCells(path, snapped: snapped)
    let found = try PlaceNames(run, run.pipeline.entities[0], cells: cells)
    return (found.attribute, found.names.map { "\($0.word) \($0.place)" })
  }

  /// Returns the word of a city and the cell of the place that is `north` degrees north of the city.
  private static func at(_ city: City, _ precision: Int = 4, north: Double = 0) throws -> String {
    let place = try #require(Coordinate(latitude: city.latitude + north, longitude: city.longitude))
    return "\(city.rawValue) \(Geohash(place, precision: precision))"
  }

  @Test(arguments: [(6, 4), (4, 3)])
  func `a word is near its people, the most frequent word first`(_ snapped: Int, _ precision: Int) throws {
    let people = Self.around(.bonn, 12) + Self.around(.vienna, 20) + Self.around(.ulm, 15)
    let found = try Self.names(people, snapped: snapped)
    let expected = try [City.vienna, .ulm, .bonn].map { try Self.at($0, precision) }
    #expect(found.attribute == "city" && found.names == expected)
  }

  @Test func `a map has all names, the most important first`() throws {
    let world = try RunByHand()
    let people = Self.around(.bonn, 12) + Self.around(.vienna, 20) + Self.around(.ulm, 15)
    try world.writePeople(people)
    let positions = people.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    let rows = positions.map { "\(Geohash($0, precision: 6)),1\n" }.joined()
    try world.scratch.write("cell,entities\n" + rows, to: "index/people/buckets.csv")
    let figure = try #require(Section.map(world.run()).blocks.charts.first)
    let chart = try #require(figure.chart as? MapChart)
    #expect(chart.names.map(\.text) == ["Wien", "Ulm", "Bonn"])
    #expect(chart.cells.map(\.count) == [20, 15, 12])
  }

  /// The map shows Rome and its neighborhood as one cell, because the parts have too few people.
  @Test func `a word is shown at the mean of its people in a cell`() throws {
    let north = (0..<9).map { _ in
      (city: String?.some("Rom"), latitude: City.rome.latitude + 0.6, longitude: City.rome.longitude)
    }
    let found = try Self.names(Self.around(.vienna, 30) + Self.around(.rome, 9) + north)
    let expected = try [Self.at(.vienna), Self.at(.rome, north: 0.3)]
    #expect(found.names == expected)
  }

  @Test func `equally frequent words are in alphabetical order`() throws {
    let people = Self.around(.vienna, 12) + Self.around(.ulm, 12) + Self.around(.bonn, 13)
    let found = try Self.names(people)
    #expect(found.names.map { String($0.prefix { $0 != " " }) } == ["Bonn", "Ulm", "Wien"])
  }

  /// Bonn and Ulm have the same county, so counties explain less than cities.
  @Test(arguments: ["city: { type: category }, county", "county: { type: category }, city"])
  func `the attribute that explains most of the positions names the places`(_ order: String) throws {
    let people = Self.around(.bonn, 12) + Self.around(.ulm, 12) + Self.around(.rome, 40)
    var world = try RunByHand()
    world.yaml = world.yaml.replacing(
      "{ city: { type: category }, age: { type: number } }", with: "{ \(order): { type: category } }")
    var directory = try StageDirectory("people", in: world.scratch("snapshot/entities"))
    try Column.write(people.map(\.latitude), to: "latitude.npy", in: &directory)
    try Column.write(people.map(\.longitude), to: "longitude.npy", in: &directory)
    let cities = ["Bonn", "Rom", "Ulm"]
    let codes = people.map { UInt32(cities.firstIndex(of: $0.city ?? "") ?? 0) }
    try CategoryColumn.write(
      codes, in: cities.map { Array($0.utf8) }, to: "attributes/city", in: &directory)
    let counties: [UInt32] = codes.map { $0 == 1 ? 1 : 0 }
    try CategoryColumn.write(
      counties, in: ["north", "south"].map { Array($0.utf8) },
      to: "attributes/county", in: &directory)
    _ = try directory.complete(
      Manifest(
        tool: "", stage: "", pipeline: "", configuration: .null, asOf: world.asOf, seed: 0, counts: [:]))
    let positions = people.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    let rows = positions.map { "\(Geohash($0, precision: 6)),1\n" }.joined()
    let path = try world.scratch.write("cell,entities\n" + rows, to: "buckets.csv")
    let run = try world.run()
    let cells = try CoarseCells(path, snapped: 6)
    let found = try PlaceNames(run, run.pipeline.entities[0], cells: cells)
    #expect(found.attribute == "city" && found.names.map(\.word) == ["Rom", "Bonn", "Ulm"])
  }

  @Test(arguments: [(9, ["Wien", "Ulm"]), (10, ["Wien", "Ulm", "Rom"])])
  func `a word of fewer than ten people is not on the map`(_ people: Int, _ words: [String]) throws {
    let found = try Self.names(Self.around(.vienna, 20) + Self.around(.ulm, 15) + Self.around(.rome, people))
    #expect(found.names.map { String($0.prefix { $0 != " " }) } == words)
  }

  /// Ten people with the word live in two cells. Most people in these cells have no word.
  @Test func `a word without ten people in one cell is not on the map`() throws {
    let near = [0.0, -1.6].flatMap { east in
      (0..<55).map { number in
        (city: number < 5 ? "Rom" : nil, latitude: City.rome.latitude, longitude: City.rome.longitude + east)
      }
    }
    let found = try Self.names(Self.around(.vienna, 20) + Self.around(.ulm, 15) + near)
    #expect(found.names.map { String($0.prefix { $0 != " " }) } == ["Wien", "Ulm"])
  }

  @Test func `one word, or words unrelated to places, are not shown as names`() throws {
    #expect(try Self.names(Self.around(.vienna, 20)).attribute == nil)
    let places = Self.around(.vienna, 20) + Self.around(.rome, 20) + Self.around(.bonn, 20)
    let mixed = places.enumerated().map { index, person in
      (city: String?.some(index % 2 == 0 ? "cats" : "dogs"), person.latitude, person.longitude)
    }
    let found = try Self.names(mixed)
    #expect(found.attribute == nil && found.names.isEmpty)
  }

  @Test func `people without a word or a position do not count`() throws {
    let people = Self.around(.vienna, 20) + Self.around(.ulm, 10)
    let unknown = (0..<30).map { _ in (city: String?.none, latitude: 41.9, longitude: 12.5) }
    let nowhere = (0..<30).map { _ in (city: String?.some("Ulm"), latitude: Double.nan, longitude: Double.nan)
    }
    let found = try Self.names(people + unknown + nowhere)
    #expect(found.names.map { String($0.prefix { $0 != " " }) } == ["Wien", "Ulm"])
  }

  /// Compares the explained share with sums of squared chords between pairs: the scatter of n positions is
  /// the sum over all pairs, divided by n.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the explained share is the share between groups`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let groups = try (0..<Int.random(in: 2...4, using: &random)).map { _ in
      let (south, west) = (
        Double.random(in: -80...80, using: &random), Double.random(in: -170...170, using: &random)
      )
      return try (0..<Int.random(in: 1...8, using: &random)).map { _ in
        try #require(
          Coordinate(
            latitude: south + Double.random(in: 0...8, using: &random),
            longitude: west + Double.random(in: 0...8, using: &random)))
      }
    }
    func scatter(_ positions: [Coordinate]) -> Double {
      let vectors = positions.map(UnitVector.init)
      let chords = vectors.flatMap { one in vectors.map { one.squaredChord(toX: $0.x, y: $0.y, z: $0.z) } }
      return chords.reduce(0, +) / 2 / Double(positions.count)
    }
    let within = groups.map(scatter).reduce(0, +)
    let expected = 1 - within / scatter(groups.flatMap(\.self))
    #expect(abs(PlaceNames.explained(groups) - expected) < 1e-9)
    #expect(PlaceNames.explained([groups[0]]) <= 1e-9)
  }
}
