/// The keys of a struct type, parsed from DuckDB's name of the type: `STRUCT(latitude DOUBLE, "a b"
/// INTEGER[])`.
struct StructType {
  /// The keys and the names of their types, in order.
  private(set) var fields: [(key: String, type: String)] = []

  /// Parses the type `name`. Returns `nil` for any type except a struct.
  init?(_ name: String) {
    let prefix = "STRUCT("
    guard name.hasPrefix(prefix), name.hasSuffix(")") else { return nil }
    let bytes = Array(name.utf8)
    var index = prefix.utf8.count
    while index < bytes.count {
      guard let key = Self.key(bytes, &index), index < bytes.count, bytes[index] == UInt8(ascii: " ") else {
        return nil
      }
      index += 1
      let start = index
      guard Self.skipType(bytes, &index) else { return nil }
      fields.append((key, String(decoding: bytes[start..<index], as: UTF8.self)))
      // The byte that ended the type is the last parenthesis, or a comma before a space.
      if bytes[index] == UInt8(ascii: ")") { break }
      index += 2
    }
    guard index == bytes.count - 1 else { return nil }
  }

  /// Parses a bare word up to a space, or a quoted word.
  private static func key(_ bytes: [UInt8], _ index: inout Int) -> String? {
    let quote = UInt8(ascii: "\"")
    var key: [UInt8] = []
    let isQuoted = bytes[index] == quote
    if isQuoted { index += 1 }
    while index < bytes.count {
      if isQuoted, bytes[index] == quote {
        guard index + 1 < bytes.count, bytes[index + 1] == quote else {
          index += 1
          return String(decoding: key, as: UTF8.self)
        }
        index += 1
      } else if !isQuoted, bytes[index] == UInt8(ascii: " ") {
        return String(decoding: key, as: UTF8.self)
      }
      key.append(bytes[index])
      index += 1
    }
    return nil
  }

  /// Moves to the comma or parenthesis that ends a type. Returns `false` if the type has no end.
  private static func skipType(_ bytes: [UInt8], _ index: inout Int) -> Bool {
    var depth = 0
    var quote: UInt8?
    while index < bytes.count {
      switch bytes[index] {
      // A doubled quote closes and reopens the quoted part.
      case let byte where byte == quote: quote = nil
      case _ where quote != nil: break
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = bytes[index]
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")") where depth == 0, UInt8(ascii: ",") where depth == 0: return true
      case UInt8(ascii: ")"): depth -= 1
      default: break
      }
      index += 1
    }
    return false
  }
}
