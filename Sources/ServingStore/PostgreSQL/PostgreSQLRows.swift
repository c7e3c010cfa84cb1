import Geohash
internal import Text

/// The rows of one table of a generation.
///
/// An id that is not valid UTF-8 has no rows. Such an id is not sent to the server, because the server would
/// reject it.
struct PostgreSQLRows: SQLRows {
  let connection: PostgreSQLConnection
  /// The `content_id` of the table's rows.
  let content: Int64
  /// For a catalog, the SQL table with its entries.
  var catalogTable = TableKind.catalog.table

  func document(_ kind: TableKind, _ id: StoredID) throws -> [UInt8]? {
    let layout = kind.layout
    precondition(layout.shape == .document, "\(layout.table) contains no documents")
    let (key, document) = (layout.columns[0], layout.columns[1])
    return try rows(
      "SELECT \(document) FROM nightjar.\(layout.table) WHERE content_id = $1 AND \(key) = $2", [id]
    ).first?[0]
  }

  /// Returns the time of a match as it was loaded: empty if the time is unknown; `nil` if the match does not
  /// exist.
  func instant(of user: StoredID, _ other: StoredID) throws -> [UInt8]? {
    try rows(
      """
      SELECT coalesce(matched_at, '') FROM nightjar.matches
      WHERE content_id = $1 AND user_id = $2 AND other_user_id = $3
      """, [user, other]
    ).first?[0]
  }

  func matches(of user: StoredID) throws -> [ServedMatch] {
    try rows(
      """
      SELECT other_user_id, matched_at FROM nightjar.matches WHERE content_id = $1 AND user_id = $2
      UNION
      SELECT user_id, matched_at FROM nightjar.matches WHERE content_id = $1 AND other_user_id = $2
      ORDER BY 1, 2
      """, [user]
    ).map { row in
      ServedMatch(
        other: PostgreSQLText.decoded(row[0] ?? []),
        matchedAt: row[1].map { String(decoding: $0, as: UTF8.self) })
    }.sorted { $0.other < $1.other }
  }

  func position(of id: StoredID) throws -> Coordinate? {
    try rows("SELECT latitude, longitude FROM nightjar.positions WHERE content_id = $1 AND id = $2", [id])
      .first.flatMap { Self.coordinate($0[0], $0[1]) }
  }

  func positions(in box: BoundingBox) throws -> [(id: StoredID, position: Coordinate)] {
    let edges = [box.west, box.south, box.east, box.north].map { PostgreSQLConnection.Value.text("\($0)") }
    return try connection.rows(
      """
      SELECT id, latitude, longitude FROM nightjar.positions WHERE content_id = $1
        AND point(longitude, latitude) <@ box(point($2, $3), point($4, $5))
      """, [.integer(content)] + edges
    ).compactMap { row in
      Self.coordinate(row[1], row[2]).map { (PostgreSQLText.decoded(row[0] ?? []), $0) }
    }
  }

  func entries(_ key: StoredID, _ range: Range<Int>) throws -> [[UInt8]] {
    // Keys never contain U+0000, and the server would reject a parameter with U+0000.
    guard Self.isText(key), key.utf8.span.firstIndex(of: 0) == nil else { return [] }
    return try connection.rows(
      """
      SELECT entry FROM nightjar.\(catalogTable)
      WHERE content_id = $1 AND key = $2 AND rank > $3 AND rank <= $4 ORDER BY rank
      """,
      [
        .integer(content), .bytes(key.utf8), .integer(Int64(range.lowerBound)),
        .integer(Int64(range.upperBound)),
      ]
    ).compactMap(\.first).compactMap(\.self)
  }

  /// Returns the rows of a query. Parameter 1 is the `content_id` of the table; the other parameters are ids.
  private func rows(_ sql: String, _ ids: [StoredID]) throws -> [PostgreSQLConnection.ResultRow] {
    guard ids.allSatisfy(Self.isText) else { return [] }
    return try connection.rows(sql, [.integer(content)] + ids.map { .bytes(PostgreSQLText.encoded($0)) })
  }

  private static func isText(_ id: StoredID) -> Bool { (try? UTF8Span(validating: id.utf8.span)) != nil }

  /// Parses a position without loss: since version 12, PostgreSQL writes the shortest text that parses to the
  /// same number.
  private static func coordinate(_ latitude: [UInt8]?, _ longitude: [UInt8]?) -> Coordinate? {
    func number(_ text: [UInt8]?) -> Double? { text.flatMap { Double(String(decoding: $0, as: UTF8.self)) } }
    guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}
