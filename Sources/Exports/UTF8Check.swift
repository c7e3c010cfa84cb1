import CSimdJSON

extension PaddedBytes {
  /// Refuses a file that is not UTF-8, and says where it is not.
  ///
  /// - Complexity: O(n) at memory speed; a file that fails is walked once more, slowly, to find the byte.
  /// - Throws: `invalid_utf8` with the offset and line of the first byte that no valid text has there.
  func checkUTF8(file: String) throws(ExportError) {
    let bytes = bytes
    let isValid = unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return true }
      return unsafe njson_is_utf8(start, buffer.count)
    }
    if isValid { return }
    let offset = firstInvalidUTF8(bytes) ?? bytes.count
    let hint =
      offset < 2 && bytes.count > 1 && min(bytes[0], bytes[1]) >= 0xFE
      ? "it looks like UTF-16; export it as UTF-8" : "export it as UTF-8, or convert it (iconv -t UTF-8)"
    throw ExportError(
      .invalidUTF8, file: file, place: .byte(offset, line: lineNumber(of: offset, in: bytes)),
      reason: "the file must be UTF-8, but this byte is not\(hexadecimal(offset, in: bytes)); \(hint)")
  }
}

private func hexadecimal(_ offset: Int, in bytes: Span<UInt8>) -> String {
  offset < bytes.count ? " (0x" + String(bytes[offset], radix: 16, uppercase: true) + ")" : ""
}

/// The physical line, from 1, that holds the byte at `offset`. LF, CR LF and CR each end a line.
func lineNumber(of offset: Int, in bytes: Span<UInt8>) -> Int {
  var line = 1
  for index in 0..<min(offset, bytes.count) {
    let byte = bytes[index]
    let isLoneReturn =
      byte == UInt8(ascii: "\r") && !(index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"))
    if byte == UInt8(ascii: "\n") || isLoneReturn { line += 1 }
  }
  return line
}

/// The offset of the first byte that does not continue valid UTF-8, or `nil`.
///
/// For a sequence that is cut short or wrong inside, it is the sequence's first byte. Overlong forms,
/// surrogates and everything above U+10FFFF are invalid.
///
/// Source: The Unicode Standard, table 3-7.
func firstInvalidUTF8(_ bytes: Span<UInt8>) -> Int? {
  var index = 0
  while index < bytes.count {
    let lead = bytes[index]
    // How many bytes follow, and what the first of them may be.
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
