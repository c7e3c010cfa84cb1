import Testing

@testable import Publishing

struct LoadingProgressTests {
  private let start = ContinuousClock.now

  @Test func `a line shows the rows of the table and the mean rate of all tables`() {
    var progress = LoadingProgress(start: start)
    #expect(
      progress.line("partners", rows: 4_096, at: start + .seconds(2))
        == "  publish   partners 4 096, 2 048 rows/s")
    #expect(
      progress.line("partners", rows: 8_000, at: start + .seconds(4))
        == "  publish   partners 8 000, 2 000 rows/s")
    // A smaller number means that another table has started. The rate covers both tables.
    #expect(
      progress.line("matches", rows: 1_000, at: start + .seconds(5))
        == "  publish   matches 1 000, 1 800 rows/s")
  }

  @Test func `a progress line is printed at most every 200 ms, and rows in between count`() {
    var progress = LoadingProgress(start: start)
    #expect(progress.line("a", rows: 1, at: start + .milliseconds(199)) == nil)
    #expect(progress.line("a", rows: 100, at: start + .milliseconds(200)) == "  publish   a 100, 500 rows/s")
    #expect(progress.line("a", rows: 200, at: start + .milliseconds(399)) == nil)
    #expect(progress.line("b", rows: 300, at: start + .seconds(1)) == "  publish   b 300, 300 rows/s")
    #expect(progress.line("c", rows: 100, at: start + .seconds(2)) == "  publish   c 100, 200 rows/s")
    // An equal number means that the table is the same.
    #expect(progress.line("c", rows: 100, at: start + .seconds(4)) == "  publish   c 100, 100 rows/s")
  }

  @Test func `a name cannot send control sequences to a terminal`() {
    var progress = LoadingProgress(start: start)
    #expect(
      progress.line("a\u{1B}[2J", rows: 1, at: start + .seconds(1)) == "  publish   a\\u001b[2J 1, 1 rows/s")
  }
}
