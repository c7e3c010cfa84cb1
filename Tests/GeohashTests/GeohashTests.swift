import Testing

@testable import Geohash

@Suite struct GeohashTests {
  @Test func `upper case is accepted and lower case is written`() throws {
    #expect(try Geohash(parsing: "EZS42").description == "ezs42")
    #expect(Geohash("eZs42") == Geohash("ezs42"))
    #expect(try Geohash(parsing: "xezs42".dropFirst()) == Geohash(parsing: "ezs42"))
  }

  @Test(arguments: [
    ("", GeohashParsingError.empty),
    ("0123456789bcd", .tooLong(count: 13)),
    (String(repeating: "a", count: 40), .tooLong(count: 40)),
    ("a", .invalidCharacter("a", position: 1)),
    ("bcopqr", .invalidCharacter("o", position: 3)),
    ("ezs4I", .invalidCharacter("I", position: 5)),
    (" ezs42", .invalidCharacter(" ", position: 1)),
    ("ezs42\n", .invalidCharacter("\n", position: 6)),
    ("ez\0", .invalidCharacter("\0", position: 3)),
    ("e\u{301}zs", .invalidCharacter("\u{301}", position: 2)),
    ("ezs4🦉", .invalidCharacter("🦉", position: 5)),
    ("ezs４2", .invalidCharacter("\u{FF14}", position: 4)),
    // This text has twelve characters and more than twelve bytes.
    ("0123456789bé", .invalidCharacter("é", position: 12)),
    ("ééééééé", .invalidCharacter("é", position: 1)),
  ])
  func `an invalid geohash is rejected with a reason`(text: String, error: GeohashParsingError) {
    #expect(throws: error) { try Geohash(parsing: text) }
    #expect(Geohash(text) == nil)
  }

  @Test func `every ASCII character outside the alphabet is rejected`() {
    for code in 0..<128 as Range<UInt8> {
      let scalar = Unicode.Scalar(code)
      let isInAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz".contains(Character(scalar).lowercased())
      #expect((Geohash(String(scalar)) != nil) == isInAlphabet, "\(code)")
    }
  }

  @Test func `messages contain the name, the rule and the value`() {
    #expect(
      GeohashParsingError.empty.description == "A geohash has 1 to 12 characters, but this one is empty.")
    #expect(GeohashParsingError.tooLong(count: 13).description.contains("this one has 13"))
    #expect(
      GeohashParsingError.invalidCharacter("o", position: 3).description
        == "A geohash contains only the digits 0 to 9 and the letters b to z without i, l and o, but character 3 is 'o'."
    )
    #expect(
      GeohashParsingError.invalidCharacter("\u{7}", position: 1).description.hasSuffix(
        "character 1 is U+0007."))
    #expect(
      GeohashParsingError.invalidCharacter("🦉", position: 5).description.hasSuffix("character 5 is U+1F989."))
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `geohashes sort as their strings, and within a precision as their bits`(seed: UInt64) {
    var positions = Positions(seed: seed)
    let geohashes = (0..<300).map { index in
      // There are few places and many precisions, so some geohashes are prefixes of others.
      Geohash(positions.next(), precision: index % 12 + 1).parent(
        precision: min(index % 12 + 1, 1 + index % 4))
    }
    let sorted = geohashes.sorted()
    #expect(
      sorted.map(\.description)
        == geohashes.map(\.description).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for precision in 1...4 {
      let bits = sorted.filter { $0.precision == precision }.map(\.bits)
      #expect(bits == bits.sorted())
    }
  }

  @Test func `bits are accepted if they fit the precision`() {
    #expect(Geohash(bits: 31, precision: 1)?.description == "z")
    #expect(Geohash(bits: 32, precision: 1) == nil)
    #expect(Geohash(bits: 1 << 60 - 1, precision: 12)?.description == "zzzzzzzzzzzz")
    #expect(Geohash(bits: 1 << 60, precision: 12) == nil)
    #expect(Geohash(bits: .max, precision: 12) == nil)
    #expect(Geohash(bits: 0, precision: 0) == nil)
    #expect(Geohash(bits: 0, precision: 13) == nil)
    #expect(Geohash(bits: 0, precision: -1) == nil)
    #expect(Geohash(bits: 0, precision: .max) == nil)
    #expect(Geohash(bits: 0, precision: .min) == nil)
  }

  @Test func `a parent is a prefix`() throws {
    let geohash = try Geohash(parsing: "u4pruydqqvj8")
    #expect(geohash.parent(precision: 12) == geohash)
    #expect(geohash.parent(precision: 5).description == "u4pru")
    #expect(geohash.parent(precision: 1).description == "u")
    #expect(try Geohash(parsing: "u4p").contains(geohash))
    #expect(try Geohash(parsing: "u4p").contains(Geohash(parsing: "u4p")))
    #expect(try !geohash.contains(Geohash(parsing: "u4p")))
    #expect(try !Geohash(parsing: "u4q").contains(geohash))
  }

  @Test func `ranges of descendants are exact at both ends`() throws {
    let last = try Geohash(parsing: "z")
    #expect(last.range(atPrecision: 12) == 31 << 55..<32 << 55)
    #expect(last.range(atPrecision: 1) == 31..<32)
    #expect(try Geohash(parsing: "zzzzzzzzzzzz").range(atPrecision: 12) == 1 << 60 - 1..<1 << 60)
    #expect(try Geohash(parsing: "0").range(atPrecision: 2) == 0..<32)
    var positions = Positions(seed: 9)
    for index in 0..<300 {
      let geohash = Geohash(positions.next(), precision: index % 12 + 1)
      let finer = geohash.precision + index % (13 - geohash.precision)
      let range = geohash.range(atPrecision: finer)
      let first = try #require(Geohash(bits: range.lowerBound, precision: finer))
      let last = try #require(Geohash(bits: range.upperBound - 1, precision: finer))
      #expect(geohash.contains(first) && geohash.contains(last))
      #expect(range.contains(Geohash(geohash.center, precision: finer).bits))
      if range.lowerBound > 0 {
        #expect(!geohash.contains(try #require(Geohash(bits: range.lowerBound - 1, precision: finer))))
      }
      if let next = Geohash(bits: range.upperBound, precision: finer) { #expect(!geohash.contains(next)) }
    }
  }

  @Test(arguments: [(1, 6671.7), (2, 1396.8), (5, 6.911), (6, 1.366), (7, 0.21595), (12, 4.168e-5)])
  func `the largest diagonals equal known values`(precision: Int, kilometers: Double) {
    #expect(abs(Geohash.largestDiagonalInKilometers(atPrecision: precision) / kilometers - 1) < 1e-3)
  }

  @Test(arguments: 1...3)
  func `no two corners of a cell are farther apart than its largest diagonal`(precision: Int) {
    let bound = Geohash.largestDiagonalInKilometers(atPrecision: precision)
    // All cells of a row have the same size, so one column covers all cases.
    for step in 0..<1 << (5 * precision / 2) {
      let cell = GridCell(latitudeIndex: UInt32(step), longitudeIndex: 0, depth: 5 * precision)
      let box = cell.boundingBox
      let corners = [box.south, box.north].flatMap { latitude in
        [box.west, box.east].map { Coordinate(unchecked: latitude, $0) }
      }
      for corner in corners {
        for other in corners {
          let distance = corner.distanceInKilometers(to: other)
          #expect(distance <= bound + 1e-11)
          #expect(distance <= box.diagonalInKilometers + 1e-11)
        }
      }
    }
  }
}
