/// The total number of loaded rows. Tables are loaded one after the other, and each has its own running
/// count.
package struct LoadedRows {
  /// The number of rows in complete tables, and in the table being loaded.
  private var (complete, open) = (0, 0)

  package init() {}

  /// Updates the count of the table being loaded to `rows`, and returns the rows of all tables. A smaller
  /// number than in the last call means that another table has begun.
  package mutating func total(_ rows: Int) -> Int {
    if rows < open { complete += open }
    open = rows
    return complete + open
  }
}
