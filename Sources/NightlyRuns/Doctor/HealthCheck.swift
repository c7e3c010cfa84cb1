internal import CommandLine
internal import Foundation
package import System
internal import Text

/// What was found of one thing that a night needs.
package struct HealthCheck: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case well
    /// Worth knowing; a night works all the same.
    case note
    /// A night would fail, with this status: something is out of reach (69), or set up wrongly (78).
    case ill(ExitStatus)
  }

  package var name: String
  package var verdict: Verdict
  /// What was found, and where all is not well, what to do.
  package var found: String

  init(_ name: String, _ verdict: Verdict, _ found: String) {
    (self.name, self.verdict, self.found) = (name, verdict, found)
  }

  /// `ok     disk       52 GB free; a run takes about 1.1 GB`.
  ///
  /// - Parameter isColored: Whether the first word has the colour of its meaning, as on a terminal.
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
  /// 78 where something is set up wrongly, else 69 where something is out of reach, else 0.
  package var status: ExitStatus {
    let statuses = compactMap { if case .ill(let status) = $0.verdict { status } else { nil } }
    return statuses.contains(.badPipelineFile) ? .badPipelineFile : statuses.first ?? .complete
  }
}

extension HealthCheck {
  /// As in `3 h`, of a moment in seconds since 1970.
  static func age(since seconds: Double) -> String {
    let age = max(0, Date().timeIntervalSince1970 - seconds)
    return switch age {
    case ..<7_200: "\(Int(age / 60)) min"
    case ..<172_800: "\(Int(age / 3_600)) h"
    default: "\(Int(age / 86_400)) days"
    }
  }
}
