import Glibc

/// Parses all of `bytes` as a decimal number.
///
/// The form is an optional sign, digits with an optional point before, among or after them, and an optional
/// exponent: `-12`, `+0.5`, `.5`, `5.`, `6.02e23`. Spaces, thousands separators, decimal commas, hexadecimal
/// digits and names such as `nan` or `inf` are rejected.
///
/// The result is the nearest double, with ties to even. A number that is too close to 0 becomes 0 with the
/// same sign. A number that is too large is rejected.
///
/// - Returns: The number, or `nil` if it is rejected.
/// - Complexity: O(n); no allocation below a thousand characters.
///
/// Source of the fast path: Clinger 1990, doi:10.1145/93542.93557. Every mantissa up to 2⁵³ and every power
/// of ten up to 10²² is exact as a double. One multiplication or division therefore rounds only once.
package func parseNumber(_ bytes: Span<UInt8>) -> Double? {
  var index = 0
  let isNegative = skipSign(bytes, &index)
  var mantissa: UInt64 = 0
  var digits = takeDigits(bytes, &index, &mantissa)
  var exponent = 0
  if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
    index += 1
    let fraction = takeDigits(bytes, &index, &mantissa)
    digits += fraction
    exponent = -fraction
  }
  guard digits > 0 else { return nil }
  if index < bytes.count {
    guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    let isSmall = skipSign(bytes, &index)
    guard index < bytes.count else { return nil }
    var written = 0
    while index < bytes.count {
      guard let digit = digit(bytes[index]) else { return nil }
      // With an exponent beyond this limit, the number is 0 or infinite, unless it has about a million
      // digits. In all these cases, strtod computes the result.
      if written < 1_000_000 { written = written * 10 + digit }
      index += 1
    }
    exponent += isSmall ? -written : written
  }
  // Up to 19 digits fit in 64 bits, so with 19 digits or fewer, `mantissa` is exact.
  guard digits <= 19, mantissa <= 1 << 53, (-22...22).contains(exponent) else {
    return correctlyRounded(bytes)
  }
  let magnitude =
    exponent < 0
    ? Double(mantissa) / exactPowersOfTen[-exponent] : Double(mantissa) * exactPowersOfTen[exponent]
  return isNegative ? -magnitude : magnitude
}

/// Appends the digits from `index` on to `mantissa`, and moves `index` past them. `mantissa` is exact for up
/// to 19 digits in total.
///
/// - Returns: The number of digits.
@inline(__always)
private func takeDigits(_ bytes: Span<UInt8>, _ index: inout Int, _ mantissa: inout UInt64) -> Int {
  let start = index
  while index < bytes.count, let digit = digit(bytes[index]) {
    mantissa = mantissa &* 10 &+ UInt64(digit)
    index += 1
  }
  return index - start
}

/// Parses all of `bytes` as decimal digits with an optional sign; `nil` for any other text or if the integer
/// does not fit in 64 bits.
package func parseInteger(_ bytes: Span<UInt8>) -> Int64? {
  var index = 0
  let isNegative = skipSign(bytes, &index)
  guard index < bytes.count else { return nil }
  // The loop subtracts digits, because the smallest integer has no positive counterpart.
  var value: Int64 = 0
  while index < bytes.count {
    guard let digit = digit(bytes[index]) else { return nil }
    let (tens, overflowsTens) = value.multipliedReportingOverflow(by: 10)
    let (next, overflows) = tens.subtractingReportingOverflow(Int64(digit))
    if overflowsTens || overflows { return nil }
    value = next
    index += 1
  }
  if isNegative { return value }
  return value == .min ? nil : -value
}

/// Parses all of `bytes` as a flag, in any letter case. `true`, `t`, `yes`, `y`, `on` and `1` are true.
/// `false`, `f`, `no`, `n`, `off` and `0` are false. PostgreSQL also reads these words. For any other text,
/// the result is `nil`.
package func parseFlag(_ bytes: Span<UInt8>) -> Bool? {
  switch bytes.count {
  case 1:
    switch bytes[0] | 0x20 {
    // The bit 0x20 makes letters lowercase. Digits already contain this bit, so they need an exact
    // comparison.
    case UInt8(ascii: "1"): bytes[0] == UInt8(ascii: "1") ? true : nil
    case UInt8(ascii: "0"): bytes[0] == UInt8(ascii: "0") ? false : nil
    case UInt8(ascii: "t"), UInt8(ascii: "y"): true
    case UInt8(ascii: "f"), UInt8(ascii: "n"): false
    default: nil
    }
  case 2: equalsIgnoringCase(bytes, "no") ? false : equalsIgnoringCase(bytes, "on") ? true : nil
  case 3: equalsIgnoringCase(bytes, "yes") ? true : equalsIgnoringCase(bytes, "off") ? false : nil
  case 4 where equalsIgnoringCase(bytes, "true"): true
  case 5 where equalsIgnoringCase(bytes, "false"): false
  default: nil
  }
}

/// 10⁰ to 10²². Each is exact as a double.
private let exactPowersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20, 1e21, 1e22,
]

/// Calls strtod with bytes that were already checked to be a number. strtod uses the process's locale, which
/// is the C locale by default. In a locale with a decimal comma, strtod would stop at the point, and the
/// number would be rejected, not truncated.
private func correctlyRounded(_ bytes: Span<UInt8>) -> Double? {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { text -> Double? in
    for index in bytes.indices {
      unsafe text.initializeElement(at: index, to: CChar(bitPattern: bytes[index]))
    }
    unsafe text.initializeElement(at: bytes.count, to: 0)
    guard let start = text.baseAddress else { return nil }
    var end: UnsafeMutablePointer<CChar>?
    let value = unsafe strtod(start, &end)
    guard let end = unsafe end, unsafe end - start == bytes.count else { return nil }
    return value.isFinite ? value : nil
  }
}

@inline(__always)
func digit(_ byte: UInt8) -> Int? {
  let value = byte &- UInt8(ascii: "0")
  return value < 10 ? Int(value) : nil
}

@inline(__always)
private func skipSign(_ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
  guard index < bytes.count else { return false }
  let isNegative = bytes[index] == UInt8(ascii: "-")
  if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
  return isNegative
}

private func equalsIgnoringCase(_ bytes: Span<UInt8>, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  return word.withUTF8Buffer { word in
    for index in word.indices where unsafe bytes[index] | 0x20 != word[index] { return false }
    return true
  }
}
