/// The total number of loaded rows in all tables. Tables are loaded one after another, and each table has its
/// own running count.
package struct LoadedRows {
  /// The number of rows in the complete tables, and the number of rows in the table being loaded.
  private var (complete, open) = (0, 0)
  private var table: String?

  package init() {}

  /// Sets the count of `table`, which is being loaded, to `rows`. Returns the number of loaded rows in all
  /// tables. A new table has begun if the name differs from the name in the last call, or if `rows` is
  /// smaller than before.
  package mutating func total(_ rows: Int, of table: String) -> Int {
    if table != self.table || rows < open { complete += open }
    (self.table, open) = (table, rows)
    return complete + open
  }
}
