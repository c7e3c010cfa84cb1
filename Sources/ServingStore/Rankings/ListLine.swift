internal import Text

/// Extracts the user's id from a line of a list, `{"user":"u17",...}`, or the key from a line of a catalog,
/// `{"key":"Cork",...}`.
///
/// A line always begins with this member, so the rest of the line need not be parsed here. `DocumentCheck`
/// checks that the line is JSON.
enum ListLine {
  /// A problem in a line.
  enum Flaw: String, Error {
    case start = "the line must start with {\"user\":\"... (in a catalog: {\"key\":\"...)"
    case end = "the line must end with }"
    case unterminated = "the user's id or the key has no closing quote"
    case control = "the user's id or the key contains an unescaped control character"
    case escape = "the user's id or the key contains an unknown escape"
    case surrogate = "the user's id or the key contains an unpaired surrogate"
    case empty = "the user's id or the key is empty"
  }

  /// The first member of a line.
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

  /// Replaces the bytes of `id` with the unescaped value of the line's first member.
  ///
  /// - Throws: The fault in the line. Invalid UTF-8 is not reported here, because `DocumentCheck` detects it.
  /// - Complexity: O(n) in the length of the id. Source: RFC 8259, section 7.
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

  /// Appends the character of an escape, and moves `index` from the byte after the backslash to the end of
  /// the escape.
  private static func unescape(
    _ line: Span<UInt8>, at index: inout Int, into id: inout [UInt8]
  ) throws(Flaw) {
    do throws(JSONEscape.Flaw) {
      try JSONEscape.append(line, at: &index, to: &id)
    } catch {
      switch error {
      case .unterminated: throw .unterminated
      case .unknown: throw .escape
      case .surrogate: throw .surrogate
      }
    }
  }
}
