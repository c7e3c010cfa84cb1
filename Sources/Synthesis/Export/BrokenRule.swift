/// The rules that rows of a synthetic export break on purpose. The raw values are the names of the rules in
/// the pipeline's rejects.
package enum BrokenRule: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
  /// A latitude that is outside [-90, 90] degrees or is not a number.
  case badLatitude = "bad_latitude"
  /// A longitude outside [-180, 180] degrees.
  case badLongitude = "bad_longitude"
  /// A word in place of a number.
  case badNumber = "bad_number"
  /// A text that is not a date in the form `1990-12-31`.
  case badDate = "bad_date"
  /// An unknown county or size.
  case unknownName = "unknown_name"
  /// A time that is not in the form of RFC 3339, or has an impossible date.
  case badTime = "bad_time"
  /// An older document of a person who has several documents. Ingest merges the documents instead of
  /// rejecting one.
  case duplicateID = "duplicate_id"
  /// A row whose user has no document, or only a rejected document.
  case unknownUser = "unknown_user"
  /// A row whose candidate has no document, or only a rejected document.
  case unknownCandidate = "unknown_candidate"
  /// A swipe or follow whose target is the user's own id.
  case selfInteraction = "self_interaction"
  /// A direction, status or value that the pipeline file does not map. Words are compared byte for byte.
  case unknownValue = "unknown_value"
  /// An empty or missing id.
  case missingID = "missing_id"
  /// A missing name, place name or picture.
  case missingAttribute = "missing_attribute"
  /// A check-in without a position.
  case missingPosition = "missing_position"
  /// A post or a dog whose owner has no document, or only a rejected document.
  case unknownOwner = "unknown_owner"
  /// A value of free slots that is not a list, or a slot that is empty or has no end.
  case badIntervals = "bad_intervals"
  /// An event that begins before it was created.
  case dateTooEarly = "date_too_early"
  /// A birth date in the future.
  case dateInFuture = "date_in_future"
  /// A review with more than five stars.
  case valueOutOfRange = "value_out_of_range"
  /// A row with fewer fields than the header.
  case wrongFieldCount = "wrong_field_count"

  /// Whether ingest leaves out a row that breaks the rule, because the row is rejected, dangling or not
  /// allowed. A duplicate is merged instead.
  package var rejects: Bool { self != .duplicateID }
}

extension [BrokenRule: Int] {
  /// Counts a row that breaks `rule`. A row without a broken rule is not counted.
  mutating func add(_ rule: BrokenRule?) {
    if let rule { self[rule, default: 0] += 1 }
  }

  /// The number of rows that ingest must leave out because they are rejected, dangling or not allowed. Merged
  /// duplicates do not count.
  package var rejected: Int {
    reduce(0) { $0 + ($1.key.rejects ? $1.value : 0) }
  }
}

extension BrokenRule {
  /// Returns the faults of the broken rows among `count` rows. `shares` contains the number of rows with each
  /// fault per `whole` rows. These numbers are scaled to `count` and rounded down, so that the share of
  /// faulty rows is not larger in a small export.
  static func planted<Fault>(_ shares: [(Fault, Int)], rows count: Int, whole: Int) -> [Fault] {
    shares.flatMap { fault, share in Array(repeating: fault, count: count * share / whole) }
  }
}
