internal import Exports
internal import Geohash
internal import PipelineFile
internal import Tables

/// Where the fields of an entity stand in its records.
///
/// Classes, here and of attributes, as copies for each row would count references to all of their texts.
final class EntityFields: Sendable {
  private final class AttributeField: Sendable {
    let slot: Int
    let attribute: Pipeline.Attribute

    init(slot: Int, _ attribute: Pipeline.Attribute) {
      self.slot = slot
      self.attribute = attribute
    }
  }

  let entity: Pipeline.Entity
  let names: [String]
  private let needsPosition: Bool
  private let id: Int
  private let created: Int?
  private let updated: Int?
  private let position: (latitude: Int, longitude: Int)?
  private let attributes: [AttributeField]

  init(_ entity: Pipeline.Entity, needsPosition: Bool) {
    self.entity = entity
    self.needsPosition = needsPosition
    var list = FieldList()
    id = list.position(of: entity.id)
    created = entity.created.map { list.position(of: $0.from) }
    updated = entity.updated.map { list.position(of: $0.from) }
    position = entity.position.map { (list.position(of: $0.latitude), list.position(of: $0.longitude)) }
    attributes = entity.attributes.map { AttributeField(slot: list.position(of: $0.from), $0) }
    names = list.names
  }

  /// The fields that some record should have, or the pipeline file misspells them. A flag that nobody has set is in
  /// order, and so is a position that nobody has given unless a ranking with a radius needs it: all its lists would
  /// be empty.
  var required: [String] {
    let times = [entity.created, entity.updated].compactMap { $0?.from }
    let position = needsPosition ? entity.position.map { [$0.latitude, $0.longitude] } ?? [] : []
    let attributes = entity.attributes.filter { !$0.isOptional && $0.type != .flag }.map(\.from)
    return [entity.id] + times + position + attributes
  }

  /// The fields where a list may stand.
  var lists: [String: String] {
    Dictionary(entity.attributes.filter { $0.type == .tags }.map { ($0.from, $0.separator) }) { first, _ in
      first
    }
  }

  /// The fields that a file need not name: those that nothing but optional attributes uses.
  var optional: Set<String> {
    let attributes = entity.attributes.filter { !$0.isOptional }.map(\.from)
    let position = entity.position.map { [$0.latitude, $0.longitude] } ?? []
    return Set(names).subtracting(required + attributes + position)
  }

  /// What `body` makes of the id of `record`.
  func withID<Result>(
    of record: borrowing Record, _ body: (Span<UInt8>) -> Result
  ) throws(RowRejected) -> Result {
    try record[id].withID(entity.id, body)
  }

  /// The id of `record` for `body`, and its row; the values of its attributes go behind those in `columns`, in their order.
  ///
  /// - Throws: What is wrong with the row. `columns` may have values of it then.
  func read(
    _ record: borrowing Record, precision: Int, into columns: inout [AttributeValues],
    _ body: (_ id: Span<UInt8>) -> Void
  ) throws(RowRejected) -> EntityRows.Row {
    try record[id].withID(entity.id, body)
    var row = EntityRows.Row(number: record.number, unit: record.unit)
    if let created, let field = entity.created { row.created = try record[created].time(field) }
    if let updated, let field = entity.updated { row.updated = try record[updated].time(field) }
    row.position = try snappedPosition(record, precision: precision)
    for index in attributes.indices {
      let field = attributes[index]
      try columns[index].append(record[field.slot], as: field.attribute)
    }
    return row
  }

  /// The centre of the cell that the position falls into; `nil` where both coordinates are missing.
  private func snappedPosition(_ record: borrowing Record, precision: Int) throws(RowRejected) -> Coordinate?
  {
    guard let position, let fields = entity.position else { return nil }
    let latitude = try record[position.latitude].number(fields.latitude, .badLatitude, in: -90...90)
    let longitude = try record[position.longitude].number(fields.longitude, .badLongitude, in: -180...180)
    if latitude == nil && longitude == nil { return nil }
    guard let latitude else { throw record[position.latitude].rejected(.badLatitude, fields.latitude) }
    guard let longitude else { throw record[position.longitude].rejected(.badLongitude, fields.longitude) }
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("coordinates in range were refused")
    }
    return Geohash(coordinate, precision: precision).center
  }
}

extension RowRejected {
  /// A row that could not be read as a record.
  init(_ fault: RecordFault) {
    self.init(rule: IngestRule(fault.rule), field: "", value: String(decoding: fault.excerpt, as: UTF8.self))
  }
}
