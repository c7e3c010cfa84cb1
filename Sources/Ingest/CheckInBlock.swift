internal import Erasure
internal import Exports
internal import PipelineFile

/// The rows of one block of an export of check-ins, as one thread reads them.
struct CheckInBlock: Sendable {
  /// How many records there were.
  private(set) var read = 0
  private(set) var columns: CheckInColumns
  private(set) var rejects = RejectLog()
  private let file: Int
  private var erasedUsers: ErasedIdentities?
  /// How many of the records are of somebody who was erased, and in nothing else here.
  private(set) var erased = 0

  init(_ checkIns: Pipeline.CheckIns, tombstones: Tombstones) {
    erasedUsers = ErasedIdentities(tombstones, of: checkIns.user.entity)
    columns = CheckInColumns(checkIns)
    file = rejects.open("")
  }

  /// Adds a record, which `fields` takes apart.
  mutating func add(_ record: borrowing Record, by fields: CheckInFields) {
    read += 1
    do throws(RowRejected) {
      if let fault = record.fault { throw RowRejected(fault).withoutValue(where: erasedUsers != nil) }
      if erasedUsers != nil, fields.withUser(of: record, { erasedUsers?.contain($0) }) == true {
        erased += 1
        return
      }
      try fields.append(record, to: &columns)
    } catch {
      rejects.add(
        error.withoutValue(where: erasedUsers != nil), file: file, number: record.number, unit: record.unit)
      columns.dropUnfinished()
    }
  }
}
