internal import Exports
internal import PipelineFile

/// The rows of one block of an export of check-ins, as one thread reads them.
struct CheckInBlock: Sendable {
  /// How many records there were.
  private(set) var read = 0
  private(set) var columns: CheckInColumns
  private(set) var rejects = RejectLog()
  private let file: Int

  init(_ checkIns: Pipeline.CheckIns) {
    columns = CheckInColumns(checkIns)
    file = rejects.open("")
  }

  /// Adds a record, which `fields` takes apart.
  mutating func add(_ record: borrowing Record, by fields: CheckInFields) {
    read += 1
    do throws(RowRejected) {
      if let fault = record.fault { throw RowRejected(fault) }
      try fields.append(record, to: &columns)
    } catch {
      rejects.add(error, file: file, number: record.number, unit: record.unit)
      columns.dropUnfinished()
    }
  }
}
