package import Columns
package import Files

/// The earlier versions of the rows of one entity.
///
/// The entity and its versions have the same columns. The versions have separate vocabularies, so that
/// outdated words stay out of the vocabularies of the entity. Versions are sorted by row, then by time. The
/// times of one row's versions differ, and all are before the row's own time.
package struct EntityVersions: Sendable {
  /// For each version, its row in the entity's table.
  package let row: Column<UInt32>
  /// The latitude of each version. This column and the columns below have the same meaning as in
  /// `EntityTable`.
  package let latitude: Column<Double>?
  package let longitude: Column<Double>?
  package let created: Column<Int64>?
  package let updated: Column<Int64>
  package let owner: Column<UInt32>?
  package let attributes: AttributeColumns

  /// Memory-maps the versions in `directory`, which belong to a table of `count` rows.
  package init(_ directory: String, _ schema: EntitySchema, of count: Int) throws(FileError) {
    row = try Column(directory + "/row.npy")
    let columns = EntityColumns(directory, count: row.count)
    latitude = schema.hasPosition ? try columns.angles("latitude", within: 90) : nil
    longitude = schema.hasPosition ? try columns.angles("longitude", within: 180) : nil
    created = schema.hasCreated ? try columns.times("created") : nil
    updated = try columns.times("updated")
    owner = schema.hasOwner ? try Column(directory + "/owner.npy", count: row.count) : nil
    attributes = try AttributeColumns(directory + "/attributes", schema, count: row.count)
    guard Self.isOrdered(row.span, updated.span, count) else {
      throw FileError(
        damaged: directory + "/row.npy",
        "its rows and times are not in order, or a row does not exist in the table of the entity")
    }
  }

  private static func isOrdered(_ rows: Span<UInt32>, _ times: Span<Int64>, _ count: Int) -> Bool {
    for index in rows.indices {
      guard rows[index] < count else { return false }
      guard index == 0 || (rows[index - 1], times[index - 1]) < (rows[index], times[index]) else {
        return false
      }
    }
    return true
  }

  package var count: Int { row.count }

  /// Returns the index of the last version of `row` up to `time`, in milliseconds since 1970 UTC; `nil` if
  /// the row has no version up to that time.
  ///
  /// - Complexity: O(log n).
  package func last(of row: Int, notAfter time: Int64) -> Int? {
    let key = (UInt32(row), time)
    let (rows, times) = (self.row.span, updated.span)
    // The index after all versions of the row up to that time.
    let end = (0..<count).partitioningIndex { (rows[$0], times[$0]) > key }
    return end > 0 && rows[end - 1] == row ? end - 1 : nil
  }
}
