/// Returns the offset of the first byte that does not continue valid UTF-8; `nil` if all bytes are valid.
///
/// For a truncated or invalid sequence, the result is the offset of the sequence's first byte. Overlong
/// forms, surrogates and everything above U+10FFFF are invalid.
///
/// Source: The Unicode Standard, table 3-7.
func firstInvalidUTF8(_ bytes: Span<UInt8>) -> Int? {
  var index = 0
  while index < bytes.count {
    let lead = bytes[index]
    // The number of bytes after the lead byte, and the valid range of the first of these bytes.
    let length: Int
    let second: ClosedRange<UInt8>
    switch lead {
    case 0x00...0x7F: (length, second) = (0, 0x80...0xBF)
    case 0xC2...0xDF: (length, second) = (1, 0x80...0xBF)
    case 0xE0: (length, second) = (2, 0xA0...0xBF)
    case 0xED: (length, second) = (2, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (2, 0x80...0xBF)
    case 0xF0: (length, second) = (3, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (3, 0x80...0xBF)
    case 0xF4: (length, second) = (3, 0x80...0x8F)
    default: return index
    }
    guard bytes.count - index > length else { return index }
    if length > 0 {
      guard second.contains(bytes[index + 1]) else { return index }
      for following in 1..<length + 1 where bytes[index + following] & 0xC0 != 0x80 { return index }
    }
    index += length + 1
  }
  return nil
}
