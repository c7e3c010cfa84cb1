internal import Readers

/// What stopped one row: thrown while it is read, caught where rows are counted.
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
  /// What may be told of the row where somebody was erased: a value whose row nobody can tell to be another's may be
  /// theirs, and an excerpt of a row that is no record may hold anything.
  func withoutValue(where hides: Bool) -> RowRejected {
    hides ? RowRejected(rule: rule, field: field, value: "") : self
  }

  /// The same where what is wrong is an id that nobody can read.
  func withoutID(where hides: Bool) -> RowRejected { withoutValue(where: hides && rule == .badID) }
}
