import Publishing
import Testing

struct LoadedRowsTests {
  @Test func `another name or a smaller number of rows begins another table`() {
    var loaded = LoadedRows()
    let calls = [
      ("near", 4_096, 4_096), ("near", 8_000, 8_000), ("near", 1_000, 9_000), ("near", 1_000, 9_000),
      ("near", 2_000, 10_000), ("people", 2_000, 12_000), ("people", 3_000, 13_000), ("near", 5_000, 18_000),
    ]
    for (table, rows, total) in calls { #expect(loaded.total(rows, of: table) == total) }
  }
}
