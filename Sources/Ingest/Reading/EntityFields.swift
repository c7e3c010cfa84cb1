internal import Geohash
internal import PipelineFile
internal import Readers
internal import RunSchemas

/// Extracts the rows of an entity from records.
///
/// This is a class, because copying a structure for each row would update the reference counts of all its
/// strings.
final class EntityFields: Sendable {
  let entity: Pipeline.Entity
  let names: [String]
  private let needsPosition: Bool
  private let id: Int
  private let created: Int?
  private let updated: Int?
  private let owner: (slot: Int, field: String, ids: IdentityLookup, isOptional: Bool)?
  private let position: PositionSlots?
  private let attributes: AttributeSlots
  /// The attribute with each user's chosen location precision, and its index among the attributes.
  private let choice: (precisions: Pipeline.PrecisionChoice, place: Int)?

  /// - Parameters:
  ///   - entity: The entity, with the names of its fields.
  ///   - needsPosition: Whether the position's fields are required. A ranking with a radius requires them,
  ///     because its lists would otherwise be empty.
  ///   - owners: The ids of the owners; `nil` if the entity has no owners.
  ///   - choice: The attribute with each user's chosen location precision; `nil` if there is none.
  init(
    _ entity: Pipeline.Entity, needsPosition: Bool, owners: RankedIdentities?,
    choice: Pipeline.PrecisionChoice?
  ) {
    self.choice = choice.flatMap { choice in
      entity.ownAttributes.firstIndex { $0.name == choice.attribute }.map { (choice, $0) }
    }
    self.entity = entity
    self.needsPosition = needsPosition
    var list = FieldSlots()
    id = list.position(of: entity.id)
    created = entity.created.map { list.position(of: $0.from) }
    updated = entity.updated.map { list.position(of: $0.from) }
    if let reference = entity.owner, let owners {
      owner = (
        list.position(of: reference.from), reference.from, IdentityLookup(owners), reference.isOptional
      )
    } else {
      owner = nil
    }
    position = entity.position.map { PositionSlots($0, in: &list) }
    attributes = AttributeSlots(entity.ownAttributes, in: &list)
    names = list.names
  }

  /// The fields that at least one record must have. If no record has a field, the pipeline file probably
  /// misspells its name.
  ///
  /// Positions are required only for a ranking with a radius, because all its lists would be empty without
  /// them.
  var required: [String] {
    let times = [entity.created, entity.updated].compactMap { $0?.from }
    let owner = entity.owner.map { $0.isOptional ? [] : [$0.from] } ?? []
    let position = needsPosition ? entity.position?.names ?? [] : []
    return [entity.id] + times + owner + position + attributes.required
  }

  /// The fields that may contain a list. Each value is the separator for a list in text form.
  var lists: [String: String] { attributes.lists.merging(entity.position?.lists ?? [:]) { own, _ in own } }

  /// The fields that a file need not contain, because only optional attributes or an optional owner use them.
  var optional: Set<String> {
    let position = entity.position?.names ?? []
    return Set(names).subtracting(required + attributes.named + position)
  }

  /// Calls `body` with the id of `record`.
  func withID<Result>(
    of record: borrowing Record, _ body: (Span<UInt8>) -> Result
  ) throws(RowRejected) -> Result {
    try record[id].withID(entity.id, body)
  }

  /// Calls `body` with the owner's id. Returns `nil` if the entity has no owners or the field contains no
  /// valid id.
  func withOwner<Result>(of record: borrowing Record, _ body: (Span<UInt8>) -> Result?) -> Result? {
    guard let owner else { return nil }
    return (try? record[owner.slot].withID(owner.field, body)) ?? nil
  }

  /// Returns the account that wrote the record: the owner, or the entity itself if it has no owner. See
  /// `RowRejected.account`.
  func account(of record: borrowing Record) -> UInt64? {
    if record.fault != nil { return nil }
    if let owner, let account = record[owner.slot].account { return account }
    return record[id].account
  }

  /// Returns the row of `record`. The method passes the record's id to `body`, and appends the values of the
  /// attributes to `columns`, in the order of the attributes.
  ///
  /// - Throws: The fault of the row. `columns` may then contain some of the row's values.
  func read(
    _ record: borrowing Record, precision: Int, into columns: inout [AttributeValues],
    _ body: (_ id: Span<UInt8>) -> Void
  ) throws(RowRejected) -> EntityRow {
    try record[id].withKeptID(entity.id, body)
    var row = EntityRow(number: record.number, unit: record.unit)
    if let owner {
      row.owner =
        owner.isOptional
        ? try record[owner.slot].knownRank(owner.field, in: owner.ids) ?? EntityTable.noOwner
        : try record[owner.slot].rank(owner.field, in: owner.ids, orElse: .unknownOwner)
    }
    if let created, let field = entity.created {
      row.created = try record[created].time(field)?.milliseconds
    }
    if let updated, let field = entity.updated, let moment = try record[updated].time(field) {
      row.version = moment
    }
    guard let choice else {
      row.position = try position?.snapped(record, precision: precision)
      try appendAttributes(of: record, row, to: &columns)
      return row
    }
    try appendAttributes(of: record, row, to: &columns)
    row.position = try position?.snapped(
      record,
      precision: choice.precisions.precision(in: columns[choice.place], columns[choice.place].count - 1))
    return row
  }

  /// Whether rows may be read column by column. The order of dates can only be checked in single records.
  var readsColumns: Bool { !entity.hasDateOrder }

  /// Passes each id of `rows` to `body`, and appends the rows to `list` and the values of their attributes to
  /// `columns`. The result is the same as if `read` were called for each row, but each column is resolved
  /// only once.
  ///
  /// - Throws: The fault of one of the rows. `body`, `list` and `columns` may then have received some of the
  ///   rows.
  func readColumns(
    of rows: borrowing OrdinaryRows, precision: Int, into list: inout [EntityRow],
    _ columns: inout [AttributeValues], _ body: (_ id: Span<UInt8>) -> Void
  ) throws(RowRejected) {
    let (first, unit, idName) = (list.count, rows.unit, entity.id)
    let ids = rows.field(id)
    for row in 0..<rows.count {
      try rows.value(row, of: ids).withKeptID(idName, body)
      list.append(EntityRow(number: rows.number(of: row), unit: unit))
    }
    if let owner {
      let field = rows.field(owner.slot)
      for row in 0..<rows.count {
        list[first + row].owner =
          owner.isOptional
          ? try rows.value(row, of: field).knownRank(owner.field, in: owner.ids) ?? EntityTable.noOwner
          : try rows.value(row, of: field).rank(owner.field, in: owner.ids, orElse: .unknownOwner)
      }
    }
    if let created, let name = entity.created {
      let field = rows.field(created)
      for row in 0..<rows.count {
        list[first + row].created = try rows.value(row, of: field).time(name)?.milliseconds
      }
    }
    if let updated, let name = entity.updated {
      let field = rows.field(updated)
      for row in 0..<rows.count {
        if let moment = try rows.value(row, of: field).time(name) { list[first + row].version = moment }
      }
    }
    try attributes.append(columnsOf: rows, to: &columns)
    guard let position else { return }
    let (latitude, longitude) = position.fields(of: rows)
    for row in 0..<rows.count {
      let index = first + row
      list[index].position = try position.snapped(
        rows.value(row, of: latitude), rows.value(row, of: longitude),
        precision: choice.map { $0.precisions.precision(in: columns[$0.place], index) } ?? precision)
    }
  }

  private func appendAttributes(
    of record: borrowing Record, _ row: EntityRow, to columns: inout [AttributeValues]
  ) throws(RowRejected) {
    try attributes.append(record, to: &columns)
    if entity.hasDateOrder { try attributes.checkDates(record, in: columns, created: row.created) }
  }
}

extension Pipeline.PrecisionChoice {
  /// Returns the location precision of a row, given the column of the attribute.
  fileprivate func precision(in column: AttributeValues, _ row: Int) -> Int {
    switch column[row] {
    case .text(let word): precision(ofWord: word)
    case .number(let number): precision(ofNumber: number)
    default: preconditionFailure("the chosen precision is neither a category nor a number")
    }
  }
}
