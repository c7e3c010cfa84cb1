internal import PipelineFile
internal import Text

/// The words of a pipeline file that map to values. They are compared as bytes: a `String` key would merge
/// different encodings of an accent.
struct ValueWords: Sendable {
  struct Found: Sendable {
    var code: UInt8 = 0
    var value = 0.0
    /// The slot of the field that contains the number; `nil` if the word itself maps to a value.
    var slot: Int?
    var isIgnored = false
  }

  private struct Word: Sendable {
    var key: IdentityKey
    var bytes: [UInt8]
    var found: Found
  }

  /// The words. They are so few that a linear search is faster than a hash table.
  private var words: [Word] = []
  private(set) var plain = PlainWords()

  init(_ map: [String: Pipeline.Meaning], coded: [Double], in list: inout FieldSlots) {
    // Fields get their slots in the order of first use. Sorting makes this order the same in each process.
    for (word, meaning) in map.sorted(by: { $0.key < $1.key }) {
      var found = Found()
      switch meaning {
      case .number(let value):
        found.code = UInt8(coded.firstIndex { $0.bitPattern == value.bitPattern } ?? 0)
        found.value = value
      case .field(let name): found.slot = list.position(of: name)
      case .ignored: found.isIgnored = true
      case .takenBack:
        found.code = UInt8(coded.firstIndex(where: \.isNaN) ?? 0)
        found.value = .nan
      }
      let bytes = Array(word.utf8)
      let key = IdentityKey(bytes.span)
      words.append(Word(key: key, bytes: bytes, found: found))
      if found.slot == nil, key.length <= IdentityKey.wholeLength {
        plain.add(
          PlainWords.Word(code: found.code, isIgnored: found.isIgnored, value: found.value), key)
      }
    }
  }

  /// The meaning of a word of at most eight bytes; `nil` if the pipeline file does not contain the word.
  @inline(__always)
  subscript(_ key: IdentityKey) -> Found? {
    for index in words.indices where words[index].key == key { return words[index].found }
    return nil
  }

  @inline(__always)
  subscript(_ text: Span<UInt8>) -> Found? {
    let key = IdentityKey(text)
    if key.length <= IdentityKey.wholeLength { return self[key] }
    for word in words where word.key == key {
      let bytes = word.bytes
      if ByteOrder.equal(bytes.span, text) { return word.found }
    }
    return nil
  }
}

/// The words of at most eight bytes that map to values or mark ignored rows.
struct PlainWords: Sendable {
  /// A copy of the meaning without references, so that copies do not update reference counts.
  struct Word: BitwiseCopyable {
    var code: UInt8
    var isIgnored: Bool
    var value: Double
  }

  private var words: [(key: IdentityKey, word: Word)] = []
  /// The meaning of each one-byte word, by its byte. Words such as `0` and `1` alternate unpredictably, so a
  /// search would cause branch mispredictions.
  private var ofByte = [Word?](repeating: nil, count: 256)

  mutating func add(_ word: Word, _ key: IdentityKey) {
    words.append((key, word))
    if key.length == 1 { ofByte[Int(key.word)] = word }
  }

  /// Returns the meaning of the word at `range` of `padded`; `nil` if the word is unknown or longer than
  /// eight bytes. At least eight bytes must follow the word.
  @inline(__always)
  func word(_ range: Range<Int>, in padded: RawSpan) -> Word? {
    let count = range.upperBound &- range.lowerBound
    if count == 1 {
      // The load checks its bounds. It is marked unsafe because some types must not be loaded from
      // arbitrary bytes.
      return ofByte[Int(unsafe padded.unsafeLoad(fromByteOffset: range.lowerBound, as: UInt8.self))]
    }
    guard count > 0, count <= IdentityKey.wholeLength else { return nil }
    return longer(IdentityKey(range, in: padded))
  }

  private func longer(_ key: IdentityKey) -> Word? {
    for index in words.indices where words[index].key == key { return words[index].word }
    return nil
  }
}
