package import System
internal import Text

/// One expectation of the pipeline file and its result.
package struct CheckedExpectation: Codable, Hashable, Sendable {
  package enum Outcome: String, Codable, Sendable {
    case met, violated
    /// No earlier value is available for a comparison.
    case notChecked = "not_checked"
  }

  /// The name of the source.
  package var source: String
  /// The key under `expect`, such as `rows.at_least` or `range.age`, or the name of a check without a key.
  package var expectation: String
  package var expected: String
  package var found: String
  package var outcome: Outcome
  /// The advice to the user if the expectation is violated; `nil` otherwise.
  package var advice: String?

  /// The key of the limit on the loss of rows.
  static let drop = "rows.drop_at_most"
  /// The key of the minimum number of rows.
  static let fewest = "rows.at_least"
  /// The name of the check that the source is not older than in the last complete run: its newest row must
  /// not be older than the fourth user's newest row of that run. See `NewestUsers`.
  static let newest = "newest_row"
  /// The name of the check that delimited files still end with a line break.
  static let lineBreak = "last_line_break"

  /// Whether `--accept-drop` suspends the expectation for one run.
  var isDrop: Bool { [Self.drop, Self.newest, Self.lineBreak].contains(expectation) }
}

extension CheckedExpectation: CustomStringConvertible {
  /// The expected value, the finding and the advice, human-readable and without ids or positions.
  package var description: String {
    "\(source): expected \(expectation) \(expected), found \(found)." + (advice.map { " " + $0 } ?? "")
  }
}

/// The error for exports that violate expectations of the pipeline file.
package struct ExpectationsViolated: ErrorWithStatus, CustomStringConvertible {
  package var violations: [CheckedExpectation]
  /// The path of the rejects file; `nil` if no rejects were written.
  package var rejectsFile: String?

  package var exitStatus: ExitStatus { .badData }

  package var description: String {
    "the exports violate \(violations.count.counted("expectation")); no snapshot was written"
      + (rejectsFile.map { ", and the rejects are in '\($0)'" } ?? "") + ":"
      + violations.map { "\n  " + ShownText.encoded($0.description) }.joined()
  }
}
