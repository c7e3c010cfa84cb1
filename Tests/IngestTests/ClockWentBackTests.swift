import Files
import Ingest
import Testing
import Text

/// A clock is wrong if it is earlier than events of an earlier night.
struct ClockWentBackTests {
  private static let day: Int64 = 86_400_000

  private func manifest(_ origin: String) -> Manifest {
    Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null,
      asOf: Instant(milliseconds: 10 * Self.day), seed: 0, counts: ["as_of_from": .string(origin)])
  }

  @Test(arguments: [
    ("newest_interaction", 0, false), ("newest_interaction", -1, true), ("newest_check_in", -1, true),
    ("newest_request", -1, true), ("newest_request", day, false),
    ("clock", 0, false), ("clock", -1, true),
    // An as-of time from an option does not depend on the clock.
    ("given", -10 * day, false),
  ])
  func `a clock before recorded events is wrong`(origin: String, after: Int64, isWrong: Bool) {
    let clock = Instant(milliseconds: 10 * Self.day + after)
    let wrong = ClockWentBack(clock, after: manifest(origin))
    #expect((wrong != nil) == isWrong)
    if let wrong {
      #expect(wrong.description.contains("\(clock)") && wrong.description.contains("1970-01-11T00:00:00Z"))
    }
  }
}
