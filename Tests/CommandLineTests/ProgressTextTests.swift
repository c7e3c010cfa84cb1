import CommandLine
import Concurrency
import Testing
import Text

struct ProgressTextTests {
  @Test(
    arguments: [
      (WorkProgress.State(), 12.0, "  fit           12 s"),
      (
        WorkProgress.State(unit: "users", total: 50_000, step: "prior, pass 3"), 41,
        "  fit           41 s  prior, pass 3"
      ),
      (
        WorkProgress.State(unit: "users", done: 12_300, total: 50_000), 41,
        "  fit           41 s  12 300 of 50 000 users, 300/s, 126 s left"
      ),
      // Below one unit a second, no rate is printed.
      (
        WorkProgress.State(unit: "methods", done: 2, total: 6, step: "near, models"), 700,
        "  fit         12 min  near, models, 2 of 6 methods, 23 min left"
      ),
      (
        WorkProgress.State(unit: "bytes", done: 120_000_000, total: 300_000_000), 2,
        "  fit            2 s  120.0 of 300.0 MB, 60.0 MB/s, 3 s left"
      ),
      // More rows are done than expected, so the total and the time left are unknown.
      (WorkProgress.State(unit: "rows", done: 8, total: 4), 2, "  fit            2 s  8 rows, 4/s"),
      (WorkProgress.State(unit: "rows", done: 4, total: 4), 8_000, "  fit      2 h 13 min  4 of 4 rows"),
      (
        WorkProgress.State(unit: "rows", done: 10, total: 20, step: "a\u{1B}[2J"), 10,
        "  fit           10 s  a\\u001b[2J, 10 of 20 rows, 1/s, 10 s left"
      ),
      (
        WorkProgress.State(unit: "users", done: 3, total: 9, step: "prior", part: "near, models"), 3,
        "  fit            3 s  near, models, prior, 3 of 9 users, 1/s, 6 s left"
      ),
    ])
  func `a line has the time, the step, the count, the rate and the time left`(
    _ state: WorkProgress.State, _ seconds: Double, _ line: String
  ) {
    #expect(ProgressText(state, seconds: seconds).line("fit") == line)
  }

  /// After forty seconds without a count, one second with a count follows.
  @Test func `the rate and the time left do not include earlier steps`() {
    let text = ProgressText(
      WorkProgress.State(unit: "users", done: 2_560, total: 12_000), seconds: 41, since: (560, 40))
    #expect(text.line("fit") == "  fit           41 s  2 560 of 12 000 users, 2 000/s, 5 s left")
    // Until the next unit is complete, the rate is unknown, and only the count is shown.
    let none = ProgressText(
      WorkProgress.State(unit: "users", done: 560, total: 12_000), seconds: 41, since: (560, 40))
    #expect(none.line("fit") == "  fit           41 s  560 of 12 000 users")
    #expect(none.rate == nil && none.secondsLeft == nil)
  }

  @Test func `an event has the same figures for programs`() {
    #expect(
      ProgressText(
        WorkProgress.State(unit: "users", done: 25, total: 100, step: "s", part: "p"), seconds: 5
      ).members
        == [
          "seconds": .number(5), "unit": "users", "done": 25, "total": 100, "step": "s", "part": "p",
          "per_second": .number(5), "seconds_left": .number(15),
        ])
    #expect(ProgressText(WorkProgress.State(), seconds: 5).members == ["seconds": .number(5)])
  }

  @Test func `a new count ends the previous step`() {
    let progress = WorkProgress()
    progress.begin("users", total: 3)
    progress.step("prior")
    #expect(progress.state == WorkProgress.State(unit: "users", total: 3, step: "prior"))
    progress.add(2)
    #expect(progress.state == WorkProgress.State(unit: "users", done: 2, total: 3))
    progress.set(done: 3, step: "last")
    #expect(progress.state == WorkProgress.State(unit: "users", done: 3, total: 3, step: "last"))
    progress.begin("rows", total: 1)
    #expect(progress.state == WorkProgress.State(unit: "rows", total: 1))
  }

  @Test func `the rate is measured from the end of the last step without a count`() {
    let progress = WorkProgress()
    let before = progress.measured.start.time
    progress.begin("users", total: 9)
    let begun = progress.measured.start
    #expect(begun.done == 0 && begun.time >= before)
    progress.add(2)
    #expect(progress.measured.start.time == begun.time)
    progress.step("prior")
    progress.add(3)
    let start = progress.measured.start
    #expect(start.done == 5 && start.time >= begun.time)
    progress.add(1)
    #expect(progress.measured.start.time == start.time)
  }

  @Test func `a part keeps its name when its count begins, and ends the count before it`() {
    let progress = WorkProgress()
    progress.begin("users", total: 3)
    progress.begin(part: "near, lists")
    #expect(progress.state == WorkProgress.State(part: "near, lists"))
    progress.begin("methods", total: 7)
    progress.add(1)
    #expect(progress.state == WorkProgress.State(unit: "methods", done: 1, total: 7, part: "near, lists"))
  }
}
