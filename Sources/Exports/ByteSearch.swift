/// Finds the first of up to three bytes, eight at a time.
///
/// A word XORed with a repeated byte is zero where they are equal, and `(x - 0x01…) & ~x & 0x80…` marks zero
/// bytes. Borrows can mark bytes above a real zero too, never below: the lowest mark is always right, and on a
/// little-endian machine the lowest is the first in memory.
///
/// Source: Mycroft's zero-byte test, as in Warren, Hacker's Delight (2nd ed.), section 6-1.
struct ByteSearch {
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// A search for any of three bytes; repeat one to search for fewer.
  init(_ first: UInt8, _ second: UInt8, _ third: UInt8) {
    self.first = Self.ones &* UInt64(first)
    self.second = Self.ones &* UInt64(second)
    self.third = Self.ones &* UInt64(third)
  }

  /// The offset of the first searched byte at or after `start`, or `end` when there is none before it.
  ///
  /// - Parameters:
  ///   - padded: Bytes with at least seven more behind `end`.
  ///   - start: At most `end`.
  ///   - end: Where the search ends.
  /// - Returns: An offset in `start...end`.
  @inline(__always)
  func firstMatch(in padded: RawSpan, from start: Int, end: Int) -> Int {
    var offset = start
    while offset < end {
      // The load checks its bounds; it is "unsafe" because not every type may be loaded from any bytes.
      let word = unsafe padded.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
      let marks = marks(word ^ first) | marks(word ^ second) | marks(word ^ third)
      if marks != 0 { return min(offset + marks.trailingZeroBitCount / 8, end) }
      offset += 8
    }
    return end
  }

  @inline(__always)
  private func marks(_ word: UInt64) -> UInt64 {
    (word &- Self.ones) & ~word & Self.highs
  }
}
