/// Takes the user's id from a line of a list, `{"user":"u17",...}`, or the key from a line of a directory,
/// `{"key":"Cork",...}`.
///
/// The line begins with that member by contract, so it is had without parsing the whole document. The store
/// checks that the rest is JSON.
enum ListLine {
  /// What is wrong with a line.
  enum Flaw: String, Error {
    case start = "the line does not begin with {\"user\":\"...\", or {\"key\":\"...\" in a directory"
    case end = "the line does not end with }"
    case unterminated = "the user's id or the key has no closing quote"
    case control = "the user's id or the key holds an unescaped control character"
    case escape = "the user's id or the key holds an unknown escape"
    case surrogate = "the user's id or the key holds half of a surrogate pair"
    case empty = "the user's id or the key is empty"
  }

  /// What a line begins with.
  enum Member: Sendable {
    case user, key

    fileprivate var start: [UInt8] {
      switch self {
      case .user: ListLine.userStart
      case .key: ListLine.keyStart
      }
    }
  }

  private static let userStart = Array("{\"user\":\"".utf8)
  private static let keyStart = Array("{\"key\":\"".utf8)

  /// Replaces the bytes of `id` by those of the line's first member, unescaped.
  ///
  /// - Throws: What is wrong with the line. That the id is UTF-8 is left to the loader.
  /// - Complexity: O(length of the id).
  /// Source: RFC 8259, section 7.
  static func first(
    _ member: Member, of line: Span<UInt8>, into id: inout [UInt8]
  ) throws(Flaw) {
    let start = member.start
    id.removeAll(keepingCapacity: true)
    guard line.count > start.count else { throw .start }
    for index in start.indices where line[index] != start[index] { throw .start }
    guard line[line.count - 1] == UInt8(ascii: "}") else { throw .end }
    var index = start.count
    while true {
      guard index < line.count else { throw .unterminated }
      let byte = line[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard !id.isEmpty else { throw .empty }
        guard index < line.count, line[index] == UInt8(ascii: ",") || line[index] == UInt8(ascii: "}") else {
          throw .start
        }
        return
      case UInt8(ascii: "\\"): try unescape(line, at: &index, into: &id)
      case ..<0x20: throw .control
      default: id.append(byte)
      }
    }
  }

  /// Appends what the escape after a backslash stands for; `index` moves behind it.
  private static func unescape(
    _ line: Span<UInt8>, at index: inout Int, into id: inout [UInt8]
  ) throws(Flaw) {
    guard index < line.count else { throw .unterminated }
    let kind = line[index]
    index += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): id.append(kind)
    case UInt8(ascii: "b"): id.append(0x08)
    case UInt8(ascii: "f"): id.append(0x0C)
    case UInt8(ascii: "n"): id.append(0x0A)
    case UInt8(ascii: "r"): id.append(0x0D)
    case UInt8(ascii: "t"): id.append(0x09)
    case UInt8(ascii: "u"):
      let unit = try codeUnit(line, at: &index)
      if let scalar = Unicode.Scalar(unit) {
        id.append(contentsOf: String(scalar).utf8)
        return
      }
      // A high half must be followed by an escaped low one.
      guard unit < 0xDC00, index + 1 < line.count, line[index] == UInt8(ascii: "\\"),
        line[index + 1] == UInt8(ascii: "u")
      else { throw .surrogate }
      index += 2
      let low = try codeUnit(line, at: &index)
      guard (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
      else { throw .surrogate }
      id.append(contentsOf: String(scalar).utf8)
    default: throw .escape
    }
  }

  /// Four hexadecimal digits; `index` moves behind them.
  private static func codeUnit(_ line: Span<UInt8>, at index: inout Int) throws(Flaw) -> UInt32 {
    guard index + 4 <= line.count else { throw .unterminated }
    var unit: UInt32 = 0
    for _ in 0..<4 {
      let byte = line[index]
      index += 1
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw .escape
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}
