import Foundation
import GRDB
import Geohash

extension SQLiteServingStore {
  func heldDigest(of pipeline: String) throws -> GenerationDigest? {
    try ServingStoreError.translating(address) {
      try pool.read { database in
        guard let record = try GenerationRecord.served(database, pipeline: pipeline, address)
        else { return nil }
        var digest = GenerationDigest()
        for content in record.contents {
          digest.begin(content.kind, content.count.name)
          try add(content, database, to: &digest)
        }
        return digest
      }
    }
  }

  private func add(
    _ content: GenerationRecord.Content, _ database: Database, to digest: inout GenerationDigest
  ) throws {
    let layout = content.kind.layout
    // Coordinates and ranks are read as numbers. A cast to text would round coordinates.
    let columns = layout.columns.map { column in
      ["latitude", "longitude", "rank"].contains(column) ? column : "CAST(\(column) AS BLOB)"
    }
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT \(columns.joined(separator: ", ")) FROM \(content.table) WHERE content_id = ?",
      arguments: [content.id])
    while let row = try rows.next() {
      func bytes(_ column: Int) -> [UInt8] { Array(row[column] as Data? ?? Data()) }
      let (first, second) = (bytes(0), bytes(1))
      switch layout.shape {
      case .document: digest.add(.document(id: first.span, json: second.span))
      case .match: digest.add(.match(user: first.span, other: second.span, at: bytes(2).span))
      case .position:
        let (latitude, longitude): (Double?, Double?) = (Self.number(2, of: row), Self.number(3, of: row))
        digest.add(position: first, cell: second, latitude, longitude)
      case .entry:
        let rank: Int? = Self.number(2, of: row)
        digest.add(.entry(key: first.span, json: second.span), rank: rank ?? 0)
      }
    }
    if content.kind == .positions, try lacksBoxes(content, database) { digest.addDamage() }
  }

  /// Returns a number of a row; `nil` for another type, which the file can contain if it is damaged.
  private static func number<Number: DatabaseValueConvertible>(_ column: Int, of row: Row) -> Number? {
    let value: DatabaseValue = row[column]
    return Number.fromDatabaseValue(value)
  }

  /// Returns whether a search in the R*Tree could miss a position.
  private func lacksBoxes(_ content: GenerationRecord.Content, _ database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (
          SELECT * FROM positions WHERE content_id = ? AND NOT EXISTS (
            SELECT * FROM position_boxes WHERE position_boxes.position_id = positions.position_id
              AND first_content <= content_id AND last_content >= content_id
              AND south <= latitude AND north >= latitude AND west <= longitude AND east >= longitude))
        """, arguments: [content.id]) ?? true
  }
}
