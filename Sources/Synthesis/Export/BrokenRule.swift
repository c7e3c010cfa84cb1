/// The rules that rows of a synthetic export break on purpose, named as the pipeline's rejects name them.
package enum BrokenRule: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
  /// Outside [-90, 90] degrees, or not a number.
  case badLatitude = "bad_latitude"
  /// Outside [-180, 180] degrees.
  case badLongitude = "bad_longitude"
  /// Words in place of a number.
  case badNumber = "bad_number"
  /// A date that is no calendar day.
  case badDate = "bad_date"
  /// An unknown county or size.
  case unknownName = "unknown_name"
  /// No RFC 3339 time, or a date that no calendar has.
  case badTime = "bad_time"
  /// One of several documents of a person that is not the newest. Merged, not rejected.
  case duplicateID = "duplicate_id"
  /// A swipe or check-in by a person without a document, or with a rejected one.
  case unknownUser = "unknown_user"
  /// A swipe on a person without a document, or with a rejected one.
  case unknownCandidate = "unknown_candidate"
  /// A swipe on oneself.
  case selfInteraction = "self_interaction"
  /// A direction that is neither `right` nor `left`, byte for byte.
  case unknownValue = "unknown_value"
  /// An id that is empty.
  case missingID = "missing_id"
  /// No name, place name or picture.
  case missingAttribute = "missing_attribute"
  /// A check-in without a position.
  case missingPosition = "missing_position"
  /// A post by a person who does not exist.
  case unknownOwner = "unknown_owner"
  /// Free slots that are not a list, or a slot that has no end or is empty.
  case badIntervals = "bad_intervals"
  /// An event that begins before it was entered.
  case dateTooEarly = "date_too_early"
  /// A birth date in the future.
  case dateInFuture = "date_in_future"
  /// Stars beyond five.
  case valueOutOfRange = "value_out_of_range"
  /// A row with fewer fields than the header.
  case wrongFieldCount = "wrong_field_count"

  /// Whether a row that breaks the rule is lost; a duplicate is merged into another row.
  package var rejects: Bool { self != .duplicateID }
}

extension [BrokenRule: Int] {
  /// Counts a row that breaks `rule`; a row that breaks none is not counted.
  mutating func add(_ rule: BrokenRule?) {
    if let rule { self[rule, default: 0] += 1 }
  }

  /// Rows that ingest must reject; merged duplicates are none.
  package var rejected: Int {
    reduce(0) { $0 + ($1.key.rejects ? $1.value : 0) }
  }
}

extension BrokenRule {
  /// The faults of rows that are broken on purpose: of each, `shares` says how many there are in `whole` rows. Scaled to
  /// `count` rows and rounded down, so that a small export keeps its share of good rows.
  static func planted<Fault>(_ shares: [(Fault, Int)], rows count: Int, whole: Int) -> [Fault] {
    shares.flatMap { fault, share in Array(repeating: fault, count: count * share / whole) }
  }
}
