import CSimdJSON

/// The reason why simdjson rejected a text: its code, and details from the text if the code is ambiguous.
struct JSONRefusal {
  /// The rule that the text broke.
  let rule: RecordFault.Rule
  /// simdjson's error name and message, with an explanation if needed.
  let message: String
  /// Whether the end of the text is still known. The end is known if the text is too long, or if the fault
  /// is in a number, an escape or the nesting depth.
  let isContained: Bool

  /// Interprets simdjson's error `code` for the text in `range` of `bytes`.
  init(_ code: Int32, _ range: Range<Int>, of bytes: Span<UInt8>) {
    let name = unsafe String(cString: njson_error_name(code))
    let sentence = unsafe String(cString: njson_error_message(code))
    var hint = ""
    switch name {
    case "NUMBER_ERROR":
      rule = Self.hasOnlyJSONNumbers(range, of: bytes) ? .numberOutOfRange : .badJSON
      hint = " (numbers must follow the syntax of JSON and be smaller than 1.8e308)"
    case "STRING_ERROR":
      rule = Self.hasOnlyJSONEscapes(range, of: bytes) ? .loneSurrogate : .badJSON
      hint = rule == .loneSurrogate ? " (an unpaired surrogate)" : ""
    case "DEPTH_ERROR":
      rule = .nestingTooDeep
      hint = " (the limit is 1024 levels)"
    case "CAPACITY":
      rule = .recordTooLong
      hint = " (the limit for one record is 4 GiB)"
    default:
      rule = .badJSON
    }
    message = "simdjson \(name): \(sentence)\(hint)"
    isContained = njson_is_contained(code)
  }

  /// Returns whether every backslash begins a valid JSON escape. If so, a rejected string contains an
  /// unpaired surrogate.
  private static func hasOnlyJSONEscapes(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      guard index + 1 < range.upperBound else { return false }
      switch bytes[index + 1] {
      case UInt8(ascii: "u"):
        guard index + 6 <= range.upperBound, (index + 2..<index + 6).allSatisfy({ isHexadecimal(bytes[$0]) })
        else { return false }
        index += 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
        UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        index += 2
      default: return false
      }
    }
    return true
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  /// Returns whether every part outside strings that begins like a number is a JSON number.
  private static func hasOnlyJSONNumbers(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        while index < range.upperBound, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
      case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
        var end = index
        while end < range.upperBound, isNumberByte(bytes[end]) { end += 1 }
        let isEnded = end == range.upperBound || mayFollowNumber(bytes[end])
        guard isEnded, isJSONNumber(index..<end, of: bytes) else { return false }
        index = end
      default: index += 1
      }
    }
    return true
  }

  private static func mayFollowNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: " "), UInt8(ascii: "\t"),
      lineFeed,
      carriageReturn:
      true
    default: false
    }
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Returns whether the text is a JSON number.
  ///
  /// Source: RFC 8259, section 6.
  private static func isJSONNumber(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    var index = range.lowerBound
    func isNext(_ byte: UInt8) -> Bool { index < range.upperBound && bytes[index] | 0x20 == byte | 0x20 }
    func skipDigits() -> Int {
      let start = index
      while index < range.upperBound, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
        index += 1
      }
      return index - start
    }
    if isNext(UInt8(ascii: "-")) { index += 1 }
    let isZero = index < range.upperBound && bytes[index] == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0, !isZero || digits == 1 else { return false }
    if isNext(UInt8(ascii: ".")) {
      index += 1
      guard skipDigits() > 0 else { return false }
    }
    if isNext(UInt8(ascii: "e")) {
      index += 1
      if index < range.upperBound, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        index += 1
      }
      guard skipDigits() > 0 else { return false }
    }
    return index == range.upperBound
  }
}

/// Returns the reason why simdjson rejects `bytes` as a single JSON text; `nil` if simdjson accepts them.
package func validateJSON(_ bytes: [UInt8]) -> String? {
  let padded = bytes + [UInt8](repeating: 0, count: ByteWindow.padding)
  let code = unsafe JSONExtractor(paths: [], fields: []).validate(0..<bytes.count, of: padded.span.bytes)
  return code == 0 ? nil : JSONRefusal(code, 0..<bytes.count, of: bytes.span).message
}
