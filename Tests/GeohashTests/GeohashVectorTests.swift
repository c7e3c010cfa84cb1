import Testing
import TestSupport

@testable import Geohash

/// Checks 4 761 vectors from other implementations. If Nightjar's rules differ from the rules behind a row,
/// the test expects Nightjar's result.
@Suite(.enabled(if: SharedData.exists("third-party/geohash_vectors.dev.tsv"), "needs ../shared/data"))
struct GeohashVectorTests {
  static let path = "third-party/geohash_vectors.dev.tsv"

  static let ours: [String: @Sendable (TSV.Row) throws -> Void] = [
    "encode": encode, "encode_disagree": encodeDisagree, "encode_int": encodeBits,
    "decode_bbox": decodeBox, "decode_center": decodeCenter, "decode_center_err": decodeCenterAndError,
    "neighbor": neighbor, "neighbors": neighbors, "neighbors_int": neighborBits,
    "neighbors_set": neighborSet, "roundtrip": roundTrip, "roundtrip_point": roundTripPoint,
    "validate": validate,
  ]

  /// Codes and functions of other systems that are not part of the geohash standard.
  static let theirs: Set = [
    "bounding_box_bits", "encode_extent", "meters_to_lon_degrees", "query_range", "redis_geohash",
    "redis_score52", "wrap_longitude",
  ]

  @Test func `every row is either checked or outside this implementation`() throws {
    let kinds = Set(try TSV.rows(Self.path).map { $0["op"] })
    #expect(kinds.subtracting(Self.theirs).subtracting(Self.ours.keys).isEmpty)
  }

  @Test(arguments: ours.keys.sorted())
  func `rows of reference vectors hold`(kind: String) throws {
    let check = try #require(Self.ours[kind])
    let rows = try TSV.rows(Self.path).filter { $0["op"] == kind }
    #expect(!rows.isEmpty)
    for row in rows { try check(row) }
  }

  // MARK: - The kinds

  @Sendable static func encode(_ row: TSV.Row) throws {
    let point = coordinate(row)
    let precision = Int(row["precision"])
    if row["expected"] == "error" {
      #expect(point == nil || !Geohash.precisions.contains(precision ?? 0), "\(row["id"])")
      return
    }
    // Some libraries use more than twelve characters. The test compares the first twelve.
    let characters = min(try #require(precision, "\(row["id"])"), 12)
    let geohash = Geohash(try #require(point, "\(row["id"])"), precision: characters)
    #expect(geohash.description == row["expected"].prefix(12), "\(row["id"])")
  }

  @Sendable static func encodeDisagree(_ row: TSV.Row) throws {
    let exact = try #require(
      row["expected"].split(separator: ";").first { $0.hasPrefix("ex=") }, "\(row["id"])")
    let geohash = Geohash(
      try #require(coordinate(row), "\(row["id"])"), precision: try #require(Int(row["precision"])))
    #expect(geohash.description == exact.dropFirst(3), "\(row["id"])")
  }

  @Sendable static func encodeBits(_ row: TSV.Row) throws {
    let cell = GridCell(
      containing: try #require(coordinate(row), "\(row["id"])"), depth: try #require(Int(row["precision"])))
    #expect(cell.bits == UInt64(row["expected"]), "\(row["id"])")
  }

  @Sendable static func decodeBox(_ row: TSV.Row) throws {
    guard let cell = try cell(row) else { return }
    let expected = try numbers(row, 4)
    let tolerance = try tolerance(row)
    let box = cell.boundingBox
    if row["hash"].utf8.count > 12 {
      // The row's geohash has more than twelve characters. Its cell is inside the cell of the first
      // twelve.
      #expect(box.south - tolerance <= expected[0] && expected[2] <= box.north + tolerance, "\(row["id"])")
      #expect(box.west - tolerance <= expected[1] && expected[3] <= box.east + tolerance, "\(row["id"])")
      return
    }
    for (found, expected) in zip([box.south, box.west, box.north, box.east], expected) {
      #expect(abs(found - expected) <= tolerance, "\(row["id"])")
    }
  }

  @Sendable static func decodeCenter(_ row: TSV.Row) throws {
    guard let cell = try cell(row) else { return }
    let expected = try numbers(row, 2)
    let tolerance = try tolerance(row)
    #expect(abs(cell.center.latitude - expected[0]) <= tolerance, "\(row["id"])")
    #expect(abs(cell.center.longitude - expected[1]) <= tolerance, "\(row["id"])")
  }

  @Sendable static func decodeCenterAndError(_ row: TSV.Row) throws {
    guard let cell = try cell(row) else { return }
    let box = cell.boundingBox
    let found = [cell.center.latitude, cell.center.longitude, box.halfLatitudeSpan, box.halfLongitudeSpan]
    let tolerance = try tolerance(row)
    for (found, expected) in zip(found, try numbers(row, 4)) {
      #expect(abs(found - expected) <= tolerance, "\(row["id"])")
    }
  }

  @Sendable static func neighbor(_ row: TSV.Row) throws {
    let direction = try #require(directions[row["precision"]], "\(row["id"])")
    let geohash = try Geohash(parsing: row["hash"])
    let neighbor = geohash.neighbor(direction)
    #expect(
      isRight(neighbor?.cell, beside: geohash.cell, direction) {
        Geohash($0).description == row["expected"]
      }, "\(row["id"])")
  }

  @Sendable static func neighbors(_ row: TSV.Row) throws {
    let cell = try Geohash(parsing: row["hash"]).cell
    for (direction, expected) in try directed(row) {
      let neighbor = cell.neighbor(north: direction.rowsNorth, east: direction.columnsEast)
      #expect(
        isRight(neighbor, beside: cell, direction) { Geohash($0).description == expected }, "\(row["id"])")
    }
  }

  @Sendable static func neighborBits(_ row: TSV.Row) throws {
    let cell = GridCell(
      bits: try #require(UInt64(row["hash"]), "\(row["id"])"), depth: try #require(Int(row["precision"])))
    for (direction, expected) in try directed(row) {
      let neighbor = cell.neighbor(north: direction.rowsNorth, east: direction.columnsEast)
      #expect(isRight(neighbor, beside: cell, direction) { $0.bits == UInt64(expected) }, "\(row["id"])")
    }
  }

  @Sendable static func neighborSet(_ row: TSV.Row) throws {
    let expected = row["expected"].split(separator: ",").map(String.init)
    guard !row["hash"].isEmpty else {
      #expect(expected.isEmpty, "\(row["id"]): the globe has no neighbours")
      return
    }
    let found = try Geohash(parsing: row["hash"]).neighbors.map(\.description)
    #expect(found.count == expected.count && Set(found) == Set(expected), "\(row["id"])")
  }

  @Sendable static func roundTrip(_ row: TSV.Row) throws {
    let geohash = try Geohash(parsing: row["hash"])
    #expect(
      Geohash(geohash.center, precision: geohash.precision).description == row["expected"], "\(row["id"])")
  }

  /// The row needs more characters than Nightjar's geohashes have, so the test uses the deepest grid.
  @Sendable static func roundTripPoint(_ row: TSV.Row) throws {
    let center = GridCell(containing: try #require(coordinate(row), "\(row["id"])"), depth: 64).center
    let expected = try numbers(row, 2)
    let tolerance = try tolerance(row)
    #expect(abs(center.latitude - expected[0]) <= tolerance, "\(row["id"])")
    #expect(abs(center.longitude - expected[1]) <= tolerance, "\(row["id"])")
  }

  @Sendable static func validate(_ row: TSV.Row) throws {
    let text = row["hash"]
    switch row["expected"] {
    case "ok":
      #expect(Geohash(text) != nil, "\(row["id"])")
    case "error":
      #expect(Geohash(text) == nil, "\(row["id"])")
    case "error: too long":
      #expect(throws: GeohashParsingError.tooLong(count: text.count)) { try Geohash(parsing: text) }
    case let expected:
      let quoted = expected.split(separator: "'")
      try #require(
        quoted.count == 2 && quoted[0] == "error: invalid character ", "\(row["id"]): \(expected)?")
      let character = try #require(quoted[1].unicodeScalars.first)
      let position = try #require(Array(text.unicodeScalars).firstIndex(of: character)) + 1
      #expect(throws: GeohashParsingError.invalidCharacter(character, position: position)) {
        try Geohash(parsing: text)
      }
    }
  }

  // MARK: - Columns

  static let directions: [String: CompassDirection] = [
    "n": .north, "ne": .northeast, "e": .east, "se": .southeast, "s": .south, "sw": .southwest, "w": .west,
    "nw": .northwest,
  ]

  static func coordinate(_ row: TSV.Row) -> Coordinate? {
    guard let latitude = Double(row["lat"]), let longitude = Double(row["lon"]) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// Returns the cell of the row's geohash, or of its first twelve characters. If the row expects
  /// an error, checks the error and returns `nil`. In other libraries, an empty geohash is the
  /// whole globe. In Nightjar, the globe is a cell without a geohash.
  static func cell(_ row: TSV.Row) throws -> GridCell? {
    let text = row["hash"]
    if row["expected"] == "error" {
      #expect(Geohash(text) == nil, "\(row["id"])")
      return nil
    }
    if text.isEmpty { return GridCell(bits: 0, depth: 0) }
    if text.utf8.count > 12 { #expect(Geohash(text) == nil, "\(row["id"])") }
    return try Geohash(parsing: text.prefix(12)).cell
  }

  static func numbers(_ row: TSV.Row, _ count: Int) throws -> [Double] {
    let numbers = row["expected"].split(separator: ",").compactMap { Double($0) }
    try #require(numbers.count == count, "\(row["id"])")
    return numbers
  }

  static func tolerance(_ row: TSV.Row) throws -> Double {
    let text = row["tol"]
    if let number = Double(text) { return number }
    if text.isEmpty { return 0 }
    let words = text.split(separator: " ")
    try #require(
      words.count == 4 && words[0] == "rounded" && words[3] == "decimals", "\(row["id"]): \(text)?")
    let decimals = try #require(Int(words[2]), "\(row["id"]): \(text)?")
    let unit = (0..<decimals).reduce(1.0) { unit, _ in unit / 10 }
    // The tolerance is half a unit of the last digit, plus the rounding error of the expected decimal.
    return unit / 2 + 1e-12
  }

  static func directed(_ row: TSV.Row) throws -> [(CompassDirection, String)] {
    let pairs = try row["expected"].split(separator: ",").map { item in
      let parts = item.split(separator: ":").map(String.init)
      try #require(parts.count == 2, "\(row["id"])")
      return (try #require(directions[parts[0]], "\(row["id"])"), parts[1])
    }
    let distinct = Set(pairs.map(\.0)).count
    try #require(distinct == pairs.count && distinct > 0, "\(row["id"])")
    return pairs
  }

  /// Whether a neighbor is as expected. Other libraries return a neighbor across a pole, and
  /// Nightjar returns none.
  static func isRight(
    _ neighbor: GridCell?, beside cell: GridCell, _ direction: CompassDirection,
    _ isExpected: (GridCell) -> Bool
  ) -> Bool {
    if let neighbor { return isExpected(neighbor) }
    return direction.rowsNorth > 0 ? cell.boundingBox.north == 90 : cell.boundingBox.south == -90
  }
}
