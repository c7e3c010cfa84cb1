/// Finds where the values of a large JSON file begin and end, without parsing them.
///
/// A file can be larger than memory allows to parse at once; so the array around the records is walked here and
/// each record is parsed by itself. Nothing is lost by it: a file is JSON if and only if the brackets, commas
/// and colons met here are in place and every piece between them is JSON, which simdjson decides. Pieces are
/// found by counting brackets outside strings; in a malformed file a piece may be cut wrongly, and is then
/// malformed itself.
struct JSONCursor: ~Copyable, ~Escapable {
  /// Why the walk cannot go on.
  struct Failure: Error {
    /// The offset of the byte in question.
    var offset: Int
    /// What was expected and found, for people.
    var reason: String
  }

  private let bytes: Span<UInt8>
  private let padded: RawSpan
  private let stringStop = ByteSearch(UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\\"))
  /// The next byte to look at.
  private(set) var offset: Int

  /// A cursor at the start of `source`, behind a byte order mark if there is one.
  @_lifetime(borrow source)
  init(_ source: borrowing PaddedBytes) {
    bytes = source.bytes
    padded = source.padded
    offset = byteOrderMarkLength(source.bytes)
  }

  /// A cursor at `offset`.
  @_lifetime(borrow source)
  init(_ source: borrowing PaddedBytes, at offset: Int) {
    bytes = source.bytes
    padded = source.padded
    self.offset = offset
  }

  /// The next byte that is not white space, without moving past it; `nil` at the end of the file.
  @_lifetime(self: copy self)
  mutating func peek() -> UInt8? {
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), lineFeed, carriageReturn: offset += 1
      default: return bytes[offset]
      }
    }
    return nil
  }

  /// Moves past `byte`, which must be the next one that is not white space.
  @_lifetime(self: copy self)
  mutating func expect(_ byte: UInt8, _ purpose: String) throws(Failure) {
    guard peek() == byte else { throw unexpected("'\(Character(Unicode.Scalar(byte)))' \(purpose)") }
    offset += 1
  }

  /// Moves to the next element of the array around, and returns whether there is one; if not, past the `]`.
  ///
  /// - Parameter isFirst: Whether the `[` was just passed; becomes false.
  /// - Returns: Whether there is an element; if so the cursor is at it.
  /// - Throws: `Failure` when neither a comma nor the `]` stands where one must.
  @_lifetime(self: copy self)
  mutating func nextElement(isFirst: inout Bool) throws(Failure) -> Bool {
    try next(closing: UInt8(ascii: "]"), of: "the array", isFirst: &isFirst)
  }

  /// Moves to the value of the next member of the object around and returns where its key is written, quotes
  /// included; moves past the `}` and returns `nil` when there is none.
  @_lifetime(self: copy self)
  mutating func nextMember(isFirst: inout Bool) throws(Failure) -> Range<Int>? {
    guard try next(closing: UInt8(ascii: "}"), of: "the object", isFirst: &isFirst) else { return nil }
    guard peek() == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
    let key = try skipValue()
    try expect(UInt8(ascii: ":"), "after a key")
    return key
  }

  /// Moves past the next value and returns where it is written.
  @_lifetime(self: copy self)
  mutating func skipValue() throws(Failure) -> Range<Int> {
    guard let first = peek() else { throw unexpected("a value") }
    let start = offset
    switch first {
    case UInt8(ascii: "\""):
      try skipString(valueStart: start)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try skipStructure()
    default:
      while offset < bytes.count, !Self.endsScalar(bytes[offset]) { offset += 1 }
      if offset == start { throw unexpected("a value") }
    }
    return start..<offset
  }

  @_lifetime(self: copy self)
  private mutating func next(
    closing: UInt8, of whole: String, isFirst: inout Bool
  ) throws(Failure) -> Bool {
    let byte = peek()
    if byte == closing {
      offset += 1
      return false
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else {
        throw unexpected("',' or '\(Character(Unicode.Scalar(closing)))' in \(whole)")
      }
      offset += 1
    }
    isFirst = false
    return true
  }

  /// Moves past the bracket that closes the one here.
  @_lifetime(self: copy self)
  private mutating func skipStructure() throws(Failure) {
    let start = offset
    var depth = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        try skipString(valueStart: start)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 {
          offset += 1
          return
        }
      default: break
      }
      offset += 1
    }
    throw Failure(offset: start, reason: "the file ends inside the value that begins here; is it complete?")
  }

  /// Moves past the closing quote of the string here.
  @_lifetime(self: copy self)
  private mutating func skipString(valueStart: Int) throws(Failure) {
    offset += 1
    while true {
      offset = stringStop.firstMatch(in: padded, from: offset, end: bytes.count)
      guard offset < bytes.count else {
        throw Failure(
          offset: valueStart, reason: "the file ends inside a string of the value that begins here")
      }
      if bytes[offset] == UInt8(ascii: "\"") {
        offset += 1
        return
      }
      // A backslash and what it escapes.
      offset = min(offset + 2, bytes.count)
    }
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "["),
      UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: " "), UInt8(ascii: "\t"), lineFeed, carriageReturn:
      true
    default: false
    }
  }

  private func unexpected(_ expected: String) -> Failure {
    guard offset < bytes.count else {
      return Failure(offset: offset, reason: "expected \(expected), but the file ends; is it complete?")
    }
    let byte = bytes[offset]
    let found =
      (0x21...0x7E).contains(byte)
      ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16, uppercase: true)
    return Failure(offset: offset, reason: "expected \(expected), found \(found)")
  }
}
