internal import PipelineFile
internal import Readers

/// Extracts check-ins from records.
///
/// This is a class, because copying a structure for each row would update the reference counts of all its
/// strings.
final class CheckInFields: Sendable {
  let checkIns: Pipeline.CheckIns
  let names: [String]
  private let id: Int
  private let user: Int
  private let users: IdentityLookup
  private let at: Int
  private let position: PositionSlots
  private let attributes: AttributeSlots
  private let precision: Int

  /// - Parameters:
  ///   - checkIns: The kind of check-ins, with the names of their fields.
  ///   - users: The ids of the users.
  ///   - precision: The geohash precision of the cells to which positions are snapped.
  init(_ checkIns: Pipeline.CheckIns, users: RankedIdentities, precision: Int) {
    self.checkIns = checkIns
    self.users = IdentityLookup(users)
    self.precision = precision
    var list = FieldSlots()
    id = list.position(of: checkIns.id)
    user = list.position(of: checkIns.user.from)
    at = list.position(of: checkIns.at.from)
    position = PositionSlots(checkIns.position, in: &list)
    attributes = AttributeSlots(checkIns.attributes, in: &list)
    names = list.names
  }

  /// The fields that at least one record must have. If no record has a field, the pipeline file probably
  /// misspells its name.
  var required: [String] {
    [checkIns.id, checkIns.user.from, checkIns.at.from] + checkIns.position.names + attributes.required
  }

  /// The fields that may contain a list. Each value is the separator for a list in text form.
  var lists: [String: String] { attributes.lists.merging(checkIns.position.lists) { own, _ in own } }

  /// The fields that a file need not contain, because only optional attributes use them.
  var optional: Set<String> { Set(names).subtracting(required + attributes.named) }

  /// Returns the result of `body` for the user's id; `nil` if the field contains no valid id.
  func withUser<Result>(of record: borrowing Record, _ body: (Span<UInt8>) -> Result?) -> Result? {
    (try? record[user].withID(checkIns.user.from, body)) ?? nil
  }

  /// Returns the user as the account that wrote the record; see `RowRejected.account`.
  func account(of record: borrowing Record) -> UInt64? {
    record.fault == nil ? record[user].account : nil
  }

  /// Appends the check-in in `record` to `columns`.
  ///
  /// - Throws: The fault of the row. `columns` may then contain some of the row's values.
  func append(_ record: borrowing Record, to columns: inout CheckInColumns) throws(RowRejected) {
    try record[id].withKeptID(checkIns.id) { columns.ids.append(text: $0) }
    let user = try record[user].rank(checkIns.user.from, in: users, orElse: .unknownUser)
    let at = try record[at].neededTime(checkIns.at)
    let position = try position.needed(record, precision: precision)
    try attributes.append(record, to: &columns.attributes)
    columns.rows.append(CheckInRow(user: user, moment: at, position: position))
  }
}
