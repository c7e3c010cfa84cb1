/// The escapes of JSON strings, as bytes. Source: RFC 8259, section 7.
package enum JSONEscape {
  /// The fault of an escape.
  package enum Flaw: Error {
    case unterminated, unknown
    /// An unpaired surrogate.
    case surrogate
  }

  /// Decodes the escape after a backslash, and appends its character.
  ///
  /// - Parameters:
  ///   - text: The text with the escape.
  ///   - index: The index after the backslash. It is moved past the escape.
  ///   - bytes: Receives UTF-8.
  /// - Throws: The fault of the escape.
  package static func append(
    _ text: Span<UInt8>, at index: inout Int, to bytes: inout [UInt8]
  ) throws(Flaw) {
    guard index < text.count else { throw .unterminated }
    let kind = text[index]
    index += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(kind)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      let unit = try codeUnit(text, at: &index)
      if let scalar = Unicode.Scalar(unit) {
        bytes.append(contentsOf: String(scalar).utf8)
        return
      }
      // The escape of a low surrogate must follow a high surrogate.
      guard unit < 0xDC00, index + 1 < text.count, text[index] == UInt8(ascii: "\\"),
        text[index + 1] == UInt8(ascii: "u")
      else { throw .surrogate }
      index += 2
      let low = try codeUnit(text, at: &index)
      guard (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
      else { throw .surrogate }
      bytes.append(contentsOf: String(scalar).utf8)
    default: throw .unknown
    }
  }

  /// Parses four hexadecimal digits, and moves `index` past them.
  private static func codeUnit(_ text: Span<UInt8>, at index: inout Int) throws(Flaw) -> UInt32 {
    guard index + 4 <= text.count else { throw .unterminated }
    var unit: UInt32 = 0
    for _ in 0..<4 {
      let byte = text[index]
      index += 1
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw .unknown
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}
