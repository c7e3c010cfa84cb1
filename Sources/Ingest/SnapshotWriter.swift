internal import Geohash
internal import PipelineFile
internal import Tables

/// Writes tables of a snapshot, leaving out what is later than the as-of time.
struct SnapshotWriter: ~Copyable {
  private let exports: IngestedExports
  var directory: StageDirectory
  /// By entity, then by number of identity: the row in the table, or `nil` for an entity that is later.
  private var tableRows: [String: [UInt32?]] = [:]

  init(_ exports: IngestedExports, directory: consuming StageDirectory) {
    self.exports = exports
    self.directory = directory
  }

  /// Writes the entities that are kept, in the order of their ids, and the earlier versions of each, in `earlier`.
  mutating func writeEntities(_ entity: String) throws(FileError) {
    guard let entities = exports.entities[entity] else {
      preconditionFailure("the entities '\(entity)' were not read")
    }
    let rows = entities.rows
    let isKept = exports.isKept(entity)
    let ids = entities.ids
    let order = rows.indices.filter { isKept[$0] }.sorted { ids.precedes($0, $1) }
    var tableRow = [UInt32?](repeating: nil, count: rows.count)
    for (row, number) in order.enumerated() { tableRow[number] = UInt32(row) }
    tableRows[entity] = tableRow

    let name = "entities/" + entity
    try StringColumn.write(order.map(ids.range), of: ids.bytes.span, to: name + "/id", in: &directory)
    try write(rows, entities.attributes, order, of: entities.entity, to: name)

    let earlier = entities.others.earlier(than: rows, tableRow: tableRow)
    guard !earlier.isEmpty else { return }
    try Column.write(earlier.map(\.row), to: name + "/earlier/row.npy", in: &directory)
    try write(
      entities.others.rows, entities.others.attributes, earlier.map(\.index), of: entities.entity,
      to: name + "/earlier")
  }

  /// Writes the columns of `rows` besides ids, in the order of the indices `order`.
  private mutating func write(
    _ rows: [EntityRows.Row], _ attributes: [AttributeValues], _ order: [Int], of entity: Pipeline.Entity,
    to name: String
  ) throws(FileError) {
    if entity.position != nil {
      try Column.write(
        order.map { rows[$0].position?.latitude ?? .nan }, to: name + "/latitude.npy", in: &directory)
      try Column.write(
        order.map { rows[$0].position?.longitude ?? .nan }, to: name + "/longitude.npy", in: &directory)
    }
    if entity.created != nil {
      try Column.write(order.map { rows[$0].created ?? .min }, to: name + "/created.npy", in: &directory)
    }
    if entity.updated != nil {
      try Column.write(order.map { rows[$0].changed }, to: name + "/updated.npy", in: &directory)
    }
    for (attribute, values) in zip(entity.attributes, attributes) {
      try write(values, order, to: "\(name)/attributes/\(attribute.name)")
    }
  }

  private mutating func write(_ values: AttributeValues, _ order: [Int], to path: String) throws(FileError) {
    switch values.type {
    case .category:
      try CategoryColumn.write(
        order.map { values.codes[$0] }, in: values.vocabulary.all, to: path, in: &directory)
    case .text:
      try StringColumn.write(order.map { values.ranges[$0] }, of: values.blob.span, to: path, in: &directory)
    case .number: try Column.write(order.map { values.numbers[$0] }, to: path + ".npy", in: &directory)
    case .flag: try Column.write(order.map { values.flags[$0] }, to: path + ".npy", in: &directory)
    case .tags:
      try TagColumn.write(
        order.map { values.sets[$0] }, in: values.vocabulary.all, to: path, in: &directory)
    case .date: try Column.write(order.map { values.instants[$0] }, to: path + ".npy", in: &directory)
    }
  }

  /// Writes the interactions that are kept in (user, time, input order) order with both groupings.
  mutating func write(_ interactions: InteractionRows) throws(FileError) {
    let kind = interactions.interaction
    guard let users = tableRows[kind.user.entity], let candidates = tableRows[kind.candidate.entity] else {
      preconditionFailure("entities are written before interactions")
    }
    let rows = interactions.rows
    let latest = exports.asOf.instant.milliseconds
    // One column in memory at a time: there are far more interactions than of anything else.
    var byUser = Grouping(count: users.count { $0 != nil }) { group in
      for (index, row) in rows.enumerated()
      where row.at <= latest && candidates[Int(row.candidate)] != nil {
        if let user = users[Int(row.user)] { group(UInt32(index), user) }
      }
    }
    byUser.sortMembers { (rows[Int($0)].at, $0) < (rows[Int($1)].at, $1) }
    let order = byUser.members
    precondition(order.count == interactions.counts.kept, "'\(kind.name)' was counted otherwise")

    let name = "interactions/" + kind.name
    try Column.write(byUser.keys, to: name + "/user.npy", in: &directory)
    let candidate = order.map { candidates[Int(rows[Int($0)].candidate)] ?? .max }
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    try Column.write(order.map { rows[Int($0)].at }, to: name + "/at.npy", in: &directory)
    try Column.write(order.map { rows[Int($0)].value }, to: name + "/value.npy", in: &directory)
    try Column.write(byUser.offsets, to: name + "/user.offsets.npy", in: &directory)
    let byCandidate = Grouping(candidate, count: candidates.count { $0 != nil })
    try Column.write(byCandidate.members, to: name + "/by_candidate.npy", in: &directory)
    try Column.write(byCandidate.offsets, to: name + "/by_candidate.offsets.npy", in: &directory)
  }
}
