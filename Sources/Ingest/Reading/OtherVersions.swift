internal import PipelineFile
internal import RunSchemas

/// Rows that were replaced by another row with the same id. One of them may be in force at the as-of time,
/// which is known only after reading.
///
/// The rows are stored in columns, because an export may contain every version of a document. Rows with
/// the same id and equal `updated` are in file order.
struct OtherVersions: Sendable {
  private(set) var rows: [EntityRow] = []
  /// The number of each row's id, by index in `rows`.
  private(set) var numbers: [UInt32] = []
  /// The values of each attribute, by index in `rows`, in the order of the pipeline's attributes.
  private(set) var attributes: [AttributeValues]

  init(_ types: [AttributeValues]) { attributes = types }

  mutating func append(_ row: EntityRow, of number: Int, _ values: [AttributeValue]) {
    set(row, values, at: rows.count, of: number)
  }

  /// Replaces the version at `index` with another version of the same id.
  mutating func replace(at index: Int, with row: EntityRow, _ values: [AttributeValue]) {
    set(row, values, at: index, of: Int(numbers[index]))
  }

  /// Adds columns of missing values for the attributes of `entity` that check-ins set.
  mutating func addMissing(_ types: [AttributeType], of entity: Pipeline.Entity) {
    let columns = types.map { type in
      var column = AttributeValues(type)
      for _ in rows { column.appendMissing() }
      return column
    }
    attributes = entity.inOrder(attributes, columns)
  }

  /// Returns the values of the row at `index`.
  func values(_ index: Int) -> [AttributeValue] { attributes.map { $0[index] } }

  private mutating func set(
    _ row: EntityRow, _ values: [AttributeValue], at index: Int, of number: Int
  ) {
    if index == rows.count {
      rows.append(row)
      numbers.append(UInt32(number))
    } else {
      rows[index] = row
    }
    for attribute in attributes.indices { attributes[attribute].set(values[attribute], of: index) }
  }

  /// Finds, among these rows, the version of each id that is in force at `asOf`: the newest version that is
  /// not after `asOf`. If several versions have the same time, the last one in file order is in force.
  ///
  /// - Parameters:
  ///   - asOf: The as-of time in milliseconds since 1970 UTC.
  ///   - isWanted: Returns whether the caller needs a version of the id with this number.
  /// - Returns: The index of each version, by the number of its id. Ids without a version up to `asOf` are
  ///   missing.
  func inForce(at asOf: Int64, where isWanted: (Int) -> Bool) -> [Int: Int] {
    var best: [Int: Int] = [:]
    for (index, row) in rows.enumerated() where row.changed <= asOf && isWanted(Int(numbers[index])) {
      let number = Int(numbers[index])
      if let other = best[number], rows[other].version > row.version { continue }
      best[number] = index
    }
    return best
  }

  /// Returns the versions that were in force before the current ones, ordered by the row of their id in the
  /// snapshot, then by time. If several versions have the same time, only the last is included.
  ///
  /// - Parameters:
  ///   - current: The row in force of each id, by the number of the id.
  ///   - tableRow: The row of each id in the snapshot, by the number of the id; `nil` for an id that is not
  ///     in the snapshot.
  /// - Returns: The index of each version, and the row of its id in the snapshot.
  func earlier(than current: [EntityRow], tableRow: [UInt32?]) -> [(index: Int, row: UInt32)] {
    let candidates = rows.indices.compactMap { index -> (index: Int, row: UInt32)? in
      let number = Int(numbers[index])
      guard let row = tableRow[number], rows[index].changed < current[number].changed else { return nil }
      return (index, row)
    }.sorted { ($0.row, rows[$0.index].version, $0.index) < ($1.row, rows[$1.index].version, $1.index) }
    return candidates.indices.filter { place in
      guard place + 1 < candidates.count else { return true }
      let (version, next) = (candidates[place], candidates[place + 1])
      return version.row != next.row || rows[version.index].changed != rows[next.index].changed
    }.map { candidates[$0] }
  }
}

extension Pipeline.Entity {
  /// Merges the `own` columns and the columns of check-ins in the order of the attributes.
  func inOrder(_ own: [AttributeValues], _ checkIns: [AttributeValues]) -> [AttributeValues] {
    var (own, checkIns) = (own.makeIterator(), checkIns.makeIterator())
    return attributes.compactMap { $0.isOfCheckIn ? checkIns.next() : own.next() }
  }
}
