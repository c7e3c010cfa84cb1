internal import Readers
package import RunSchemas

/// The reason why a row of an export was not kept. The raw values appear in `rejects.csv` and manifests.
package enum IngestRule: String, CaseIterable, Hashable, Sendable {
  // The row could not be read as a record. The names are the same as in `Readers`.
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

  /// The row's id, or the id of its user, candidate or owner, is empty or absent.
  case missingID = "missing_id"
  /// An id is neither a text nor a number, or it is a number that is too large to be exact.
  case badID = "bad_id"
  /// Another row with the same id is newer, or has the same time and was read later. The row counts as
  /// merged, not rejected.
  case duplicateID = "duplicate_id"
  /// A value is not a number, or it is beyond ±1e100.
  case badNumber = "bad_number"
  /// A required time is absent, or a value is not a number, a calendar date or an RFC 3339 time.
  case badTime = "bad_time"
  /// A time is outside the plausible times of its source (by default, the years 2000 to 2100), or a number is
  /// too large to be a time.
  case implausibleTime = "implausible_time"
  /// A flag is neither true nor false.
  case badFlag = "bad_flag"
  /// A date is neither a calendar date nor an RFC 3339 time.
  case badDate = "bad_date"
  /// A set is an object, or a list with elements other than texts, numbers, flags and nulls.
  case badTags = "bad_tags"
  /// A value is not a list of intervals, an interval lacks a readable beginning or end, or an interval does
  /// not end after its beginning.
  case badIntervals = "bad_intervals"
  /// Instead of a text, the value is a list, an object or a number that is not finite.
  case badText = "bad_text"
  /// An id has more than 1,024 bytes.
  case idTooLong = "id_too_long"
  /// A word of a category or a set has more than 256 bytes.
  case wordTooLong = "word_too_long"
  /// A set has more than 256 words.
  case tooManyTags = "too_many_tags"
  /// A text contains the character U+0000, which some stores do not accept.
  case nullCharacter = "null_character"
  /// A latitude is not a number in [-90, 90], or is absent although the longitude is present.
  case badLatitude = "bad_latitude"
  /// A longitude is not a number in [-180, 180], or is absent although the latitude is present.
  case badLongitude = "bad_longitude"
  /// A field for both coordinates does not contain two or three numbers in the required form.
  case badPoint = "bad_point"
  /// A category is not one of the allowed names.
  case unknownName = "unknown_name"
  /// A date is before the date that it must not precede.
  case dateTooEarly = "date_too_early"
  /// A date is after the as-of time although the pipeline file forbids it.
  case dateInFuture = "date_in_future"
  /// A required attribute is absent.
  case missingAttribute = "missing_attribute"
  /// A check-in has no position.
  case missingPosition = "missing_position"
  /// The user of an interaction, check-in or request is not among the valid rows of the entity.
  case unknownUser = "unknown_user"
  /// The candidate of an interaction or request is not among the valid rows of the entity.
  case unknownCandidate = "unknown_candidate"
  /// The owner of a row is not among the valid rows of the owners' entity.
  case unknownOwner = "unknown_owner"
  /// The user of an interaction or a request is also its candidate, or owns the candidate of the request.
  case selfInteraction = "self_interaction"
  /// The user of a request is younger than the minimum age.
  case underAge = "under_age"
  /// The requests have a minimum age, but the user of a request has no birth date or was born after the
  /// request.
  case ageUnknown = "age_unknown"
  /// The value of an interaction or the status of a request is absent, or the pipeline file does not map it.
  case unknownValue = "unknown_value"
  /// The value of an interaction is outside the range in the pipeline file.
  case valueOutOfRange = "value_out_of_range"

  /// The outcome of a row that breaks the rule; `nil` if the row counts as merged.
  package var outcome: RuleOutcome? {
    switch self {
    case .duplicateID: nil
    case .unknownUser, .unknownCandidate, .unknownOwner: .dangling
    case .selfInteraction, .underAge, .ageUnknown: .notAllowed
    default: .rejected
    }
  }

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
