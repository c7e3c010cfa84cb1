import Testing

@testable import DuckDB

/// Parses names of types in the form that DuckDB's `DESCRIBE` prints.
@Suite struct StructTypeTests {
  @Test(
    arguments: [
      ("STRUCT(a INTEGER)", [("a", "INTEGER")]),
      ("STRUCT(a INTEGER, b VARCHAR)", [("a", "INTEGER"), ("b", "VARCHAR")]),
      ("STRUCT(\"a b\" INTEGER[], c DOUBLE)", [("a b", "INTEGER[]"), ("c", "DOUBLE")]),
      ("STRUCT(\"a\"\"b\" DATE, \"\" DATE)", [("a\"b", "DATE"), ("", "DATE")]),
      (
        "STRUCT(a DECIMAL(18,3), b STRUCT(c INTEGER, d DATE))",
        [("a", "DECIMAL(18,3)"), ("b", "STRUCT(c INTEGER, d DATE)")]
      ),
      (
        "STRUCT(a STRUCT(\"x), y\" DATE), b ENUM('it''s', ')'))",
        [("a", "STRUCT(\"x), y\" DATE)"), ("b", "ENUM('it''s', ')')")]
      ),
    ] as [(String, [(String, String)])])
  func `keys and the names of their types are in order`(name: String, expected: [(String, String)]) throws {
    let type = try #require(StructType(name))
    #expect(type.fields.map(\.key) == expected.map(\.0))
    #expect(type.fields.map(\.type) == expected.map(\.1))
  }

  @Test(arguments: [
    "INTEGER", "STRUCT(a INTEGER)[]", "STRUCT(a INTEGER", "STRUCT(a)", "STRUCT(\"a INTEGER)", "STRUCT(\"a\")",
    "STRUCT(\"a\"INTEGER)", "STRUCT(a INTEGER) ", "STRUCT(a INTEGER)b)", "STRUCT(a DECIMAL(1)", "MAP(a DATE)",
    "",
  ])
  func `other type names are not structs`(name: String) {
    #expect(StructType(name) == nil)
  }
}
