internal import PipelineFile
internal import Readers

/// Where the parts of a check-in stand in records.
///
/// A class, as a copy for each row would count references to all of its texts.
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
  ///   - checkIns: What is read.
  ///   - users: The ids of those who check in.
  ///   - precision: Positions are snapped to cells of it before anything else sees them.
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

  /// The fields that some record should have, or the pipeline file misspells them.
  var required: [String] {
    [
      checkIns.id, checkIns.user.from, checkIns.at.from, checkIns.position.latitude,
      checkIns.position.longitude,
    ] + attributes.required
  }

  /// The fields where a list may stand.
  var lists: [String: String] { attributes.lists }

  /// The fields that a file need not name: those that nothing but optional attributes uses.
  var optional: Set<String> { Set(names).subtracting(required + attributes.named) }

  /// What `body` makes of the id of who checked in; `nil` where what stands there is no id.
  func withUser<Result>(of record: borrowing Record, _ body: (Span<UInt8>) -> Result?) -> Result? {
    (try? record[user].withID(checkIns.user.from, body)) ?? nil
  }

  /// Appends the check-in in `record` to `columns`.
  ///
  /// - Throws: What is wrong with the row. `columns` may have some of its values then.
  func append(_ record: borrowing Record, to columns: inout CheckInColumns) throws(RowRejected) {
    try record[id].withID(checkIns.id) { columns.ids.append(text: $0) }
    let user = try record[user].rank(checkIns.user.from, in: users, orElse: .unknownUser)
    // What is missing is no time either.
    guard let at = try record[at].time(checkIns.at) else {
      throw record[self.at].rejected(.badTime, checkIns.at.from)
    }
    let position = try position.needed(record, precision: precision)
    try attributes.append(record, to: &columns.attributes)
    columns.rows.append(CheckInRow(user: user, at: at, position: position))
  }
}
