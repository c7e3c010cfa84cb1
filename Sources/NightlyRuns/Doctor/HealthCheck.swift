internal import CommandLine
package import System
package import Text

/// The result of checking one requirement of a run.
package struct HealthCheck: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case well
    /// The finding deserves attention, but a run would succeed.
    case note
    /// A run would fail with this status.
    case ill(ExitStatus)
  }

  package var name: String
  package var verdict: Verdict
  /// The finding and, if there is a problem, the advice to the user.
  package var found: String

  init(_ name: String, _ verdict: Verdict, _ found: String) {
    (self.name, self.verdict, self.found) = (name, verdict, found)
  }

  /// Creates a failed check with the status and the message of `error`.
  init(_ name: String, _ error: any Error) {
    self.init(name, .ill(ExitStatus(error)), "\(error)")
  }

  /// The verdict as a word for JSON and text, and the status with which a run would end.
  fileprivate var outcome: (verdict: String, status: Int) {
    switch verdict {
    case .well: ("ok", Int(ExitStatus.complete.rawValue))
    case .note: ("note", Int(ExitStatus.complete.rawValue))
    case .ill(let status): ("fails", Int(status.rawValue))
    }
  }

  /// The check as a JSON object, in the format that `docs/reference/formats.md` describes.
  package var json: JSONValue {
    [
      "name": .string(name), "verdict": .string(outcome.verdict), "status": .integer(outcome.status),
      "found": .string(found),
    ]
  }

  /// Returns the check as text such as `ok     lock       free`.
  ///
  /// - Parameters:
  ///   - width: The width of the terminal in columns; `nil` for a line of any length.
  ///   - isColored: Whether to color the first word, for a terminal.
  /// - Returns: The lines. Lines after the first continue the finding.
  package func lines(width: Int?, isColored: Bool) -> [String] {
    let (word, color) =
      switch verdict {
      case .well: ("ok", 32)
      case .note: ("note", 33)
      case .ill: ("FAILS", 31)
      }
    let padded = word.padded(to: 6)
    let start = "\(padded) \(name.padded(to: 10)) "
    var lines = (start + ShownText.encoded(found)).wrapped(to: width ?? .max, indent: start.terminalColumns)
    // The control sequences take no columns, so they are added after the lines are wrapped.
    if isColored { lines[0] = "\u{1B}[\(color)m\(padded)\u{1B}[0m" + lines[0].dropFirst(padded.count) }
    return lines
  }
}

extension [HealthCheck] {
  /// The status of the first failed check; `complete` if no check failed.
  package var status: ExitStatus {
    for check in self { if case .ill(let status) = check.verdict { return status } }
    return .complete
  }

  /// The checks as CSV, with a row per check.
  package var csv: CSVText {
    var text = CSVText()
    text.append(header: ["name", "verdict", "status", "found"])
    for check in self {
      text.append(plain: check.name)
      text.append(plain: check.outcome.verdict)
      text.append(integer: check.outcome.status)
      text.append(text: check.found)
      text.endRow()
    }
    return text
  }
}

extension HealthCheck {
  /// Returns the age of a time as text, such as `3 h`. `seconds` is the time in seconds since 1970. The age
  /// is `0 min` for a time after `now`.
  static func age(since seconds: Double, at now: Instant) -> String {
    let age = max(0, Double(now.milliseconds) / 1_000 - seconds)
    return switch age {
    case ..<7_200: "\(Int(age / 60)) min"
    case ..<172_800: "\(Int(age / 3_600)) h"
    default: "\(Int(age / 86_400)) days"
    }
  }
}
