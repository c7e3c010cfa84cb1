import Publishing
import Testing

struct LoadedRowsTests {
  @Test func `a smaller number of rows begins another table`() {
    var loaded = LoadedRows()
    #expect(
      [4_096, 8_000, 1_000, 1_000, 2_000].map { loaded.total($0) } == [4_096, 8_000, 9_000, 9_000, 10_000])
  }
}
