import Foundation
import Geohash
import GRDB

/// The rows of one table of a generation.
///
/// Ids are passed and returned as blobs, and the SQL casts them, because GRDB ends a text at its first
/// U+0000.
struct SQLiteRows: SQLRows {
  let database: Database
  let address: StoreAddress
  /// The `content_id` of the table's rows.
  let content: Int64
  /// For a catalog, the SQL table with its entries.
  var catalogTable = TableKind.catalog.table

  func document(_ kind: TableKind, _ id: StoredID) throws -> [UInt8]? {
    let layout = kind.layout
    precondition(layout.shape == .document, "\(layout.table) contains no documents")
    let (key, document) = (layout.columns[0], layout.columns[1])
    let data = try row(
      "SELECT CAST(\(document) AS BLOB) FROM \(layout.table) WHERE content_id = ? AND \(key) = CAST(? AS TEXT)",
      [content, Data(id.utf8)]
    ) { (data: Data?) in data }
    return data?.map { Array($0) }
  }

  /// Returns the time of a match as it was loaded: empty if the time is unknown; `nil` if the match does not
  /// exist.
  func instant(of user: StoredID, _ other: StoredID) throws -> [UInt8]? {
    try row(
      """
      SELECT CAST(coalesce(matched_at, '') AS BLOB) FROM matches
      WHERE content_id = ? AND user_id = CAST(? AS TEXT) AND other_user_id = CAST(? AS TEXT)
      """, [content, Data(user.utf8), Data(other.utf8)]
    ) { (data: Data?) in Array(data ?? Data()) }
  }

  func matches(of user: StoredID) throws -> [ServedMatch] {
    try all(
      """
      SELECT CAST(other_user_id AS BLOB), matched_at FROM matches
      WHERE content_id = :content AND user_id = CAST(:user AS TEXT)
      UNION
      SELECT CAST(user_id AS BLOB), matched_at FROM matches
      WHERE content_id = :content AND other_user_id = CAST(:user AS TEXT)
      ORDER BY 1, 2
      """, ["content": content, "user": Data(user.utf8)]
    ) { row in
      let other: Data = row[0]
      return ServedMatch(other: StoredID(utf8: Array(other)), matchedAt: row[1])
    }
  }

  func position(of id: StoredID) throws -> Coordinate? {
    try all(
      "SELECT latitude, longitude FROM positions WHERE content_id = ? AND id = CAST(? AS TEXT)",
      [content, Data(id.utf8)]
    ) { row in Self.position(row, from: 0) }.first ?? nil
  }

  func positions(in box: BoundingBox) throws -> [(id: StoredID, position: Coordinate)] {
    try all(
      """
      SELECT CAST(id AS BLOB), latitude, longitude FROM position_boxes
      CROSS JOIN positions ON positions.position_id = position_boxes.position_id AND content_id = :content
      WHERE first_content <= :content AND last_content >= :content
        AND north >= :south AND south <= :north AND east >= :west AND west <= :east
      """,
      ["content": content, "south": box.south, "north": box.north, "west": box.west, "east": box.east]
    ) { row -> (id: StoredID, position: Coordinate)? in
      let id: Data = row[0]
      return Self.position(row, from: 1).map { (StoredID(utf8: Array(id)), $0) }
    }.compactMap(\.self)
  }

  /// Returns the position in two columns; `nil` if the row is damaged.
  private static func position(_ row: Row, from column: Int) -> Coordinate? {
    guard let latitude = Double.fromDatabaseValue(row[column]),
      let longitude = Double.fromDatabaseValue(row[column + 1])
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  func entries(_ key: StoredID, _ range: Range<Int>) throws -> [[UInt8]] {
    try all(
      """
      SELECT CAST(entry AS BLOB) FROM \(catalogTable)
      WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank > ? AND rank <= ? ORDER BY rank
      """, [content, Data(key.utf8), range.lowerBound, range.upperBound]
    ) { row in
      let entry: Data = row[0]
      return Array(entry)
    }
  }

  private func all<Element>(
    _ sql: String, _ arguments: StatementArguments, _ element: (Row) throws -> Element
  ) throws -> [Element] {
    try ServingStoreError.translating(address) {
      let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
      var elements: [Element] = []
      while let row = try rows.next() { elements.append(try element(row)) }
      return elements
    }
  }

  private func row<Value: DatabaseValueConvertible, Result>(
    _ sql: String, _ arguments: StatementArguments, _ result: (Value?) -> Result
  ) throws -> Result? {
    try all(sql, arguments) { row in
      let value: Value? = row[0]
      return result(value)
    }.first
  }
}
