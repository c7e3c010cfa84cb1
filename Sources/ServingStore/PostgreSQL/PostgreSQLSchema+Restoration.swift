extension PostgreSQLSchema {
  /// The statements that create the indexes, views and functions, each with the name of the created object,
  /// in the order of `creation`.
  static let derived: [(name: String, creation: String)] = creation.split(separator: ";\n").compactMap {
    statement in
    statement.firstMatch(of: /CREATE (?:INDEX|VIEW|FUNCTION) (?:nightjar\.)?(\w+)/).map {
      (String($0.1), String(statement[$0.range.lowerBound...]))
    }
  }

  /// The query for the names in `derived` that the store lacks.
  static let lostNames = """
    SELECT name FROM (VALUES \(derived.map { "('\($0.name)')" }.joined(separator: ", "))) AS derived (name)
    WHERE to_regclass('nightjar.' || name) IS NULL AND to_regproc('nightjar.' || name) IS NULL
    """
}
