package import Geohash
internal import Text

/// A row to load into a store. A row borrows its parts from the caller until the call returns, so a row
/// allocates no memory.
///
/// Ids are UTF-8 and not empty. JSON is UTF-8, and stores keep it byte for byte. A row that breaks one of
/// these rules is rejected.
package enum TableRow: ~Escapable {
  /// A row with a JSON document: a user's list, the published attributes of a person or thing, or the bucket
  /// of a cell. The id of a bucket is the geohash of its cell. An id occurs once in a table.
  ///
  /// Set `isChecked` if the caller has already validated each part, perhaps on another thread. The store
  /// still rejects duplicate ids.
  case document(id: Span<UInt8>, json: Span<UInt8>, isChecked: Bool = false)

  /// A match: the ids of both sides, and the time as text without U+0000. The text is empty if the time is
  /// unknown. An ordered pair occurs once in a table.
  case match(user: Span<UInt8>, other: Span<UInt8>, at: Span<UInt8>)

  /// The position of a person or thing, and its geohash cell. The position is the center of the cell, in
  /// degrees. An id occurs once in a table.
  case position(id: Span<UInt8>, Coordinate, cell: Geohash)

  /// The next entry for a key of a catalog. Keys contain no U+0000. The entries for a key are consecutive,
  /// best first.
  case entry(key: Span<UInt8>, json: Span<UInt8>)
}

/// A copy of a loaded row, to be compared with the row that the store returns.
enum LoadedRow: Hashable, Sendable {
  case document(id: StoredID, json: [UInt8])
  /// An unknown time is an empty text.
  case match(user: StoredID, other: StoredID, at: [UInt8])
  case position(id: StoredID, Coordinate)
  case entry(key: [UInt8], rank: Int, json: [UInt8])

  /// Copies `row`. `rank` is the rank of an entry within its key, from 1.
  init(copying row: TableRow, rank: Int) {
    switch row {
    case .document(let id, let json, _):
      self = .document(id: StoredID(copying: id), json: Array(copying: json))
    case .match(let user, let other, let instant):
      self = .match(
        user: StoredID(copying: user), other: StoredID(copying: other), at: Array(copying: instant))
    case .position(let id, let position, _): self = .position(id: StoredID(copying: id), position)
    case .entry(let key, let json):
      self = .entry(key: Array(copying: key), rank: rank, json: Array(copying: json))
    }
  }
}
