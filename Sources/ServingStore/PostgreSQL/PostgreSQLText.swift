internal import Text

/// Encodes ids as PostgreSQL texts, which cannot contain U+0000.
///
/// An id is encoded if it contains U+0000 or begins with U+F8FF, a private-use character. The text is then
/// U+F8FF followed by the id, with U+0000 escaped as U+F8FF 0 and U+F8FF as U+F8FF 1. Every other id is
/// stored unchanged. Different ids therefore have different texts.
enum PostgreSQLText {
  /// U+F8FF in UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xA3, 0xBF]

  /// Returns whether the id is stored unchanged.
  static func isPlain(_ id: Span<UInt8>) -> Bool {
    if id.count >= 3, id[0] == mark[0], id[1] == mark[1], id[2] == mark[2] { return false }
    return id.firstIndex(of: 0) == nil
  }

  /// Returns the text of an id for which `isPlain` is false.
  static func encoded(_ id: Span<UInt8>) -> [UInt8] {
    var text = mark
    var index = 0
    while index < id.count {
      if id[index] == 0 {
        text += mark + [UInt8(ascii: "0")]
        index += 1
      } else if index + 3 <= id.count, id[index] == mark[0], id[index + 1] == mark[1],
        id[index + 2] == mark[2]
      {
        text += mark + [UInt8(ascii: "1")]
        index += 3
      } else {
        text.append(id[index])
        index += 1
      }
    }
    return text
  }

  static func encoded(_ id: StoredID) -> [UInt8] {
    isPlain(id.utf8.span) ? id.utf8 : encoded(id.utf8.span)
  }

  /// Returns the id that a text encodes.
  static func decoded(_ text: [UInt8]) -> StoredID {
    guard text.starts(with: mark) else { return StoredID(utf8: text) }
    var id: [UInt8] = []
    var rest = text.dropFirst(3)
    while let first = rest.first {
      if rest.starts(with: mark), rest.count > 3 {
        id += rest[rest.startIndex + 3] == UInt8(ascii: "0") ? [0] : mark
        rest = rest.dropFirst(4)
      } else {
        id.append(first)
        rest = rest.dropFirst()
      }
    }
    return StoredID(utf8: id)
  }
}
