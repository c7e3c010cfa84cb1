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

  /// Writes the entities that are kept, in the order of their ids.
  mutating func writeEntities(_ entity: String) throws(FileError) {
    guard let entities = exports.entities[entity] else {
      preconditionFailure("the entities '\(entity)' were not read")
    }
    let rows = entities.rows
    let isKept = exports.isKept(entity)
    let identities = entities.ids
    let order = rows.indices.filter { isKept[$0] }.map { ($0, identities[$0]) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }
    var tableRow = [UInt32?](repeating: nil, count: rows.count)
    for (row, (number, _)) in order.enumerated() { tableRow[number] = UInt32(row) }

    let name = "entities/" + entities.entity.name
    let kept = order.map { rows[$0.0] }
    try StringColumn.write(order.map(\.1), to: name + "/id", in: &directory)
    if entities.entity.position != nil {
      try Column.write(kept.map { $0.position?.latitude ?? .nan }, to: name + "/latitude.npy", in: &directory)
      try Column.write(
        kept.map { $0.position?.longitude ?? .nan }, to: name + "/longitude.npy", in: &directory)
    }
    if entities.entity.created != nil {
      try Column.write(kept.map { $0.created ?? .min }, to: name + "/created.npy", in: &directory)
    }
    for (index, attribute) in entities.entity.attributes.enumerated() {
      let path = "\(name)/attributes/\(attribute.name)"
      try write(kept.map { $0.values[index] }, attribute.type, to: path)
    }
    tableRows[entities.entity.name] = tableRow
  }

  private mutating func write(_ values: [EntityRows.Value], _ type: AttributeType, to path: String)
    throws(FileError)
  {
    let texts = values.map { (value) -> [UInt8]? in if case .text(let text) = value { text } else { nil } }
    switch type {
    case .category: try CategoryColumn.write(texts, to: path, in: &directory)
    case .text: try StringColumn.write(texts.map { $0 ?? [] }, to: path, in: &directory)
    case .number:
      let numbers = values.map { (value) -> Double in
        if case .number(let number) = value { number } else { .nan }
      }
      try Column.write(numbers, to: path + ".npy", in: &directory)
    case .flag:
      let flags = values.map { (value) -> UInt8 in if case .flag(true) = value { 1 } else { 0 } }
      try Column.write(flags, to: path + ".npy", in: &directory)
    }
  }

  /// Writes the interactions that are kept in (user, time, input order) order with both groupings.
  mutating func write(_ interactions: InteractionRows) throws(FileError) {
    let kind = interactions.interaction
    guard let users = tableRows[kind.user.entity], let candidates = tableRows[kind.candidate.entity] else {
      preconditionFailure("entities are written before interactions")
    }
    var rows: [InteractionRows.Row] = []
    rows.reserveCapacity(interactions.rows.count)
    for row in interactions.rows where row.at <= exports.asOf.instant.milliseconds {
      guard let user = users[Int(row.user)], let candidate = candidates[Int(row.candidate)] else { continue }
      rows.append(InteractionRows.Row(user: user, candidate: candidate, at: row.at, value: row.value))
    }
    precondition(rows.count == interactions.counts.kept, "'\(kind.name)' was counted otherwise")
    // Swift's sort is stable, as its documentation has not yet promised: the index says input order for sure.
    let order = rows.indices.sorted {
      (rows[$0].user, rows[$0].at, $0) < (rows[$1].user, rows[$1].at, $1)
    }

    let name = "interactions/" + kind.name
    let user = order.map { rows[$0].user }
    let candidate = order.map { rows[$0].candidate }
    try Column.write(user, to: name + "/user.npy", in: &directory)
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    try Column.write(order.map { rows[$0].at }, to: name + "/at.npy", in: &directory)
    try Column.write(order.map { rows[$0].value }, to: name + "/value.npy", in: &directory)
    let byUser = Grouping(user, count: users.count { $0 != nil })
    try Column.write(byUser.offsets, to: name + "/user.offsets.npy", in: &directory)
    let byCandidate = Grouping(candidate, count: candidates.count { $0 != nil })
    try Column.write(byCandidate.members, to: name + "/by_candidate.npy", in: &directory)
    try Column.write(byCandidate.offsets, to: name + "/by_candidate.offsets.npy", in: &directory)
  }
}

/// Indices grouped by a key, each group in ascending order: a counting sort.
struct Grouping {
  /// Group `k` is `members[offsets[k]..<offsets[k + 1]]`.
  private(set) var offsets: [UInt64]
  private(set) var members: [UInt32]

  /// Groups the indices of `keys`, which are under `count`.
  init(_ keys: [UInt32], count: Int) {
    precondition(keys.count < Int(UInt32.max), "\(keys.count) interactions of one kind")
    offsets = Array(repeating: 0, count: count + 1)
    for key in keys { offsets[Int(key) + 1] += 1 }
    for key in 0..<count { offsets[key + 1] += offsets[key] }
    members = Array(repeating: 0, count: keys.count)
    var next = offsets
    for (index, key) in keys.enumerated() {
      members[Int(next[Int(key)])] = UInt32(index)
      next[Int(key)] += 1
    }
  }
}
