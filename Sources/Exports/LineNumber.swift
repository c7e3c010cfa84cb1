/// The physical line, from 1, that holds the byte at `offset`. LF, CR LF and CR each end a line.
///
/// - Complexity: O(n), a few bytes per cycle: it runs over all of every JSON export.
func lineNumber(of offset: Int, in bytes: Span<UInt8>) -> Int {
  let end = min(offset, bytes.count)
  let before = bytes.extracting(0..<end)
  let returns = count(carriageReturn, in: before)
  let feeds = count(lineFeed, in: before)
  guard returns > 0 else { return 1 + feeds }
  var pairs = 0
  for index in 0..<end where bytes[index] == carriageReturn {
    if index + 1 < bytes.count, bytes[index + 1] == lineFeed { pairs += 1 }
  }
  return 1 + feeds + returns - pairs
}

/// How often `byte` stands in `bytes`, eight at a time.
///
/// A byte of a word is zero where it equals; adding 0x7F to its lower seven bits carries into the eighth unless they
/// are zero, and never further: so exactly the zero bytes are left without a high bit.
///
/// Source: Warren, Hacker's Delight (2nd ed.), section 6-1.
private func count(_ byte: UInt8, in bytes: Span<UInt8>) -> Int {
  let raw = unsafe bytes.bytes
  let repeated = 0x0101_0101_0101_0101 &* UInt64(byte)
  let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
  var total = 0
  var index = 0
  while index + 8 <= bytes.count {
    // The load checks its bounds; it is "unsafe" because not every type may be loaded from any bytes.
    let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) ^ repeated
    total += (~(((word & low) &+ low) | word | low)).nonzeroBitCount
    index += 8
  }
  while index < bytes.count {
    if bytes[index] == byte { total += 1 }
    index += 1
  }
  return total
}
