/// The path of a requested field in JSON: the keys that lead to the field. `location.latitude` has two keys.
///
/// A dot within a key is written as `\.`, and a backslash is written as `\\`. Delimited files do not use
/// paths, because their fields are literal column names.
struct FieldPath: Hashable, Sendable {
  /// The keys as UTF-8, outermost first. There is at least one key, and no key is empty.
  let keys: [[UInt8]]

  /// Creates the path of a single key.
  init(key: String) { keys = [Array(key.utf8)] }

  /// Parses the path `field`.
  ///
  /// - Throws: `bad_field` for an empty key, or for a backslash before a character other than a dot or a
  ///   backslash.
  init(_ field: String, file: String) throws(ExportError) {
    var keys: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in field.utf8 {
      switch byte {
      case UInt8(ascii: "\\") where !isEscaped:
        isEscaped = true
        continue
      case UInt8(ascii: ".") where !isEscaped:
        keys.append([])
      case _ where isEscaped && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "\\"):
        throw Self.refused(field, file: file)
      default:
        keys[keys.count - 1].append(byte)
      }
      isEscaped = false
    }
    guard !isEscaped, keys.allSatisfy({ !$0.isEmpty }) else { throw Self.refused(field, file: file) }
    self.keys = keys
  }

  private static func refused(_ field: String, file: String) -> ExportError {
    ExportError(
      .badField, file: file,
      reason: "the field '\(field)' must consist of keys separated by dots; write a backslash before each "
        + "dot or backslash that belongs to a key")
  }
}
