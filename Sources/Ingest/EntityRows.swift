internal import Exports
internal import Geohash
internal import PipelineFile
internal import Tables

/// The rows of one kind of entity: read, checked, one per id; which one is settled by `divide`, once the as-of time is
/// known.
struct EntityRows: Sendable {
  typealias Value = AttributeValues.Value

  struct Row: Sendable {
    var number: Int
    var unit: PlaceUnit
    /// The number of the file in `rejects`.
    var file = 0
    var created: Int64?
    var updated: Int64?
    /// Snapped.
    var position: Coordinate?

    /// When the row became what it is; one that does not say is older than any that does.
    var changed: Int64 { updated ?? .min }
  }

  let entity: Pipeline.Entity
  private(set) var ids = IdentityTable()
  /// By number of the id.
  private(set) var rows: [Row] = []
  /// In the order of the pipeline's attributes; each by number of the id.
  private(set) var attributes: [AttributeValues]
  /// Rows with the ids of others, where `updated` tells which was in force when; empty elsewhere.
  private(set) var others: OtherVersions
  var counts = SourceCounts()
  private(set) var rejects = RejectLog()
  private(set) var reading = SourceReading()

  /// Reads the files of `entity`'s source; positions are snapped to cells of `precision` before anything else sees them.
  ///
  /// - Throws: `ExportError`, `DuckDBError`.
  init(_ entity: Pipeline.Entity, in pipeline: Pipeline) throws {
    self.entity = entity
    attributes = entity.attributes.map { AttributeValues($0.type) }
    others = OtherVersions(attributes)
    let fields = EntityFields(entity, needsPosition: pipeline.hasRadius(around: entity.name))
    var reading = SourceReading()
    for source in try SourceReading.files(of: entity.source, in: pipeline) {
      let file = rejects.open(source.shown)
      try reading.read(
        source, of: entity.source, in: pipeline, fields: fields.names, optional: fields.optional,
        lists: fields.lists
      ) { record in
        counts.read += 1
        do throws(RowRejected) {
          if let fault = record.fault { throw RowRejected(fault) }
          var (id, row, values) = try fields.row(record, precision: pipeline.privacy.snapPrecision)
          row.file = file
          insert(id, row, values)
        } catch {
          rejects.add(error, file: file, number: record.number, unit: record.unit)
        }
      }
    }
    counts.absentFields = try reading.absentFields(required: fields.required, of: entity.source)
    self.reading = reading
  }

  /// Keeps the newest row of each id: by `updated`, a missing one being the oldest, else the last of the file.
  private mutating func insert(_ id: [UInt8], _ row: Row, _ values: [Value]) {
    let known = ids.count
    let number = ids.insert(id.span)
    guard number < known else {
      rows.append(row)
      set(values, of: number)
      return
    }
    let wins = row.changed >= rows[number].changed
    let loser = wins ? rows[number] : row
    if entity.updated == nil {
      addMerged(loser, of: number)
    } else {
      others.append(loser, of: number, wins ? self.values(number) : values)
    }
    if wins {
      rows[number] = row
      set(values, of: number)
    }
  }

  private mutating func addMerged(_ row: Row, of number: Int) {
    rejects.add(
      RowRejected(rule: .duplicateID, field: entity.id, value: String(decoding: ids[number], as: UTF8.self)),
      file: row.file, number: row.number, unit: row.unit)
  }

  private func values(_ row: Int) -> [Value] { attributes.map { $0[row] } }

  private mutating func set(_ values: [Value], of row: Int) {
    for index in attributes.indices { attributes[index].set(values[index], of: row) }
  }
}

extension EntityRows {
  /// Settles which version of each entity is in force at `asOf`, and counts what became of all rows. Called once.
  ///
  /// In force is the newest version that is not later. What lost to an older one is later; every other version but
  /// the one in force is merged. Of an entity of which every version is later, the newest is in force: nothing better
  /// is known.
  ///
  /// - Returns: By number of the id: whether the entity is kept, for it was not created later.
  mutating func divide(at asOf: Instant) -> [Bool] {
    let asOf = asOf.milliseconds
    let inForce = others.inForce(at: asOf, where: { rows[$0].changed > asOf })
    for (number, index) in inForce.sorted(by: { $0.key < $1.key }) {
      let (row, values) = (rows[number], values(number))
      rows[number] = others.rows[index]
      set(others.values(index), of: number)
      others.replace(at: index, with: row, values)
    }
    for (row, number) in zip(others.rows, others.numbers) {
      if row.changed > asOf && rows[Int(number)].changed <= asOf {
        counts.later += 1
      } else {
        addMerged(row, of: Int(number))
      }
    }
    counts.rules = rejects.counts
    counts.written = rejects.countsWritten

    let isKept = rows.map { ($0.created ?? .min) <= asOf }
    counts.kept = isKept.count { $0 }
    counts.later += rows.count - counts.kept
    if entity.updated != nil {
      counts.updatedLater = zip(rows, isKept).count { $1 && $0.changed > asOf }
    }
    return isKept
  }
}

extension Pipeline {
  /// Whether a ranking with a radius has these entities as users or candidates.
  fileprivate func hasRadius(around entity: String) -> Bool {
    rankings.contains { $0.radiusInKilometers != nil && [$0.users, $0.candidates].contains(entity) }
  }
}

extension RowRejected {
  /// A row that could not be read as a record.
  init(_ fault: RecordFault) {
    self.init(rule: IngestRule(fault.rule), field: "", value: String(decoding: fault.excerpt, as: UTF8.self))
  }
}

/// Where the fields of an entity stand in its records.
private struct EntityFields: Sendable {
  let entity: Pipeline.Entity
  private let needsPosition: Bool
  private var list = FieldList()
  private let id: Int
  private let created: Int?
  private let updated: Int?
  private let position: (latitude: Int, longitude: Int)?
  private let attributes: [Int]

  var names: [String] { list.names }

  init(_ entity: Pipeline.Entity, needsPosition: Bool) {
    self.entity = entity
    self.needsPosition = needsPosition
    var list = FieldList()
    id = list.position(of: entity.id)
    created = entity.created.map { list.position(of: $0.from) }
    updated = entity.updated.map { list.position(of: $0.from) }
    position = entity.position.map { (list.position(of: $0.latitude), list.position(of: $0.longitude)) }
    attributes = entity.attributes.map { list.position(of: $0.from) }
    self.list = list
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

  /// The id and the row that `record` holds, and the values of its attributes in their order.
  func row(_ record: borrowing Record, precision: Int) throws(RowRejected) -> (
    id: [UInt8], row: EntityRows.Row, values: [EntityRows.Value]
  ) {
    let id = try record[id].id(entity.id)
    var row = EntityRows.Row(number: record.number, unit: record.unit)
    var values: [EntityRows.Value] = []
    if let created, let field = entity.created { row.created = try record[created].time(field) }
    if let updated, let field = entity.updated { row.updated = try record[updated].time(field) }
    row.position = try snappedPosition(record, precision: precision)
    values.reserveCapacity(attributes.count)
    for (attribute, position) in zip(entity.attributes, attributes) {
      let field = record[position]
      switch attribute.type {
      case .category, .text: values.append(.text(try field.text(attribute.from)))
      case .number: values.append(.number(try field.number(attribute.from) ?? .nan))
      case .flag: values.append(.flag(try field.flag(attribute.from)))
      case .tags:
        values.append(.tags(try field.tags(attribute.from, separator: Array(attribute.separator.utf8))))
      case .date: values.append(.date(try field.date(attribute.from)))
      }
    }
    return (id, row, values)
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
