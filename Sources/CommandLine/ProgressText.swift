package import Concurrency
package import Text

/// The progress of a stage as a human-readable line, or as the members of an event.
package struct ProgressText: Sendable {
  package let state: WorkProgress.State
  /// The time since the stage began, in seconds.
  package let seconds: Double
  /// The point from which the rate is measured: the count, and the time since the stage began, in seconds.
  private let start: (done: Int, seconds: Double)

  package init(
    _ state: WorkProgress.State, seconds: Double, since start: (done: Int, seconds: Double) = (0, 0)
  ) {
    (self.state, self.seconds, self.start) = (state, seconds, start)
  }

  /// The average number of completed units per second; `nil` until a unit is complete.
  package var rate: Double? {
    state.done > start.done && seconds > start.seconds
      ? Double(state.done - start.done) / (seconds - start.seconds) : nil
  }

  /// The estimated remaining time at the average rate, in seconds; `nil` if the total or the rate is unknown.
  package var secondsLeft: Double? {
    guard let rate, state.done <= state.total else { return nil }
    return Double(state.total - state.done) / rate
  }

  /// Returns a line such as `fit  41 s  12 345 of 50 000 users, 301/s, 125 s left`.
  package func line(_ stage: String) -> String {
    var parts: [String] = []
    for name in [state.part, state.step] where !name.isEmpty { parts.append(ShownText.encoded(name)) }
    if state.done > 0 {
      let isBytes = state.unit == "bytes"
      let ofAll = state.done <= state.total
      parts.append(
        isBytes
          ? Self.megabytes(state.done) + (ofAll ? " of \(Self.megabytes(state.total))" : "") + " MB"
          : state.done.grouped + (ofAll ? " of \(state.total.grouped)" : "") + " \(state.unit)")
      if let rate, isBytes {
        parts.append((rate / 1_000_000).fixed(1) + " MB/s")
      } else if let rate, rate >= 1 {
        parts.append("\(Int(rate).grouped)/s")
      }
    }
    if let secondsLeft, secondsLeft > 0 { parts.append("\(Self.time(secondsLeft)) left") }
    return "  " + stage.padded(to: 9) + Self.time(seconds).leftPadded(to: 9)
      + (parts.isEmpty ? "" : "  " + parts.joined(separator: ", "))
  }

  /// The progress as the members of an event. Members without a known value are left out.
  package var members: [String: JSONValue] {
    var members: [String: JSONValue] = ["seconds": .number(seconds)]
    if !state.unit.isEmpty {
      members["unit"] = .string(state.unit)
      members["done"] = .integer(state.done)
    }
    if state.total > 0 { members["total"] = .integer(state.total) }
    if !state.step.isEmpty { members["step"] = .string(state.step) }
    if !state.part.isEmpty { members["part"] = .string(state.part) }
    if let rate { members["per_second"] = .number(rate) }
    if let secondsLeft { members["seconds_left"] = .number(secondsLeft) }
    return members
  }

  private static func megabytes(_ bytes: Int) -> String { (Double(bytes) / 1_000_000).fixed(1) }

  /// Returns a duration such as `41 s`, `12 min` or `3 h 05 min`.
  private static func time(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded(.up))
    if whole < 600 { return "\(whole) s" }
    let minutes = (whole + 30) / 60
    if minutes < 120 { return "\(minutes) min" }
    return "\(minutes / 60) h \(minutes % 60 < 10 ? "0" : "")\(minutes % 60) min"
  }
}
