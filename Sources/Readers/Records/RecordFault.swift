/// The reason why one row could not be read as a record.
package struct RecordFault: Hashable, Sendable {
  /// The broken rule. The raw values are stable names for rejects and reports.
  package enum Rule: String, CaseIterable, Sendable {
    /// A delimited row has more or fewer fields than the header.
    case wrongFieldCount = "wrong_field_count"
    /// A quoted field is never closed.
    case unclosedQuote = "unclosed_quote"
    /// Something other than a delimiter or a line end follows a closing quote.
    case badQuote = "bad_quote"
    /// The line is not JSON, or the element has a malformed number or escape.
    case badJSON = "bad_json"
    /// The line or element is JSON but not an object.
    case notAnObject = "not_an_object"
    /// The record has more than 64 MiB. Its line or element probably lacks an end.
    case recordTooLong = "record_too_long"
    /// A requested field occurs twice in one JSON object.
    case duplicateKey = "duplicate_key"
    /// A JSON record nests objects and arrays more than 1024 levels deep.
    case nestingTooDeep = "nesting_too_deep"
    /// A JSON record has a number outside the range of a double.
    case numberOutOfRange = "number_out_of_range"
    /// A JSON record contains an unpaired surrogate, which no text can contain.
    case loneSurrogate = "lone_surrogate"
    /// A Firestore document or field does not have the documented form.
    case badFirestoreValue = "bad_firestore_value"
  }

  /// The maximum number of bytes in `excerpt`.
  package static let excerptLimit = 120

  static let tooLongMessage =
    "the record is longer than \(ByteWindow.recordLimit >> 20) MiB; its end is probably missing"

  /// The broken rule.
  package var rule: Rule
  /// A human-readable message with the rule and the observed fault, but without any of the row's content.
  package var message: String
  /// The start of the faulty bytes: at most `excerptLimit` bytes. The excerpt ends between two characters.
  package var excerpt: [UInt8]
}
