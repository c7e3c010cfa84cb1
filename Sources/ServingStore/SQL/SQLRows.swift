import Geohash

/// The rows of one table of a generation in a SQL store, within a transaction.
protocol SQLRows {
  /// The JSON document of an id in a list, a table of people or a table of buckets; `nil` if there is none.
  func document(_ kind: TableKind, _ id: StoredID) throws -> [UInt8]?

  /// The matches of a user on either side, in byte order of the ids of the other side; empty if there are
  /// none.
  func matches(of user: StoredID) throws -> [ServedMatch]

  /// The position of an id; `nil` if there is none.
  func position(of id: StoredID) throws -> Coordinate?

  /// The positions in a box that does not cross the antimeridian.
  func positions(in box: BoundingBox) throws -> [(id: StoredID, position: Coordinate)]

  /// The entries of a key at the zero-based indices in `range`, best first.
  func entries(_ key: StoredID, _ range: Range<Int>) throws -> [[UInt8]]
}
