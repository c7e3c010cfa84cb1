/// The number of rows that were loaded, from the counts of one table after the other.
package struct LoadedRows {
  /// The number of rows in complete tables, and in the table being loaded.
  private var (complete, open) = (0, 0)

  package init() {}

  /// Counts `rows` of the table being loaded, and returns the rows of all tables. A smaller number than before means
  /// another table.
  package mutating func total(_ rows: Int) -> Int {
    if rows < open { complete += open }
    open = rows
    return complete + open
  }
}
