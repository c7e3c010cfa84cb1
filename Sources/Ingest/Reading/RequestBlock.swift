internal import PipelineFile
internal import Readers
internal import Tombstones

/// The requests of one block of an export. Only one thread reads the block.
struct RequestBlock: Sendable {
  /// The number of records.
  private(set) var read = 0
  private(set) var rows: [RequestRow] = []
  private(set) var rejects = RejectLog()
  private let file: Int
  private var erasedUsers: ErasedIdentities?
  private var erasedCandidates: ErasedIdentities?
  /// The number of records that refer to an erased person. `read` also counts these records, but no other
  /// property includes them.
  private(set) var erased = 0

  init(_ requests: Pipeline.Requests, tombstones: TombstoneSet) {
    file = rejects.open("")
    erasedUsers = ErasedIdentities(tombstones, of: requests.user.entity)
    erasedCandidates = ErasedIdentities(tombstones, of: requests.candidate.entity)
  }

  /// Adds a record. `parser` extracts its values.
  mutating func add(_ record: borrowing Record, by parser: RequestParser) {
    read += 1
    do throws(RowRejected) {
      if let fault = record.fault { throw RowRejected(fault) }
      if isErased(record, by: parser) {
        erased += 1
        return
      }
      var row = try parser.read(record)
      row.place = RowPlace(file: file, unit: record.unit, number: record.number)
      rows.append(row)
    } catch {
      let rejected = error.withoutValue(where: erasedUsers != nil).by(parser.account(of: record))
      rejects.add(rejected, file: file, number: record.number, unit: record.unit)
    }
  }

  private mutating func isErased(_ record: borrowing Record, by parser: RequestParser) -> Bool {
    guard var users = erasedUsers, var candidates = erasedCandidates else { return false }
    (erasedUsers, erasedCandidates) = (nil, nil)
    let isErased = parser.isErased(
      record, user: { users.contain($0) }, candidate: { candidates.contain($0) })
    (erasedUsers, erasedCandidates) = (users, candidates)
    return isErased
  }
}
