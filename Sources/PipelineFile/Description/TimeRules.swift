internal import Readers
package import Text

// Times: the as-of time of a run, and the plausible times of rows.

extension Pipeline {
  /// The origin of a run's as-of time. The key `as_of` of the pipeline file or the option `--as-of` sets it.
  package enum AsOf: Hashable, Sendable {
    /// The moment at which the run began.
    case clock
    /// The time of the newest interaction, check-in, request or answer up to the moment at which the run
    /// began. Without such a row, the as-of time is the moment at which the run began.
    case newest
    case moment(Instant)

    /// Reads `clock`, `newest` or a time; `nil` for any other text.
    package init?(_ text: String) {
      switch text {
      case "clock": self = .clock
      case "newest": self = .newest
      default:
        guard let milliseconds = parseInstant(Array(text.utf8).span) else { return nil }
        self = .moment(Instant(milliseconds: milliseconds))
      }
    }
  }

  /// Whether `asOf` is a fixed time, which does not depend on the clock.
  package var hasGivenAsOf: Bool { if case .moment = asOf { true } else { false } }

  /// The years 2000 to 2100, in milliseconds since 1970 UTC.
  package static let usuallyPlausible: ClosedRange<Int64> = 946_684_800_000...4_133_980_799_999

  /// Returns the maximum share of the rows of `source` that may be later than the as-of time, 0 to 1.
  package func laterLimit(of source: Source) -> Double { source.laterLimit ?? laterLimit }

  /// Sets the plausible times of every time field to the range of its source.
  mutating func spreadPlausibleTimes() {
    for index in entities.indices {
      let times = entities[index].source.plausible ?? plausible
      entities[index].created?.plausible = times
      entities[index].updated?.plausible = times
      guard let checkIns = entities[index].checkIns else { continue }
      entities[index].checkIns?.at.plausible = checkIns.source.plausible ?? plausible
    }
    for index in interactions.indices {
      interactions[index].at.plausible = interactions[index].source.plausible ?? plausible
    }
    for index in requests.indices {
      let times = requests[index].source.plausible ?? plausible
      requests[index].at.plausible = times
      requests[index].changed.plausible = times
    }
  }
}

extension Setting {
  /// Reads `as_of: clock`, `newest` or a time.
  func asOf() throws(PipelineFileError) -> Pipeline.AsOf {
    let text = try text()
    guard let asOf = Pipeline.AsOf(text) else {
      throw mistake(
        "\(label) is '\(text)', but must be clock, newest or a time",
        advice: "Write a time such as 2026-11-20T23:58:12Z.")
    }
    return asOf
  }

  /// Reads `[FROM, TO]`, both inclusive: years, dates or times.
  func plausibleTimes() throws(PipelineFileError) -> ClosedRange<Int64> {
    let bounds = try elements()
    guard bounds.count == 2 else {
      throw mistake("\(label) must be [FROM, TO], not a list of length \(bounds.count)")
    }
    let (from, to) = (try bounds[0].period().lowerBound, try bounds[1].period().upperBound)
    guard from <= to else {
      throw mistake("\(label) ends before it begins", advice: "Write the earlier bound first.")
    }
    return from...to
  }

  /// Reads a year, a date or a time, and returns the range that it covers, in milliseconds since 1970 UTC.
  private func period() throws(PipelineFileError) -> ClosedRange<Int64> {
    if let year = try? integer(1...9999) {
      let digits = String(repeating: "0", count: 4 - String(year).count) + String(year)
      if let first = instant("\(digits)-01-01"), let last = instant("\(digits)-12-31") {
        return first...last + Self.day - 1
      }
    }
    let text = try text()
    guard text.utf8.count >= 10, let first = instant(text) else {
      throw mistake(
        "\(label) is '\(text)', but must be a year, a date or a time",
        advice: "Write 2010, 2010-05-01 or 2010-05-01T12:00:00Z.")
    }
    return text.utf8.count == 10 ? first...first + Self.day - 1 : first...first
  }

  private static let day: Int64 = 86_400_000

  private func instant(_ text: String) -> Int64? { parseInstant(Array(text.utf8).span) }
}
