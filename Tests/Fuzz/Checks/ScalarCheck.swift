internal import Readers
internal import Text

extension ParserCheck {
  /// Parses the whole input as a number, an integer, an instant and a flag.
  func scalarViolation(_ bytes: [UInt8]) -> String? {
    Self.numberViolation(bytes) ?? Self.integerViolation(bytes) ?? Self.instantViolation(bytes)
      ?? Self.flagViolation(bytes)
  }

  /// Whether `bytes` consist of an optional sign, digits with an optional point, and an optional
  /// exponent.
  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    func isSigned(_ bytes: ArraySlice<UInt8>, _ isGood: (ArraySlice<UInt8>) -> Bool) -> Bool {
      isGood(bytes.first.map { "+-".utf8.contains($0) } == true ? bytes.dropFirst() : bytes)
    }
    func areDigits(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.allSatisfy { (0x30...0x39).contains($0) } }
    let parts = bytes.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".utf8.contains($0) }
    let mantissa = parts.first ?? []
    let isGood = isSigned(mantissa) { digits in
      let halves = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
      return halves.allSatisfy(areDigits) && halves.contains { !$0.isEmpty }
    }
    return isGood && parts.dropFirst().allSatisfy { isSigned($0) { !$0.isEmpty && areDigits($0) } }
  }

  private static func numberViolation(_ bytes: [UInt8]) -> String? {
    let value = parseNumber(bytes.span)
    guard isNumber(bytes) else { return value.map { "\($0) from what is no number" } }
    let expected = Double(String(decoding: bytes, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    guard value?.bitPattern == expected?.bitPattern else {
      return "\(String(describing: value)), but Swift reads \(String(describing: expected))"
    }
    return nil
  }

  private static func integerViolation(_ bytes: [UInt8]) -> String? {
    let value = parseInteger(bytes.span)
    let expected = isUTF8(bytes) ? Int64(String(decoding: bytes, as: UTF8.self)) : nil
    return value == expected
      ? nil : "\(String(describing: value)), but Swift reads \(String(describing: expected))"
  }

  /// Checks a number with a fraction. The instant must be rounded down to whole milliseconds.
  private static func decimalViolation(_ bytes: [UInt8], _ value: Int64) -> String? {
    guard let point = bytes.firstIndex(of: UInt8(ascii: ".")),
      let whole = parseInteger(Array(bytes[..<point]).span),
      bytes[(point + 1)...].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return "\(value) is read from what is neither a date nor a number" }
    let isBelow =
      bytes[0] == UInt8(ascii: "-") && bytes[(point + 1)...].prefix(9).contains { $0 != UInt8(ascii: "0") }
    return value == (isBelow ? whole - 1 : whole) ? nil : "the number is another instant"
  }

  private static func instantViolation(_ bytes: [UInt8]) -> String? {
    let isSeconds = parseInstant(bytes.span, unit: .seconds)
    guard let value = parseInstant(bytes.span) else {
      return isSeconds.map { "\($0) as seconds, but nothing as milliseconds" }
    }
    guard representableInstants.contains(value) else { return "the instant \(value) is out of range" }
    if let integer = parseInteger(bytes.span) {
      let (product, overflows) = integer.multipliedReportingOverflow(by: 1000)
      let expected = overflows || !representableInstants.contains(product) ? nil : product
      return value == integer && isSeconds == expected ? nil : "\(integer) is another instant"
    }
    if bytes.count < 10 || bytes[4] != UInt8(ascii: "-") || bytes[7] != UInt8(ascii: "-") {
      return decimalViolation(bytes, value)
    }
    guard isSeconds == value else { return "a date depends on what integers mean" }
    let written = Instant(milliseconds: value).description
    guard parseInstant(Array(written.utf8).span) == value else { return "\(written) reads otherwise" }
    // Formatting a time without an offset must give the input again, except for a leap second.
    guard
      bytes.count == 10 || bytes.count == 16
        || bytes.count == 19 && !bytes.suffix(3).elementsEqual(":60".utf8),
      bytes.allSatisfy({ $0 != UInt8(ascii: "+") && $0 | 0x20 != UInt8(ascii: "z") }),
      bytes.count != 19
        || bytes[16] == UInt8(ascii: ":")
    else { return nil }
    var same = Array(written.utf8.prefix(bytes.count))
    if bytes.count > 10 { same[10] = bytes[10] }
    return same == bytes ? nil : "it is \(written)"
  }

  private static func flagViolation(_ bytes: [UInt8]) -> String? {
    let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    let words: [(String, Bool)] = [
      ("true", true), ("t", true), ("yes", true), ("y", true), ("on", true), ("1", true), ("false", false),
      ("f", false), ("no", false), ("n", false), ("off", false), ("0", false),
    ]
    let expected = words.first { lower.elementsEqual($0.0.utf8) }?.1
    let value = parseFlag(bytes.span)
    return value == expected ? nil : "the flag is \(String(describing: value))"
  }
}
