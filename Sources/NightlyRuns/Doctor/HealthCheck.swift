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

  /// The check as a JSON object, in the format that `docs/reference/formats.md` describes.
  package var json: JSONValue {
    let (word, status): (String, ExitStatus) =
      switch verdict {
      case .well: ("ok", .complete)
      case .note: ("note", .complete)
      case .ill(let status): ("fails", status)
      }
    return [
      "name": .string(name), "verdict": .string(word), "status": .integer(Int(status.rawValue)),
      "found": .string(found),
    ]
  }

  /// Returns the check as a line such as `ok     lock       free`.
  ///
  /// - Parameter isColored: Whether to color the first word, for a terminal.
  /// - Returns: One line.
  package func line(isColored: Bool) -> String {
    let (word, color) =
      switch verdict {
      case .well: ("ok", 32)
      case .note: ("note", 33)
      case .ill: ("FAILS", 31)
      }
    let padded = word.padded(to: 6)
    let shown = isColored ? "\u{1B}[\(color)m\(padded)\u{1B}[0m" : padded
    return "\(shown) \(name.padded(to: 10)) \(ShownText.encoded(found))"
  }
}

extension [HealthCheck] {
  /// The status of the first failed check; `complete` if no check failed.
  package var status: ExitStatus {
    for check in self { if case .ill(let status) = check.verdict { return status } }
    return .complete
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
