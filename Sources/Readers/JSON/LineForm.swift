/// The form of the lines of a machine-written JSON Lines file: everything except their values.
///
/// The form comes from one line that was parsed as JSON. It shows whether another line is the same JSON with
/// other values, and where these values are. The other line need not be parsed. A form covers objects of
/// plain values: texts without escapes, integers of up to 18 digits without a sign, `true` and `false`. Lines
/// of another form are parsed.
///
/// The idea to predict the form from earlier lines, and to verify the prediction, is from Li et al. 2017,
/// "Mison: a fast JSON parser for data analytics", doi:10.14778/3115404.3115416.
struct LineForm {
  /// The literal text before the first value, between two values, or after the last value up to the line's
  /// LF.
  struct Literal {
    /// The bytes in 64-bit integers, with the first byte lowest, and a mask of the bytes that are used.
    fileprivate let words: [(bytes: UInt64, mask: UInt64)]
    let count: Int
    /// The number of stops, which are quotes and control characters, and the number of bytes before the first
    /// stop. A literal has at least one stop: a key's quote or the LF.
    let stops: Int
    let beforeStop: Int

    fileprivate init(_ bytes: Span<UInt8>) {
      var words: [(bytes: UInt64, mask: UInt64)] = []
      for index in bytes.indices {
        if index % 8 == 0 { words.append((0, 0)) }
        let shift = UInt64(8 * (index % 8))
        words[words.count - 1].bytes |= UInt64(bytes[index]) << shift
        words[words.count - 1].mask |= 0xFF << shift
      }
      self.words = words
      count = bytes.count
      let stops = bytes.indices.filter { bytes[$0] == quote || bytes[$0] < 0x20 }
      self.stops = stops.count
      beforeStop = stops.first ?? 0
    }

    /// Returns whether the literal is at `offset` of `padded`. The result is `false` if fewer than seven
    /// bytes follow the literal.
    @inline(__always)
    func stands(at offset: Int, in padded: RawSpan) -> Bool {
      guard offset + count + 7 <= padded.byteCount else { return false }
      var offset = offset
      for word in words.span.indices {
        // The load checks its bounds. It is marked unsafe because some types must not be loaded
        // from arbitrary bytes.
        let bytes = unsafe padded.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
        if bytes & words[word].mask != words[word].bytes { return false }
        offset += 8
      }
      return true
    }
  }

  /// The texts around the values. Their number is one more than the number of values.
  private(set) var literals: [Literal] = []
  /// For each value, whether it is a word: an integer, `true` or `false`, without quotes.
  private(set) var isWord: [Bool] = []
  /// For each value, the index of its requested field, or -1 if the field is not requested.
  private(set) var slots: [Int] = []

  private static let quote = UInt8(ascii: "\"")

  /// Returns the keys of the requested fields; `nil` if a field is nested, or if two fields are the same.
  static func keys(_ paths: [FieldPath]) -> [[UInt8]]? {
    let keys = paths.compactMap { $0.keys.count == 1 ? $0.keys[0] : nil }
    return keys.count == paths.count && Set(keys).count == keys.count ? keys : nil
  }

  /// Creates the form of `line`, a JSON object followed by an LF.
  ///
  /// - Returns: `nil` if a value is not plain, or if the object is empty.
  init?(_ line: Span<UInt8>, keys: [[UInt8]]) {
    var index = 0
    var literal = 0
    func skipSpace() { while index < line.count, line[index] == 0x20 || line[index] == 0x09 { index += 1 } }
    func isNext(_ byte: UInt8) -> Bool { index < line.count && line[index] == byte }
    /// Moves past the text whose opening quote is at the current place.
    func plainText() -> Range<Int>? {
      index += 1
      let start = index
      while index < line.count, line[index] != Self.quote {
        if line[index] == UInt8(ascii: "\\") || line[index] < 0x20 { return nil }
        index += 1
      }
      guard index < line.count else { return nil }
      index += 1
      return start..<index - 1
    }

    skipSpace()
    guard isNext(UInt8(ascii: "{")) else { return nil }
    repeat {
      index += 1
      skipSpace()
      guard isNext(Self.quote), let key = plainText() else { return nil }
      skipSpace()
      guard isNext(UInt8(ascii: ":")) else { return nil }
      index += 1
      skipSpace()
      let value: Range<Int>
      if isNext(Self.quote) {
        guard let text = plainText() else { return nil }
        value = text
        isWord.append(false)
      } else {
        let start = index
        while index < line.count, Self.isOfWord(line[index]) { index += 1 }
        value = start..<index
        guard Self.isWord(line.extracting(value)) else { return nil }
        isWord.append(true)
      }
      literals.append(Literal(line.extracting(literal..<value.lowerBound)))
      literal = value.upperBound
      let name = line.extracting(key)
      slots.append(
        keys.firstIndex { key in key.count == name.count && key.indices.allSatisfy { key[$0] == name[$0] } }
          ?? -1)
      skipSpace()
    } while isNext(UInt8(ascii: ","))
    guard isNext(UInt8(ascii: "}")) else { return nil }
    index += 1
    while index < line.count, line[index] == 0x20 || line[index] == 0x09 || line[index] == carriageReturn {
      index += 1
    }
    guard isNext(lineFeed), index + 1 == line.count else { return nil }
    literals.append(Literal(line.extracting(literal..<line.count)))
  }

  /// Returns whether a byte can be part of a word.
  static func isOfWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// Returns whether `text` is exactly one word.
  @inline(__always)
  static func isWord(_ text: Span<UInt8>) -> Bool {
    if text.count == 1 { return isDigit(text[0]) }
    return isLongWord(text)
  }

  private static func isLongWord(_ text: Span<UInt8>) -> Bool {
    guard let first = text.isEmpty ? nil : text[0] else { return false }
    if isDigit(first) {
      return first != UInt8(ascii: "0") && text.count <= 18 && text.indices.allSatisfy { isDigit(text[$0]) }
    }
    return isText(text, "true") || isText(text, "false")
  }

  private static func isText(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    return text.indices.allSatisfy { unsafe text[$0] == word.utf8Start[$0] }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Returns the value of a word as a slot of a record.
  static func slot(ofWord text: Span<UInt8>) -> FieldSlot {
    guard isDigit(text[0]) else { return FieldSlot(kind: .boolean, payload: text.count == 4 ? 1 : 0) }
    let number = text.indices.reduce(into: Int64(0)) { number, index in
      number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
    }
    return FieldSlot(kind: .integer, payload: number)
  }
}
