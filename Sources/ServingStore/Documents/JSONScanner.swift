internal import Text

/// A JSON scanner that returns the byte ranges of values. With these ranges, an edit can replace a value and
/// keep every other byte.
struct JSONScanner {
  /// The error for a text that is not JSON, with the byte offset of the fault.
  struct Flaw: Error {
    var offset: Int
  }

  let text: [UInt8]
  /// The current offset in bytes.
  private(set) var index = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  /// Skips whitespace, and returns the first byte of the next token; `nil` at the end of the text.
  mutating func next() -> UInt8? {
    while index < text.count, [0x20, 0x0A, 0x0D, 0x09].contains(text[index]) { index += 1 }
    return index < text.count ? text[index] : nil
  }

  /// Moves past the next token and returns `true` if this token is `byte`; otherwise returns `false`.
  mutating func take(_ byte: UInt8) -> Bool {
    guard next() == byte else { return false }
    index += 1
    return true
  }

  /// Parses the next string and returns its unescaped bytes.
  mutating func string() throws(Flaw) -> [UInt8] {
    guard take(UInt8(ascii: "\"")) else { throw Flaw(offset: index) }
    var bytes: [UInt8] = []
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return bytes
      case UInt8(ascii: "\\"):
        let text = text
        do throws(JSONEscape.Flaw) {
          try JSONEscape.append(text.span, at: &index, to: &bytes)
        } catch {
          throw Flaw(offset: index)
        }
      default: bytes.append(byte)
      }
    }
    throw Flaw(offset: index)
  }

  /// Moves past the next value, and returns its range.
  mutating func value() throws(Flaw) -> Range<Int> {
    guard let first = next() else { throw Flaw(offset: index) }
    let start = index
    // A loop replaces recursion, because a value with a million levels of nesting would overflow the stack.
    var depth = 0
    repeat {
      switch next() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        index += 1
      case UInt8(ascii: "\""): _ = try string()
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw Flaw(offset: index) }
        index += 1
      case nil: throw Flaw(offset: index)
      default: scalar()
      }
    } while depth > 0
    guard depth == 0, index > start, first != UInt8(ascii: "}"), first != UInt8(ascii: "]") else {
      throw Flaw(offset: start)
    }
    return start..<index
  }

  /// Moves past a number, `true`, `false` or `null`.
  private mutating func scalar() {
    while index < text.count, !Array(",:]}[{\" \n\r\t".utf8).contains(text[index]) { index += 1 }
  }

  /// Scans the next object. `member` receives each key and must move past the value of the key.
  mutating func object(_ member: ([UInt8], inout JSONScanner) throws(Flaw) -> Void) throws(Flaw) {
    guard take(UInt8(ascii: "{")) else { throw Flaw(offset: index) }
    if take(UInt8(ascii: "}")) { return }
    repeat {
      let key = try string()
      guard take(UInt8(ascii: ":")) else { throw Flaw(offset: index) }
      try member(key, &self)
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw Flaw(offset: index) }
  }

  /// Scans the next array. `element` must move past each value.
  mutating func array(_ element: (inout JSONScanner) throws(Flaw) -> Void) throws(Flaw) {
    guard take(UInt8(ascii: "[")) else { throw Flaw(offset: index) }
    if take(UInt8(ascii: "]")) { return }
    repeat {
      try element(&self)
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw Flaw(offset: index) }
  }
}
