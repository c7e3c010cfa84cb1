import GRDB

extension SQLiteSchema {
  /// Brings a store of an earlier program up to date. Programs that know an earlier version alone refuse the file then. Runs
  /// outside of transactions, with the one of its own.
  static func upgrade(_ database: Database) throws {
    if try !GenerationRecord.hasNotes(database) {
      try database.execute(sql: "ALTER TABLE generations ADD COLUMN note TEXT")
    }
    guard try !database.tableExists("catalogs") else { return }
    // SQLite cannot change a rule of a table, so `contents`, which allowed other kinds, is made anew. Foreign keys can be
    // switched off outside of transactions alone; else dropping the old one would drop all rows.
    try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
    defer { try? database.execute(sql: "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON") }
    try database.inTransaction(.immediate) {
      // Another process may have been faster.
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

  /// Makes catalogs of the directories of version 1. Apps that ask for `served_directories` go on: the view stays.
  private static let catalogsOfDirectories = """
    DROP VIEW served_directories;
    ALTER TABLE directories RENAME TO catalogs;
    \(servedCatalogs)
    CREATE VIEW served_directories (pipeline, directory, key, rank, entry) AS
      -- The earlier name of served_catalogs.
      SELECT pipeline, catalog, key, rank, entry FROM served_catalogs;
    """
}
