internal import CommandLine
internal import Foundation
package import System
internal import Text

/// The result of checking one requirement of a night.
package struct HealthCheck: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case well
    /// Worth reporting, but a night would succeed.
    case note
    /// A night would fail with this status: something is unreachable (69) or misconfigured (78).
    case ill(ExitStatus)
  }

  package var name: String
  package var verdict: Verdict
  /// What was found and, unless all is well, what to do.
  package var found: String

  init(_ name: String, _ verdict: Verdict, _ found: String) {
    (self.name, self.verdict, self.found) = (name, verdict, found)
  }

  /// The check as a line: `ok     disk       52 GB free; a run takes about 1.1 GB`.
  ///
  /// - Parameter isColored: Whether to color the first word, as on a terminal.
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
  /// 78 if something is misconfigured, otherwise 69 if something is unreachable, otherwise 0.
  package var status: ExitStatus {
    let statuses = compactMap { if case .ill(let status) = $0.verdict { status } else { nil } }
    return statuses.contains(.badPipelineFile) ? .badPipelineFile : statuses.first ?? .complete
  }
}

extension HealthCheck {
  /// The age of a time in seconds since 1970 as text, such as `3 h`.
  static func age(since seconds: Double) -> String {
    let age = max(0, Date().timeIntervalSince1970 - seconds)
    return switch age {
    case ..<7_200: "\(Int(age / 60)) min"
    case ..<172_800: "\(Int(age / 3_600)) h"
    default: "\(Int(age / 86_400)) days"
    }
  }
}
