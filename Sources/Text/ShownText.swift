/// Makes text from data safe for a table or a terminal by escaping control characters.
///
/// The escape is `\u001b`: a backslash, a `u` and four hexadecimal digits. It applies to control characters
/// (U+0000 to U+001F, U+007F to U+009F), and to the line and paragraph separators U+2028 and U+2029. It also
/// applies to the characters that change the text direction (U+202A to U+202E, U+2066 to U+2069).
///
/// A backslash that already starts such a sequence is written as `\u005c`. All other backslashes are
/// unchanged. The function `decoded` therefore restores every text.
package enum ShownText {
  /// Appends `text`, which must be UTF-8, to `bytes`.
  @inline(__always)
  package static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      let isSuspect = byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 || byte == backslash
      if isSuspect, let (code, length) = escaped(at: index, in: text) {
        bytes.append(backslash)
        bytes.append(UInt8(ascii: "u"))
        for shift in [12, 8, 4, 0] as [UInt16] { bytes.append(digits[Int(code >> shift & 0xF)]) }
        index += length
      } else {
        bytes.append(byte)
        index += 1
      }
    }
  }

  /// Appends the JSON text `json`, which contains no raw control characters below U+0020. All other unsafe
  /// characters become JSON escapes, so the value is unchanged and safe for terminals.
  package static func append(json: Span<UInt8>, to bytes: inout [UInt8]) {
    var start = 0
    for index in json.indices {
      let isSuspect = json[index] == 0x7F || json[index] == 0xC2 || json[index] == 0xE2
      guard isSuspect, let (_, length) = escaped(at: index, in: json) else { continue }
      for index in start..<index { bytes.append(json[index]) }
      append(json.extracting(index..<index + length), to: &bytes)
      start = index + length
    }
    for index in start..<json.count { bytes.append(json[index]) }
  }

  /// Returns the safe form of `text`.
  package static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(Array(text.utf8).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text whose safe form is `shown`: each escape becomes the character that it encodes.
  ///
  /// A lone surrogate, which `append` never writes, is unchanged.
  package static func decoded(_ shown: [UInt8]) -> [UInt8] {
    let text = shown.span
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if let code = tail(at: index, in: text), let scalar = Unicode.Scalar(code) {
        bytes.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
        index += 6
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  private static let backslash = UInt8(ascii: "\\")
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns the character at `index` and its length in bytes if the character must be escaped; otherwise
  /// `nil`.
  private static func escaped(at index: Int, in text: Span<UInt8>) -> (code: UInt16, length: Int)? {
    func byte(_ offset: Int) -> UInt8 { index + offset < text.count ? text[index + offset] : 0 }
    switch (text[index], byte(1), byte(2)) {
    case (backslash, _, _): return tail(at: index, in: text) == nil ? nil : (UInt16(backslash), 1)
    case (0x00..<0x20, _, _), (0x7F, _, _): return (UInt16(text[index]), 1)
    case (0xC2, 0x80...0x9F, _): return (UInt16(byte(1)), 2)
    case (0xE2, 0x80, 0xA8...0xAE): return (0x2000 + UInt16(byte(2) & 0x3F), 3)
    case (0xE2, 0x81, 0xA6...0xA9): return (0x2040 + UInt16(byte(2) & 0x3F), 3)
    default: return nil
    }
  }

  /// Returns the number after `\u` at `index`; `nil` unless four hexadecimal digits follow.
  private static func tail(at index: Int, in text: Span<UInt8>) -> UInt16? {
    guard index + 6 <= text.count, text[index] == backslash, text[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var code: UInt16 = 0
    for offset in 2..<6 {
      guard let digit = Character(Unicode.Scalar(text[index + offset])).hexDigitValue else { return nil }
      code = code << 4 | UInt16(digit)
    }
    return code
  }
}
