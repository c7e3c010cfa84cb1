import Geohash

/// The rows of one table of a generation in a store of SQL, inside a transaction.
protocol SQLRows {
  /// The JSON under an id in a list, a table of people or one of buckets.
  func document(_ kind: TableKind, _ id: StoredID) throws -> [UInt8]?

  /// The matches of a user, from either side.
  func matches(of user: StoredID) throws -> [ServedMatch]

  /// Where an id is.
  func position(of id: StoredID) throws -> Coordinate?

  /// The positions in a box that does not cross the antimeridian.
  func positions(in box: BoundingBox) throws -> [(id: StoredID, position: Coordinate)]

  /// The entries under a key.
  func entries(_ key: StoredID, _ range: Range<Int>) throws -> [[UInt8]]
}
