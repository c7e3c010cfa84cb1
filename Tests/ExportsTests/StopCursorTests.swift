import Reproducible
import Testing

@testable import Exports

/// The cursor over 64 bytes at once finds what a look at each byte finds.
struct StopCursorTests {
  private static let stops: [UInt8] = [UInt8(ascii: ";"), UInt8(ascii: "'"), lineFeed, carriageReturn]

  private func found(in bytes: [UInt8], from start: Int) -> [Int] {
    let padded = bytes + [UInt8](repeating: 0, count: ByteWindow.padding)
    var cursor = StopCursor(delimiter: Self.stops[0], quote: Self.stops[1])
    let raw = unsafe padded.span.bytes
    cursor.move(to: start, in: raw)
    #expect(cursor.position == start)
    var found: [Int] = []
    while true {
      let stop = cursor.next(in: raw, end: bytes.count)
      found.append(stop)
      guard stop < bytes.count else { return found }
      #expect(cursor.position == stop + 1)
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `every stop is found, and then the end`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Some without a stop for long, some of stops alone.
    let shares: [Double] = [0, 0.01, 0.1, 0.5, 1]
    let share = shares[Int.random(in: shares.indices, using: &random)]
    let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      random.nextUnit() < share
        ? Self.stops[Int.random(in: 0..<4, using: &random)] : UInt8.random(in: 0...255, using: &random)
    }
    let start = Int.random(in: 0...bytes.count, using: &random)
    let expected: [Int] = (start..<bytes.count).filter { Self.stops.contains(bytes[$0]) }
    #expect(found(in: bytes, from: start) == expected + [bytes.count])
  }

  @Test func `each byte is compared with each stop`() {
    for byte in UInt8.min...UInt8.max {
      for place in [0, 15, 16, 31, 32, 47, 48, 63, 64] {
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 70)
        bytes[place] = byte
        #expect(found(in: bytes, from: 0) == (Self.stops.contains(byte) ? [place, 70] : [70]), "\(byte)")
      }
    }
  }
}
