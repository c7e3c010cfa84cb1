import Concurrency
import Testing

@testable import Readers

/// Compares the SIMD search with a search byte by byte.
@Suite struct FieldPlacesTests {
  private static let stops: [UInt8] = [UInt8(ascii: ";"), UInt8(ascii: "'"), lineFeed, carriageReturn]

  /// Returns the offsets in the window at which fields begin, as far as one call searches.
  private func places(in bytes: [UInt8], from start: Int) -> [Int] {
    let padded = bytes + [UInt8](repeating: Self.stops[0], count: ByteWindow.padding)
    var places = FieldPlaces(.delimited(delimiter: Self.stops[0], quote: Self.stops[1]))
    // The second call must not see results of the first one.
    for offset in [0, start] { unsafe places.look(from: offset, in: padded.span.bytes, end: bytes.count) }
    return (0..<places.count).map { places.offset($0) }
  }

  private func expected(_ bytes: [UInt8], from start: Int) -> [Int] {
    let end = min(bytes.count, start + FieldPlaces.reach)
    return [start] + (start..<end).filter { Self.stops.contains(bytes[$0]) }.map { $0 + 1 }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `every stop is found, and nothing is found after the end`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Some texts have few or no stops, and some consist of stops.
    let shares: [Double] = [0, 0.01, 0.1, 0.5, 1]
    let share = shares[Int.random(in: shares.indices, using: &random)]
    let most = seed % 20 == 0 ? 3 * FieldPlaces.reach : 300
    let bytes = (0..<Int.random(in: 0...most, using: &random)).map { _ in
      random.nextUnit() < share
        ? Self.stops[Int.random(in: 0..<4, using: &random)] : UInt8.random(in: 0...255, using: &random)
    }
    let start = Int.random(in: 0...bytes.count, using: &random)
    #expect(places(in: bytes, from: start) == expected(bytes, from: start))
  }

  /// Most rows have the same length, as in many exports. Other rows occur now and then. Each search
  /// starts at the beginning of a row.
  @Test(arguments: 0..<60 as Range<UInt64>, [true, false])
  func `results of earlier scans of similar rows are reused correctly`(seed: UInt64, isJSON: Bool) {
    var random = SplitMix64(seed: seed)
    let stops = isJSON ? [UInt8(ascii: "\""), UInt8(ascii: "\\"), 0, 0x1F, lineFeed] : Self.stops
    func row(_ lengths: [Int]) -> [UInt8] {
      lengths.flatMap { length in
        (0..<length).map { _ in UInt8.random(in: 97...122, using: &random) }
          + [stops[Int.random(in: stops.indices, using: &random)]]
      }
    }
    func lengths() -> [Int] {
      (0..<Int.random(in: 1...6, using: &random)).map { _ in Int(random.next() % 30) }
    }
    let share = [0, 0.001, 0.02, 0.5][Int(seed % 4)]
    var common = lengths()
    var starts: [Int] = []
    var bytes: [UInt8] = []
    while bytes.count < 5 * FieldPlaces.reach {
      if random.nextUnit() < share / 10 { common = lengths() }
      starts.append(bytes.count)
      bytes += row(random.nextUnit() < share ? lengths() : common)
    }
    // The tests are not optimized, so each byte is compared with the stops only once.
    let allPlaces = bytes.indices.filter { stops.contains(bytes[$0]) }
    let padded = bytes + [UInt8](repeating: stops[0], count: ByteWindow.padding)
    var places =
      isJSON ? FieldPlaces(.json) : FieldPlaces(.delimited(delimiter: stops[0], quote: stops[1]))
    for look in 0..<16 {
      // Most searches are consecutive, as in a scanner. Others start at any row. Some end so early
      // that they find fewer places than the search before.
      let start =
        look % 3 == 2
        ? starts.randomElement(using: &random) ?? 0
        : starts.first { $0 >= look * FieldPlaces.reach / 4 } ?? 0
      let end = look % 5 == 4 ? min(bytes.count, start + Int(random.next() % 2000)) : bytes.count
      unsafe places.look(from: start, in: padded.span.bytes, end: end)
      let reached = min(end, start + FieldPlaces.reach)
      let found = (0..<places.count).map { places.offset($0) }
      let expected = allPlaces.filter { (start..<reached).contains($0) }
      #expect(found == [start] + expected.map { $0 + 1 })
      if !isJSON { #expect(places.lineFeeds == expected.count { bytes[$0] == lineFeed }) }
    }
  }

  @Test func `a larger scan discards the results of a smaller one`() {
    let bytes = Array(String(repeating: "ab;c\n", count: 4000).utf8)
    let padded = bytes + [UInt8](repeating: 0, count: ByteWindow.padding)
    var places = FieldPlaces(.delimited(delimiter: Self.stops[0], quote: Self.stops[1]))
    for end in [640, 700, bytes.count] {
      unsafe places.look(from: 0, in: padded.span.bytes, end: end)
      #expect(
        (0..<places.count).map { places.offset($0) } == expected(Array(bytes.prefix(end)), from: 0))
    }
  }

  @Test func `each byte is compared with each stop`() {
    for byte in UInt8.min...UInt8.max {
      for place in [0, 15, 16, 31, 32, 47, 48, 63, 64] {
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 70)
        bytes[place] = byte
        #expect(places(in: bytes, from: 0) == expected(bytes, from: 0), "\(byte)")
      }
    }
  }

  @Test func `every byte that can end a JSON string is found`() {
    let bytes = (UInt8.min...UInt8.max).flatMap { [$0, UInt8(ascii: "x")] }
    let padded = bytes + [UInt8](repeating: 0, count: ByteWindow.padding)
    var places = FieldPlaces(.json)
    unsafe places.look(from: 0, in: padded.span.bytes, end: bytes.count)
    let stops = bytes.indices.filter {
      bytes[$0] < 0x20 || bytes[$0] == UInt8(ascii: "\"") || bytes[$0] == UInt8(ascii: "\\")
    }
    #expect((0..<places.count).map { places.offset($0) } == [0] + stops.map { $0 + 1 })
  }

  @Test func `a place is found by searching from an earlier one`() {
    let bytes = Array("a;b\ncc;d\n".utf8)
    let padded = bytes + [UInt8](repeating: 0, count: ByteWindow.padding)
    var places = FieldPlaces(.delimited(delimiter: Self.stops[0], quote: Self.stops[1]))
    #expect(places.index(of: 0, from: 0) == nil, "no search has run")
    unsafe places.look(from: 0, in: padded.span.bytes, end: bytes.count)
    #expect([0, 2, 4, 7, 9].map { places.index(of: $0, from: 0) } == [0, 1, 2, 3, 4])
    #expect(places.index(of: 7, from: 2) == 3)
    #expect(places.index(of: 3, from: 0) == nil)
    #expect(places.index(of: 10, from: 0) == nil)
  }
}
