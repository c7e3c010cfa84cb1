internal import PipelineFile
internal import Readers
internal import Tombstones

/// The check-ins of one block of an export. Only one thread reads the block.
struct CheckInBlock: Sendable {
  /// The number of records.
  private(set) var read = 0
  /// The number of records of erased people. `read` also counts these records, but no other property includes
  /// them.
  private(set) var erased = 0
  private var erasedUsers: ErasedIdentities?
  private(set) var columns: CheckInColumns
  private(set) var rejects = RejectLog()
  private let file: Int

  init(_ checkIns: Pipeline.CheckIns, tombstones: TombstoneSet) {
    erasedUsers = ErasedIdentities(tombstones, of: checkIns.user.entity)
    columns = CheckInColumns(checkIns)
    file = rejects.open("")
  }

  /// Adds a record. `fields` extracts its values.
  mutating func add(_ record: borrowing Record, by fields: CheckInFields) {
    read += 1
    do throws(RowRejected) {
      if let fault = record.fault { throw RowRejected(fault).withoutValue(where: erasedUsers != nil) }
      try fields.append(record, to: &columns)
    } catch {
      columns.dropUnfinished()
      if isErased(record, by: fields) {
        erased += 1
        return
      }
      let rejected = error.withoutID(where: erasedUsers != nil).by(fields.account(of: record))
      rejects.add(rejected, file: file, number: record.number, unit: record.unit)
    }
  }

  /// Returns whether a rejected record belongs to an erased person; `false` for a record that could not be
  /// parsed. Accepted records need no check: the ids of erased people are unknown, so their records are
  /// rejected.
  private mutating func isErased(_ record: borrowing Record, by fields: CheckInFields) -> Bool {
    guard erasedUsers != nil, record.fault == nil else { return false }
    return fields.withUser(of: record) { erasedUsers?.contain($0) } == true
  }
}
