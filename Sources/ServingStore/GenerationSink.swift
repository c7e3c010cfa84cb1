import Geohash

/// Where the rows of a generation go, one table after the other, once they have been found to keep the rules.
protocol GenerationSink: AnyObject {
  /// Opens a table of a kind; what was open is complete.
  func begin(_ kind: TableKind, _ name: String) throws
  /// Adds a row to an open list (the user and the document), table of people (the id and the attributes), or table of
  /// buckets (the cell and what is known of it).
  func add(_ id: Span<UInt8>, _ json: Span<UInt8>) throws
  /// Adds a row to an open table of matches; no instant is an empty text.
  func add(match user: Span<UInt8>, _ other: Span<UInt8>, at: Span<UInt8>) throws
  /// Adds a row to an open table of positions.
  func add(position: Coordinate, cell: Geohash, of id: Span<UInt8>) throws
  /// Adds a row to an open catalog; ranks count up from 1 within a key.
  func add(entry: Span<UInt8>, rank: Int, of key: Span<UInt8>) throws
  /// Completes the last table.
  func end() throws
  /// How many rows the store holds in the table that was begun as number `table`, from 0, and notes that number.
  func count(table: Int, _ kind: TableKind) throws -> Int
  /// Whether the store holds a row as it was loaded, in the table that was begun as number `table`.
  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool
}
