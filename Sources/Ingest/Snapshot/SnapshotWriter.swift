internal import Columns
internal import Concurrency
internal import Files
internal import Geohash
internal import PipelineFile
internal import RunSchemas

/// Writes the tables of a snapshot. Only kept rows are written.
struct SnapshotWriter: ~Copyable {
  var directory: StageDirectory
  private let threads: Int

  init(directory: consuming StageDirectory, threads: Int) {
    self.directory = directory
    self.threads = threads
  }

  /// Writes the kept rows in the order of their ids, and their earlier versions to `earlier`.
  mutating func writeEntities(_ entity: String, of exports: IngestedExports) throws(FileError) {
    guard let entities = exports.entities[entity] else {
      preconditionFailure("the entities '\(entity)' were not read")
    }
    let (rows, ids) = (entities.rows, entities.ids)
    let kept = exports.keptEntities(entity)
    let order = kept.numbers(among: ids)

    let name = "entities/" + entity
    let owners = entities.entity.owner.map { exports.keptEntities($0.entity) }
    // The ids, usually the largest column, come first, so that this column does not finish last.
    let columns =
      [Self.column(of: ids, kept, to: name + "/id")]
      + Self.columns(of: rows, entities.attributes, order, of: entities.entity, owners: owners, to: name)
    try directory.writeTogether(threads: threads, columns)

    if entities.others.rows.isEmpty { return }
    let tableRow = ids.ranks.map { rank in
      let row = kept.rowOfRank[Int(rank)]
      return row == KeptEntities.noRow ? nil : row
    }
    let earlier = entities.others.earlier(than: rows, tableRow: tableRow)
    guard !earlier.isEmpty else { return }
    try Column.write(earlier.map(\.row), to: name + "/earlier/row.npy", in: &directory)
    try directory.writeTogether(
      threads: threads,
      Self.columns(
        of: entities.others.rows, entities.others.attributes, earlier.map { UInt32($0.index) },
        of: entities.entity,
        owners: owners, to: name + "/earlier"))
  }

  /// Returns tasks that write the columns of `rows` except ids. `order` lists the indices of the rows to
  /// write, in the order of the table.
  private static func columns(
    of rows: [EntityRow], _ attributes: [AttributeValues], _ order: [UInt32], of entity: Pipeline.Entity,
    owners: KeptEntities?, to name: String
  ) -> [StageDirectory.Body] {
    var columns: [StageDirectory.Body] = []
    func add<Element: ColumnElement>(
      _ column: String, _ value: @escaping @Sendable (EntityRow) -> Element
    ) {
      // `write` is a constant with a type, because the compiler fails to infer the type of a closure that
      // throws a typed error.
      let write: StageDirectory.Body = { (directory) throws(FileError) in
        try Self.write(order, to: name + column, in: &directory) { value(rows[$0]) }
      }
      columns.append(write)
    }
    if entity.hasPosition {
      add("/latitude.npy") { $0.position?.latitude ?? .nan }
      add("/longitude.npy") { $0.position?.longitude ?? .nan }
    }
    if entity.created != nil { add("/created.npy") { $0.created ?? .min } }
    if entity.updated != nil { add("/updated.npy") { $0.changed } }
    if let owners {
      // `noRow` equals `noOwner`, so a row whose owner is not kept has no owner in the snapshot.
      add("/owner.npy") { $0.owner == EntityTable.noOwner ? $0.owner : owners.rowOfRank[Int($0.owner)] }
    }
    for (attribute, values) in zip(entity.attributes, attributes) {
      let write: StageDirectory.Body = { (directory) throws(FileError) in
        try Self.write(values, order, to: "\(name)/attributes/\(attribute.name)", in: &directory)
      }
      columns.append(write)
    }
    return columns
  }

  /// Returns a task that writes the kept ids.
  private static func column(of ids: RankedIdentities, _ kept: KeptEntities, to path: String)
    -> StageDirectory.Body
  {
    { (directory) throws(FileError) in
      if kept.keepsAll {
        let ends = ids.ends
        // All values are non-negative, so their signed and unsigned bit patterns are equal.
        let offsets = unsafe Span<UInt64>(_bytes: ends.span.bytes)
        return try StringColumn.write(ids.bytes, offsets: offsets, to: path, in: &directory)
      }
      let ranks = (0..<ids.count).filter { kept.rowOfRank[$0] != KeptEntities.noRow }
      let bytes = ids.bytes
      try StringColumn.write(ranks.map(ids.range), of: bytes.span, to: path, in: &directory)
    }
  }

  /// Writes a column with the result of `value` for each index in `order`. The column is written in pieces,
  /// because a whole column would need additional memory.
  @inline(__always)
  private static func write<Element: ColumnElement>(
    _ order: [UInt32], to path: String, in directory: inout StageDirectory, _ value: (Int) -> Element
  ) throws(FileError) {
    var column = try directory.open(path, Element.self, count: order.count)
    for start in stride(from: 0, to: order.count, by: 1 << 14) {
      try column.append(order[start..<min(start + 1 << 14, order.count)].map { value(Int($0)) })
    }
    try directory.close(column)
  }

  private static func write(
    _ values: AttributeValues, _ order: [UInt32], to path: String, in directory: inout StageDirectory
  ) throws(FileError) {
    switch values.type {
    case .category:
      try CategoryColumn.write(
        order.map { values.codes[Int($0)] }, in: values.vocabulary.all, to: path, in: &directory)
    case .text:
      try StringColumn.write(
        order.map { values.ranges[Int($0)] }, of: values.blob.span, to: path, in: &directory)
    case .number: try write(order, to: path + ".npy", in: &directory) { values.numbers[$0] }
    case .flag: try write(order, to: path + ".npy", in: &directory) { values.flags[$0] }
    case .tags:
      try TagColumn.write(
        order.map { values.sets[Int($0)] }, in: values.vocabulary.all, to: path, in: &directory)
    case .date: try write(order, to: path + ".npy", in: &directory) { values.instants[$0] }
    case .intervals:
      try IntervalColumn.write(order.map { values.intervals[Int($0)] }, to: path, in: &directory)
    }
  }

  /// Writes the kept interactions, sorted by user, time and input order, with the groupings by user and by
  /// candidate.
  ///
  /// - Parameters:
  ///   - read: All interactions that were read.
  ///   - kind: The kind of interaction.
  ///   - kept: The rule that decides which interactions are kept.
  ///   - count: The number of kept interactions.
  /// - Throws: `FileError`.
  mutating func write(
    _ read: consuming InteractionColumns, of kind: Pipeline.Interaction, kept: KeptInteractions, count: Int
  ) throws(FileError) {
    let name = "interactions/" + kind.name
    let (groups, userOffsets) = try writeRows(read, kept: kept, count: count, to: name)
    // `writeRows` has released the rows, which take most of the memory.
    var byCandidate = try directory.open(name + "/by_candidate.npy", UInt32.self, count: count)
    let digest = byCandidate.digest
    try inOrder(groups.buckets.count) {
      groups.members($0)
    } pass: {
      digest.update($0)
    } merge: { (members) throws(FileError) in
      try byCandidate.append(digested: members)
    }
    try directory.close(byCandidate)
    let columns = [("user", userOffsets), ("by_candidate", groups.offsets)].map { column, offsets in
      let write: StageDirectory.Body = { (directory) throws(FileError) in
        try Column.write(offsets.span, to: "\(name)/\(column).offsets.npy", in: &directory)
      }
      return write
    }
    try directory.writeTogether(threads: threads, columns)
  }

  /// Writes the columns of the table. Returns the grouping by candidate and the offsets of users.
  private mutating func writeRows(
    _ rows: consuming InteractionColumns, kept: KeptInteractions, count: Int, to name: String
  ) throws(FileError) -> (InteractionsByCandidate, userOffsets: SharedColumn<UInt64>) {
    let sorted = SortedInteractions(rows, kept, threads: threads)
    precondition(sorted.count == count, "the counts of '\(name)' differ")
    let buckets = KeyBuckets(keys: kept.candidates.count)
    let parts =
      if sorted.smallValues == nil {
        try write(sorted, groupedBy: buckets, to: name, values: \.wide)
      } else {
        try write(sorted, groupedBy: buckets, to: name, values: \.small)
      }
    return (InteractionsByCandidate(parts, buckets, count: kept.candidates.count), sorted.userOffsets)
  }

  /// Writes the columns of candidates, times and values together, one bucket of users after the other.
  private mutating func write<Value: ColumnElement>(
    _ sorted: SortedInteractions, groupedBy buckets: KeyBuckets, to name: String,
    values: @escaping @Sendable (SortedBucket) -> [Value]
  ) throws(FileError) -> [InteractionsByCandidatePart] {
    let count = sorted.count
    var candidate = try directory.open(name + "/candidate.npy", UInt32.self, count: count)
    var at = try directory.open(name + "/at.npy", Int64.self, count: count)
    var value = try directory.open(name + "/value.npy", Value.self, count: count)
    var parts: [InteractionsByCandidatePart] = []
    let digests = (candidate.digest, at.digest, value.digest)
    try inOrder(sorted.buckets) {
      sorted.sorted($0, into: buckets)
    } pass: { bucket in
      digests.0.update(bucket.candidate)
      digests.1.update(bucket.at)
      digests.2.update(values(bucket))
    } merge: { (bucket) throws(FileError) in
      try candidate.append(digested: bucket.candidate)
      try at.append(digested: bucket.at)
      try value.append(digested: values(bucket))
      parts += bucket.groups
    }
    try directory.close(candidate)
    try directory.close(at)
    try directory.close(value)
    return parts
  }

  /// Computes a value for each of `0..<count` on several threads, and passes the values in order to `pass`
  /// and then to `merge`. One thread can run `pass` while another thread runs `merge` for the previous value.
  private func inOrder<Value: Sendable>(
    _ count: Int, _ make: @Sendable (Int) -> Value, pass: @escaping @Sendable (Value) -> Void,
    merge: (Value) throws(FileError) -> Void
  ) throws(FileError) {
    var next = 0
    var failure: FileError?
    do {
      try mapInOrder(threads: threads) {
        next += 1
        return next <= count ? next - 1 : nil
      } _: {
        make($0)
      } pass: {
        pass($0)
      } merge: { value in
        do throws(FileError) { try merge(value) } catch {
          failure = error
          throw error
        }
      }
    } catch {
      guard let failure else { preconditionFailure("only writing can fail") }
      throw failure
    }
  }
}
