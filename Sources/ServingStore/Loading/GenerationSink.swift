/// Where the rows of a generation go, one table after the other, once they have been found to keep the rules.
protocol GenerationSink: AnyObject {
  /// Opens a table of a kind; the table before it is complete.
  func begin(_ kind: TableKind, _ name: String) throws
  /// Adds a row, of the shape of its kind, to the open table.
  ///
  /// - Parameters:
  ///   - row: Valid until the call returns.
  ///   - rank: The place of an entry among those of its key, from 1; 0 for rows of other shapes.
  /// - Throws: A `ServingStoreError`: `refused` if the store already has the row's id.
  func add(_ row: TableRow, rank: Int) throws
  /// Completes the last table.
  func end() throws
  /// How many rows the store holds in the table that was begun as number `table`, from 0, and notes that number.
  func count(table: Int, _ kind: TableKind) throws -> Int
  /// Whether the store holds a row as it was loaded, in the table that was begun as number `table`.
  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool
}
