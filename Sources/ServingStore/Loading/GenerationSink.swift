/// Receives the checked rows of a generation, one table after another.
protocol GenerationSink: AnyObject {
  /// Opens a table. The previous table is then complete.
  func begin(_ kind: TableKind, _ name: String) throws
  /// Adds a row to the open table. The row has the shape that belongs to the kind of the table.
  ///
  /// - Parameters:
  ///   - row: The row, which is valid until the call returns.
  ///   - rank: The rank of an entry within its key, from 1; 0 for rows of other shapes.
  /// - Throws: A `ServingStoreError`, with `refused` if the store already contains the row's id.
  func add(_ row: TableRow, rank: Int) throws
  /// Completes the last table.
  func end() throws
  /// Counts the rows that the store contains for a table. `table` is the zero-based index of the table in the
  /// order of the calls of `begin`. SQL stores also record the number in `contents`.
  func count(table: Int, _ kind: TableKind) throws -> Int
  /// Returns whether the store contains `row` unchanged. `table` is the index of its table, as in `count`.
  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool
  /// Keeps the publication alive while another store is being loaded, for example by renewing a lock that
  /// would expire.
  ///
  /// - Throws: A `ServingStoreError` if the publication can no longer succeed.
  func keepAlive() throws
}
