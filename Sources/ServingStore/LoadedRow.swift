import Geohash

/// A row as it was loaded, to be compared with what a store gives back.
enum LoadedRow: Hashable, Sendable {
  /// Of a list, a table of people, or one of buckets.
  case document(id: StoredID, json: [UInt8])
  /// No instant is an empty text.
  case match(user: StoredID, other: StoredID, at: [UInt8])
  case position(id: StoredID, Coordinate)
  case entry(key: [UInt8], rank: Int, json: [UInt8])
}
