internal import Readers

/// The fault of one row. It is thrown while the row is read, and caught where rows are counted.
struct RowRejected: Error {
  var rule: IngestRule
  var field: String
  var value: String
  /// The units in which an implausible number would be a plausible time.
  var plausibleUnits: [TimeUnit] = []
  /// Whether the digits of an implausible number are a plausible date, as in `20261120`.
  var isDateInDigits = false
  /// The account that wrote the row, for `RowsByAccount`: the user of the row, or the owner of an entity, or
  /// the entity itself. The account is `nil` if its id cannot be read.
  var account: UInt64?
}

extension RowRejected {
  /// Returns the rejection of a row that `account` wrote.
  func by(_ account: UInt64?) -> RowRejected {
    var rejected = self
    rejected.account = account
    return rejected
  }

  /// Creates the rejection of a row that could not be parsed.
  init(_ fault: RecordFault) {
    self.init(rule: IngestRule(fault.rule), field: "", value: String(decoding: fault.excerpt, as: UTF8.self))
  }
}

extension RowRejected {
  /// Returns the rejection, without its value if `hides` is true.
  ///
  /// After an erasure, the value may belong to the erased person, unless the row is known to belong to
  /// another person. An excerpt of a row that cannot be parsed may contain anything.
  func withoutValue(where hides: Bool) -> RowRejected {
    var rejected = self
    if hides { rejected.value = "" }
    return rejected
  }

  /// Returns the rejection, without its value if `hides` is true and the value is an invalid id.
  func withoutID(where hides: Bool) -> RowRejected { withoutValue(where: hides && rule == .badID) }
}
