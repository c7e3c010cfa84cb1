import DuckDB
import Testing

/// Tests of SQL fragments, which do not need DuckDB.
@Suite struct SQLTests {
  @Test(arguments: [
    ("a\"b", "\"a\"\"b\""), ("\"\u{301}", "\"\"\"\u{301}\""), ("", "\"\""), ("a'b", "\"a'b\""),
  ]) func `identifiers are quoted`(name: String, quoted: String) {
    #expect(SQL.identifier(name).utf8.elementsEqual(quoted.utf8))
  }

  @Test(arguments: [("it's", "'it''s'"), ("'\u{301}", "'''\u{301}'"), ("a\\b", "'a\\b'")])
  func `literals are quoted`(text: String, quoted: String) {
    #expect(SQL.literal(text).utf8.elementsEqual(quoted.utf8))
  }

  @Test(arguments: [("a.csv", "'a.csv'"), ("it's*.csv", "'it''s[*].csv'"), ("[a]?", "'[[]a][?]'")])
  func `a path is not a pattern`(path: String, quoted: String) {
    #expect(SQL.path(path) == quoted)
  }

  @Test(arguments: [(-1, 1), (1, 1), (8, 8), (1024, 1024), (1025, 1024)])
  func `the number of threads has a range`(threads: Int, expected: Int) {
    #expect(SQL.settings(threads: threads).contains("SET threads=\(expected);"))
  }
}
