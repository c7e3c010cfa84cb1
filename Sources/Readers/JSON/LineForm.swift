/// What the lines of a JSON Lines file that a program has written have in common: everything but their values.
///
/// Found in one line that was read as JSON, it tells of others whether they are the same JSON with other values, and where
/// those are, without parsing them. Only for objects of plain values: texts without escapes, whole numbers of up to 18 digits
/// without a sign, `true` and `false`. A line of another form may be anything.
///
/// The idea is that of Li et al. 2017, "Mison: a fast JSON parser for data analytics", doi:10.14778/3115404.3115416: guess from
/// the lines before, and check.
struct LineForm {
  /// What stands before the first value, between two, and behind the last one up to the line's LF.
  struct Literal {
    /// The bytes, eight in each word, the first the lowest, and which of a word's bytes count.
    fileprivate let words: [(bytes: UInt64, mask: UInt64)]
    let count: Int
    /// How many quotes and control characters there are, and how many bytes stand before the first of them. There always is
    /// one: a key's quote, or the LF.
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

    /// Whether it stands at `offset` of `padded`, more than seven bytes before the end.
    @inline(__always)
    func stands(at offset: Int, in padded: RawSpan) -> Bool {
      guard offset + count + 7 <= padded.byteCount else { return false }
      var offset = offset
      for word in words.span.indices {
        // The load checks its bounds; it is "unsafe" because not every type may be loaded from any bytes.
        let bytes = unsafe padded.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
        if bytes & words[word].mask != words[word].bytes { return false }
        offset += 8
      }
      return true
    }
  }

  /// One more than there are values.
  private(set) var literals: [Literal] = []
  /// By value, whether it is a word, and no text.
  private(set) var isWord: [Bool] = []
  /// By value, the requested field that it is, or -1.
  private(set) var slots: [Int] = []

  private static let quote = UInt8(ascii: "\"")

  /// The keys of fields that are asked for; `nil` where one is within an object, or two are the same.
  static func keys(_ paths: [FieldPath]) -> [[UInt8]]? {
    let keys = paths.compactMap { $0.keys.count == 1 ? $0.keys[0] : nil }
    return keys.count == paths.count && Set(keys).count == keys.count ? keys : nil
  }

  /// The form of a line, which is known to be an object of JSON, with its LF.
  ///
  /// - Returns: `nil` where a value is not plain, or there is none.
  init?(_ line: Span<UInt8>, keys: [[UInt8]]) {
    var index = 0
    var literal = 0
    func skipSpace() { while index < line.count, line[index] == 0x20 || line[index] == 0x09 { index += 1 } }
    func isNext(_ byte: UInt8) -> Bool { index < line.count && line[index] == byte }
    /// Moves behind the text that begins behind a quote here.
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

  /// Whether a byte may be one of a word.
  static func isOfWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// Whether all of `text` is a word.
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

  /// What a record has for a word.
  static func slot(ofWord text: Span<UInt8>) -> FieldSlot {
    guard isDigit(text[0]) else { return FieldSlot(kind: .boolean, payload: text.count == 4 ? 1 : 0) }
    let number = text.indices.reduce(into: Int64(0)) { number, index in
      number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
    }
    return FieldSlot(kind: .integer, payload: number)
  }
}
