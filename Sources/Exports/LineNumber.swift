import Glibc

/// The physical line, from 1, that holds the byte at `offset`. LF, CR LF and CR each end a line.
///
/// - Complexity: O(n), many bytes per cycle: it runs over all of every JSON export.
func lineNumber(of offset: Int, in bytes: Span<UInt8>) -> Int {
  let end = min(offset, bytes.count)
  let isInPair =
    end > 0 && end < bytes.count && bytes[end - 1] == carriageReturn && bytes[end] == lineFeed
  return 1 + lineEnds(in: bytes.extracting(0..<end)) - (isInPair ? 1 : 0)
}

/// How many lines end in `bytes`: a CR at the end is a line end.
func lineEnds(in bytes: Span<UInt8>) -> Int {
  let feeds = count(lineFeed, in: bytes)
  guard let first = bytes.firstIndex(of: carriageReturn) else { return feeds }
  var alone = 0
  for index in first..<bytes.count where bytes[index] == carriageReturn {
    if index + 1 == bytes.count || bytes[index + 1] != lineFeed { alone += 1 }
  }
  return feeds + alone
}

/// How often `byte` stands in `bytes`, 16 at a time.
func count(_ byte: UInt8, in bytes: Span<UInt8>) -> Int {
  let raw = unsafe bytes.bytes
  let searched = SIMD16<UInt8>(repeating: byte)
  var total = 0
  var index = 0
  while index + 16 <= bytes.count {
    // A lane counts to 255 at most.
    var lanes = SIMD16<UInt8>(repeating: 0)
    let end = min(bytes.count - 15, index + 16 * 255)
    while index < end {
      // The load checks its bounds; it is "unsafe" because not every type may be loaded from any bytes.
      let part = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      // Equal lanes are all ones, which is -1.
      lanes &-= unsafe unsafeBitCast(part .== searched, to: SIMD16<UInt8>.self)
      index += 16
    }
    total += Int(SIMD16<UInt16>(truncatingIfNeeded: lanes).wrappedSum())
  }
  while index < bytes.count {
    if bytes[index] == byte { total += 1 }
    index += 1
  }
  return total
}

extension Span<UInt8> {
  /// Where `byte` stands first, if anywhere.
  func firstIndex(of byte: UInt8) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = unsafe memchr(base, Int32(byte), bytes.count) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Where `byte` stands last, if anywhere.
  func lastIndex(of byte: UInt8) -> Int? {
    var index = count
    while index > 0 {
      index -= 1
      if self[index] == byte { return index }
    }
    return nil
  }
}
