internal import CBytes

/// Goes from one stop to the next in a window of a delimited file: delimiters, quotes and what ends lines.
///
/// It looks at 64 bytes at once, each of them once, however short the fields are.
struct StopCursor {
  private let delimiter: UInt8
  private let quote: UInt8
  /// Where the bytes are whose stops are in `bits`.
  private var base = 0
  /// The stops from `position` on among 64 bytes, the lowest bit first.
  private var bits: UInt64 = 0
  /// Behind the last stop that was found; where the cursor was moved to before there was one.
  private(set) var position = -1

  init(delimiter: UInt8, quote: UInt8) {
    self.delimiter = delimiter
    self.quote = quote
  }

  /// Moves to `offset`, at most the end of the window.
  @inline(__always)
  mutating func move(to offset: Int, in padded: RawSpan) {
    base = offset
    position = offset
    bits = stops(from: offset, in: padded)
  }

  /// Moves behind the next stop.
  ///
  /// - Parameters:
  ///   - padded: The window, with 64 more bytes behind its end.
  ///   - end: The end of the window.
  /// - Returns: Where the stop is, or `end`.
  @inline(__always)
  mutating func next(in padded: RawSpan, end: Int) -> Int {
    while bits == 0 {
      base += 64
      guard base < end else {
        position = end
        return end
      }
      bits = stops(from: base, in: padded)
    }
    // What is behind the end may look like a stop.
    let stop = min(base + bits.trailingZeroBitCount, end)
    bits &= bits - 1
    position = stop + 1
    return stop
  }

  @inline(__always)
  private func stops(from offset: Int, in padded: RawSpan) -> UInt64 {
    // Checks the bounds of what C looks at.
    let part = padded.extracting(offset..<offset + 64)
    return unsafe part.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe bytes_matching(start, delimiter, quote, lineFeed, carriageReturn)
    }
  }
}
