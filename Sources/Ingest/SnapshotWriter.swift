internal import Geohash
internal import PipelineFile
internal import Tables

/// Writes tables of a snapshot, leaving out what is later than the as-of time.
struct SnapshotWriter: ~Copyable {
  var directory: StageDirectory
  private let threads: Int

  init(directory: consuming StageDirectory, threads: Int) {
    self.directory = directory
    self.threads = threads
  }

  /// Writes the entities that are kept, in the order of their ids, and the earlier versions of each, in `earlier`.
  mutating func writeEntities(_ entity: String, of exports: IngestedExports) throws(FileError) {
    guard let entities = exports.entities[entity] else {
      preconditionFailure("the entities '\(entity)' were not read")
    }
    let (rows, ids) = (entities.rows, entities.ids)
    let kept = exports.keptEntities(entity)
    let ranks = (0..<ids.count).filter { kept.rowOfRank[$0] != KeptEntities.leftOut }
    let order = ranks.map { Int(ids.numbers[$0]) }

    let name = "entities/" + entity
    let bytes = ids.bytes
    try StringColumn.write(ranks.map(ids.range), of: bytes.span, to: name + "/id", in: &directory)
    try write(rows, entities.attributes, order, of: entities.entity, to: name)

    let tableRow = ids.ranks.map { rank in
      let row = kept.rowOfRank[Int(rank)]
      return row == KeptEntities.leftOut ? nil : row
    }
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
  ///
  /// - Parameters:
  ///   - read: All that were read.
  ///   - kind: What they are.
  ///   - kept: Which of them are kept.
  ///   - count: So many.
  /// - Throws: `FileError`.
  mutating func write(
    _ read: consuming InteractionColumns, of kind: Pipeline.Interaction, kept: KeptInteractions, count: Int
  ) throws(FileError) {
    var rows = read
    let sorted = SortedInteractions(rows, kept, threads: threads)
    // Most of what is in memory.
    rows = InteractionColumns()
    precondition(sorted.count == count, "'\(kind.name)' was counted otherwise")
    let byCandidate = CandidateGroups(sorted.candidate, count: kept.candidates.count, threads: threads)

    let name = "interactions/" + kind.name
    try directory.write(
      [
        .column(sorted.at, name + "/at.npy"),
        .column(name + "/value.npy", count: count) { sorted.value($0) },
        .column(sorted.candidate, name + "/candidate.npy"),
        .column(byCandidate.members, name + "/by_candidate.npy"),
        .groups(sorted.userOffsets, name + "/user.npy"),
        .column(sorted.userOffsets, name + "/user.offsets.npy"),
        .column(byCandidate.offsets, name + "/by_candidate.offsets.npy"),
      ], threads: threads)
  }
}

extension StageFile {
  fileprivate static func column<Element: ColumnElement>(
    _ values: SharedColumn<Element>, _ name: String
  ) -> StageFile {
    column(name, Element.self, count: values.count) { (writer) throws(FileError) in
      unsafe try writer.append(values.span.bytes)
    }
  }

  /// A column of computed values.
  fileprivate static func column<Element: ColumnElement>(
    _ name: String, count: Int, _ value: @escaping @Sendable (Int) -> Element
  ) -> StageFile {
    column(name, Element.self, count: count) { (writer) throws(FileError) in
      // A cache full of them at a time.
      for start in stride(from: 0, to: count, by: 1 << 14) {
        let values = (start..<min(count, start + 1 << 14)).map(value)
        unsafe try writer.append(values.span.bytes)
      }
    }
  }

  /// The column that has the number of each group as often as the group has members.
  fileprivate static func groups(_ offsets: SharedColumn<UInt64>, _ name: String) -> StageFile {
    let groups = offsets.count - 1
    return column(name, UInt32.self, count: Int(offsets[groups])) { (writer) throws(FileError) in
      var keys: [UInt32] = []
      for group in 0..<groups {
        keys.append(contentsOf: repeatElement(UInt32(group), count: Int(offsets[group + 1] - offsets[group])))
        if keys.count > 1 << 14 || group + 1 == groups {
          unsafe try writer.append(keys.span.bytes)
          keys.removeAll(keepingCapacity: true)
        }
      }
    }
  }
}
