import GRDB

extension SQLiteSchema {
  /// Upgrades a store of an earlier version. Earlier versions of the program then reject the file. Call this
  /// method outside a transaction, because it begins its own transaction.
  static func upgrade(_ database: Database) throws {
    if try !GenerationRecord.hasNotes(database) {
      try database.execute(sql: "ALTER TABLE generations ADD COLUMN note TEXT")
    }
    guard try !database.tableExists("catalogs") else { return }
    // SQLite cannot change a constraint of a table. To allow the new kinds, `contents` is therefore created
    // again. Foreign keys must be off, because dropping the old table would otherwise delete all rows.
    // Foreign keys can be switched off only outside transactions.
    try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
    defer { try? database.execute(sql: "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON") }
    try database.inTransaction(.immediate) {
      // Another process may have upgraded the store meanwhile.
      guard try !database.tableExists("catalogs") else { return .commit }
      try database.execute(
        sql: """
          CREATE TABLE new_contents \(contents);
          INSERT INTO new_contents (content_id, pipeline, generation, kind, name, row_count)
            SELECT content_id, pipeline, generation, CASE kind WHEN 'directory' THEN 'catalog' ELSE kind END, name,
              row_count FROM contents;
          DROP TABLE contents;
          ALTER TABLE new_contents RENAME TO contents;
          \(database.tableExists("positions") ? catalogsOfDirectories : places)
          PRAGMA user_version = \(version);
          """)
      return .commit
    }
  }

  /// The statements that rename the directories of version 1 to catalogs. The view `served_directories` stays
  /// for apps that use it.
  private static let catalogsOfDirectories = """
    DROP VIEW served_directories;
    ALTER TABLE directories RENAME TO catalogs;
    \(servedCatalogs)
    CREATE VIEW served_directories (pipeline, directory, key, rank, entry) AS
      -- The earlier name of served_catalogs.
      SELECT pipeline, catalog, key, rank, entry FROM served_catalogs;
    """
}
