import GRDB

extension SQLiteSchema {
  /// Brings a store of an earlier program up to date. Such a program goes on with it: it passes over what it does not
  /// know. Runs outside of transactions, with the one of its own.
  static func upgrade(_ database: Database) throws {
    if try !GenerationRecord.hasNotes(database) {
      try database.execute(sql: "ALTER TABLE generations ADD COLUMN note TEXT")
    }
    guard try !database.tableExists("positions") else { return }
    // SQLite cannot change a rule of a table, so `contents`, which allowed three kinds, is made anew. Foreign keys can be
    // switched off outside of transactions alone; else dropping the old one would drop all rows.
    try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
    defer { try? database.execute(sql: "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON") }
    try database.inTransaction(.immediate) {
      // Another process may have been faster.
      guard try !database.tableExists("positions") else { return .commit }
      try database.execute(
        sql: """
          CREATE TABLE new_contents \(contents);
          INSERT INTO new_contents SELECT * FROM contents;
          DROP TABLE contents;
          ALTER TABLE new_contents RENAME TO contents;
          \(places)
          """)
      return .commit
    }
  }
}
