internal import Readers

/// The fault of one row: thrown while the row is read, caught where rows are counted.
struct RowRejected: Error {
  var rule: IngestRule
  var field: String
  var value: String
}

extension RowRejected {
  /// A row that could not be read as a record.
  init(_ fault: RecordFault) {
    self.init(rule: IngestRule(fault.rule), field: "", value: String(decoding: fault.excerpt, as: UTF8.self))
  }
}

extension RowRejected {
  /// The rejection without its value if `hides`. After an erasure, a value whose row cannot be attributed to another person may
  /// be the erased person's, and an excerpt of a row that is no record may hold anything.
  func withoutValue(where hides: Bool) -> RowRejected {
    hides ? RowRejected(rule: rule, field: field, value: "") : self
  }

  /// The same if the fault is an unreadable id.
  func withoutID(where hides: Bool) -> RowRejected { withoutValue(where: hides && rule == .badID) }
}
