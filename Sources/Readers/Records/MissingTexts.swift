/// The texts that mean a missing value in an export, such as `NA` or `-999`, in addition to the empty text.
///
/// Texts are compared as bytes. Numbers are compared by value, because formats write the same number in
/// different ways: DuckDB prints a double as `-999.0`, and JSON has numbers that are not texts.
struct MissingTexts: Sendable {
  private let texts: [[UInt8]]
  private let numbers: [Double]

  init(_ texts: [String]) {
    self.texts = texts.map { Array($0.utf8) }.filter { !$0.isEmpty }
    numbers = self.texts.compactMap { Self.number($0.span) }
  }

  /// Whether only the empty text means a missing value.
  var isEmpty: Bool { texts.isEmpty }

  /// Returns whether `text` means a missing value. Most exports define no texts for missing values, so the
  /// call usually costs only one comparison.
  @inline(__always)
  func contains(_ text: Span<UInt8>) -> Bool {
    texts.isEmpty ? false : isAny(text)
  }

  /// Returns whether `number` means a missing value.
  @inline(__always)
  func contains(_ number: Double) -> Bool {
    numbers.isEmpty ? false : numbers.contains(number)
  }

  private func isAny(_ text: Span<UInt8>) -> Bool {
    let isText = texts.contains { candidate in
      guard candidate.count == text.count else { return false }
      for index in text.indices where candidate[index] != text[index] { return false }
      return true
    }
    return isText || (!numbers.isEmpty && Self.number(text).map(contains) == true)
  }

  /// Returns the numeric value of `text`; `nil` if the text is not a number. A text with a plus sign or
  /// leading zeros does not count as a number, because it is probably a code such as a telephone number.
  private static func number(_ text: Span<UInt8>) -> Double? {
    let first = text.count > 1 && text[0] == UInt8(ascii: "-") ? 1 : 0
    guard first < text.count, text[first] != UInt8(ascii: "+") else { return nil }
    if text[first] == UInt8(ascii: "0"), first + 1 < text.count,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[first + 1])
    {
      return nil
    }
    return parseNumber(text)
  }
}
