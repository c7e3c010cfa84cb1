import Concurrency
import Testing

@testable import Index

@Suite struct `Sorting by digits` {
  /// The masks select the bits in which keys differ: all bits, only high bits, a few bits, or none.
  @Test(
    arguments: 0..<8 as Range<UInt64>,
    [UInt64.max, 0xFFF_FFFF_FFFF_FFFF, 0xFF0_0000_0000_0000, 0x7FF, 0x800, 1 << 63, 0])
  func `is a stable sort`(seed: UInt64, mask: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = [0, 1, 2, 100, 5000][Int(seed % 5)]
    var entries = (0..<count).map { row in
      RadixSort.CodedRow(code: random.next() & mask | 0x5555 & ~mask, row: UInt32(row))
    }
    let expected = entries.sorted { ($0.code, $0.row) < ($1.code, $1.row) }
    RadixSort.sort(&entries)
    #expect(entries.map(\.row) == expected.map(\.row))
    #expect(entries.map(\.code) == expected.map(\.code))
  }
}
