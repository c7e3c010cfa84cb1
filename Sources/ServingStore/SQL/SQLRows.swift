import Geohash

/// The rows of one table of a generation in a SQL store, within a transaction.
protocol SQLRows {
  /// Returns the JSON document of an id in a list, a table of people or a table of buckets; `nil` if there is
  /// none.
  func document(_ kind: TableKind, _ id: StoredID) throws -> [UInt8]?

  /// Returns the matches of a user, on either side of a match, in byte order of the other side's ids.
  func matches(of user: StoredID) throws -> [ServedMatch]

  /// Returns the position of an id; `nil` if there is none.
  func position(of id: StoredID) throws -> Coordinate?

  /// Returns the positions in a box that does not cross the antimeridian.
  func positions(in box: BoundingBox) throws -> [(id: StoredID, position: Coordinate)]

  /// Returns the entries of a key at the zero-based indices in `range`, best first.
  func entries(_ key: StoredID, _ range: Range<Int>) throws -> [[UInt8]]
}
