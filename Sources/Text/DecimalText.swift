extension [UInt8] {
  /// Appends `digits` divided by ten to the power of `places`, with `places` decimals. For example, 1234 with
  /// 2 places is `12.34`.
  ///
  /// - Parameters:
  ///   - digits: The digits of the number as an integer.
  ///   - places: The number of decimals, 0 to 18. With 0, no decimal point is written.
  package mutating func append(decimal digits: UInt64, places: Int) {
    if digits < 10, places == 0 { return append(UInt8(ascii: "0") + UInt8(digits)) }
    // The digits are written backwards from the last digit. At least one digit precedes the point.
    var text = InlineArray<24, UInt8>(repeating: 0)
    var (rest, start) = (digits, text.count)
    if places > 0 {
      for _ in 0..<places {
        start -= 1
        text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      start -= 1
      text[start] = UInt8(ascii: ".")
    }
    repeat {
      start -= 1
      text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    append(text.span.extracting(droppingFirst: start))
  }

  /// Appends a positive number with at most twelve significant digits and without trailing zeros: 0.776100 is
  /// `0.7761`.
  ///
  /// Numbers below 0.0001 and numbers of at least a million have the format of `description`.
  package mutating func append(twelveDigits value: Double) {
    guard value >= 1e-4, value < 1e6 else { return append(contentsOf: value.description.utf8) }
    var (places, scaled) = (5, value * 1e5)
    while scaled < 99_999_999_999.95 {
      places += 1
      scaled = value * Self.powersOfTen[places]
    }
    var digits = UInt64(scaled.rounded())
    while places > 0, digits.isMultiple(of: 10) {
      digits /= 10
      places -= 1
    }
    append(decimal: digits, places: places)
  }

  /// Appends a copy of `bytes`.
  @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  private static var powersOfTen: InlineArray<16, Double> {
    [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]
  }
}
