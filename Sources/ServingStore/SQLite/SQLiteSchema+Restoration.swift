import GRDB

extension SQLiteSchema {
  /// A table, index, trigger or view, with the statement that creates it.
  private struct Object: Hashable {
    var type: String
    var name: String
    var creation: String

    /// Whether the object can be dropped and created again without losing rows.
    var isReplaceable: Bool { type == "view" || type == "trigger" }

    func isHeld(in objects: Set<Object>) -> Bool {
      isReplaceable
        ? objects.contains(self) : objects.contains { $0.type == type && $0.name == name }
    }
  }

  /// Creates the tables, indexes, triggers and views that the store lacks, and replaces changed triggers and
  /// views. The rows of a new table are lost, so the next publication loads them. Call this method outside a
  /// transaction, because it begins its own transaction.
  static func restore(_ database: Database) throws {
    let all: [Object] = try DatabaseQueue().write { database in
      try database.execute(sql: creation)
      return try objects(in: database)
    }
    func lost() throws -> [Object] {
      let held = Set(try objects(in: database))
      return all.filter { !$0.isHeld(in: held) }
    }
    guard try !lost().isEmpty else { return }
    try database.inTransaction(.immediate) {
      // Another process may have created the objects meanwhile.
      for object in try lost() {
        if object.isReplaceable { try database.execute(sql: "DROP \(object.type) IF EXISTS \(object.name)") }
        try database.execute(sql: object.creation)
      }
      return .commit
    }
  }

  /// Returns the objects in the order of their creation, without the tables that the R*Tree creates itself.
  private static func objects(in database: Database) throws -> [Object] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'position_boxes_*'
        ORDER BY rowid
        """
    ).map { Object(type: $0[0], name: $0[1], creation: $0[2]) }
  }
}
