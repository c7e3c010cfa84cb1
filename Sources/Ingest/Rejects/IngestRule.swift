internal import Readers

/// Why a row of an export was not kept. The raw values are the names in `rejects.csv` and manifests.
package enum IngestRule: String, CaseIterable, Hashable, Sendable {
  // The row could not be read as a record: the same names as in `Readers`.
  case wrongFieldCount = "wrong_field_count"
  case unclosedQuote = "unclosed_quote"
  case badQuote = "bad_quote"
  case badJSON = "bad_json"
  case notAnObject = "not_an_object"
  case badFirestoreValue = "bad_firestore_value"
  case recordTooLong = "record_too_long"
  case duplicateKey = "duplicate_key"
  case nestingTooDeep = "nesting_too_deep"
  case numberOutOfRange = "number_out_of_range"
  case loneSurrogate = "lone_surrogate"

  /// An id, the user's, the candidate's or the owner's, is empty or absent.
  case missingID = "missing_id"
  /// An id is not a text or number, or it is a number too long to be exact.
  case badID = "bad_id"
  /// Another row with the same id is newer, or later in the file: merged, not rejected.
  case duplicateID = "duplicate_id"
  /// Not a number, or one beyond ±1e100.
  case badNumber = "bad_number"
  /// A required time is absent, or a time is not RFC 3339 or not a valid date.
  case badTime = "bad_time"
  /// Not true or false.
  case badFlag = "bad_flag"
  /// Neither a calendar date nor a moment by RFC 3339.
  case badDate = "bad_date"
  /// An object, or a list of anything but texts, numbers and flags.
  case badTags = "bad_tags"
  /// Not a list of intervals, or an interval without two ends, or one that does not end after its start.
  case badIntervals = "bad_intervals"
  /// A list or object where a text is expected.
  case badText = "bad_text"
  /// Not a number in [-90, 90], or absent beside a longitude.
  case badLatitude = "bad_latitude"
  /// Not a number in [-180, 180], or absent beside a latitude.
  case badLongitude = "bad_longitude"
  /// A category is not one of the allowed names.
  case unknownName = "unknown_name"
  /// A date is before another date that must not be later.
  case dateTooEarly = "date_too_early"
  /// A date is after the as-of time, which the pipeline file forbids.
  case dateInFuture = "date_in_future"
  /// A required attribute is absent.
  case missingAttribute = "missing_attribute"
  /// A check-in has no position.
  case missingPosition = "missing_position"
  /// The user of an interaction or check-in is not among the entities kept.
  case unknownUser = "unknown_user"
  /// The candidate of an interaction is not among the entities kept.
  case unknownCandidate = "unknown_candidate"
  /// The owner of an entity is not among the entities kept.
  case unknownOwner = "unknown_owner"
  /// An interaction with oneself, or a request to oneself.
  case selfInteraction = "self_interaction"
  /// The value of an interaction, or the status of a request, is absent or is not mapped by the pipeline file.
  case unknownValue = "unknown_value"
  /// The value of an interaction is outside of the range that the pipeline file gives.
  case valueOutOfRange = "value_out_of_range"

  init(_ rule: RecordFault.Rule) {
    switch rule {
    case .wrongFieldCount: self = .wrongFieldCount
    case .unclosedQuote: self = .unclosedQuote
    case .badQuote: self = .badQuote
    case .badJSON: self = .badJSON
    case .notAnObject: self = .notAnObject
    case .badFirestoreValue: self = .badFirestoreValue
    case .recordTooLong: self = .recordTooLong
    case .duplicateKey: self = .duplicateKey
    case .nestingTooDeep: self = .nestingTooDeep
    case .numberOutOfRange: self = .numberOutOfRange
    case .loneSurrogate: self = .loneSurrogate
    }
  }
}
