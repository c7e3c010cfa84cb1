/// The total number of loaded rows. Tables are loaded one after the other, and each has its own running
/// count.
package struct LoadedRows {
  /// The number of rows in complete tables, and in the table being loaded.
  private var (complete, open) = (0, 0)
  private var table: String?

  package init() {}

  /// Updates the count of `table`, which is being loaded, to `rows`, and returns the rows of all tables. Another
  /// name, or a smaller number than in the last call, means that another table has begun.
  package mutating func total(_ rows: Int, of table: String) -> Int {
    if table != self.table || rows < open { complete += open }
    (self.table, open) = (table, rows)
    return complete + open
  }
}
