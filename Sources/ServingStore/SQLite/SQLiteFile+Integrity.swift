import GRDB

extension SQLiteFile {
  /// Checks the structure of the whole file. Does nothing if the file contains no store.
  ///
  /// Rows that break only a rule of the schema are accepted, because the next publication replaces them.
  ///
  /// - Throws: `corrupt` if the file is damaged; other errors of SQLite.
  /// - Complexity: O(n log n) in the size of the file.
  func checkIntegrity() throws {
    try ServingStoreError.translating(address) {
      guard try inspect(for: .reading) == .store else { return }
      let isIntact = try withDatabase(readOnly: true) { database in
        try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
        // Other results describe the damage. They are not shown, because they can contain personal data.
        return try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") == "ok"
      }
      guard isIntact else { throw SQLiteSchema.damage("SQLite's integrity check found damage", address) }
    }
  }
}
