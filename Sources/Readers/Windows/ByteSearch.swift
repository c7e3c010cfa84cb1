/// Finds the first occurrence of any of up to three bytes, scanning sixteen bytes at a time.
struct ByteSearch {
  private let first: SIMD16<UInt8>
  private let second: SIMD16<UInt8>
  private let third: SIMD16<UInt8>

  /// Creates a search for any of three bytes. To search for fewer bytes, repeat one of them.
  init(_ first: UInt8, _ second: UInt8, _ third: UInt8) {
    self.first = SIMD16(repeating: first)
    self.second = SIMD16(repeating: second)
    self.third = SIMD16(repeating: third)
  }

  /// Returns the offset of the first match at or after `start`; `end` if no byte before `end` matches.
  ///
  /// - Parameters:
  ///   - padded: The bytes to search, with at least fifteen bytes after `end`.
  ///   - start: The start of the search, at most `end`.
  ///   - end: The end of the search.
  /// - Returns: An offset in `start...end`.
  @inline(__always)
  func firstMatch(in padded: RawSpan, from start: Int, end: Int) -> Int {
    var offset = start
    while offset < end {
      // The load checks its bounds. It is marked unsafe because some types must not be loaded from
      // arbitrary bytes.
      let part = unsafe padded.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
      let marks = (part .== first) .| (part .== second) .| (part .== third)
      // All bits of a matching byte are 1. After the conversion below, the lowest byte is the first in
      // memory.
      let words = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
      let (low, high) = (words[0].littleEndian, words[1].littleEndian)
      if low != 0 { return min(offset + low.trailingZeroBitCount / 8, end) }
      if high != 0 { return min(offset + 8 + high.trailingZeroBitCount / 8, end) }
      offset += 16
    }
    return end
  }
}
