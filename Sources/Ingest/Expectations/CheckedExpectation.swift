package import System
internal import Text

/// One expectation of the pipeline file, and what was found.
package struct CheckedExpectation: Codable, Hashable, Sendable {
  package enum Outcome: String, Codable, Sendable {
    case met, violated
    /// There was nothing to compare with.
    case notChecked = "not_checked"
  }

  /// The name of the entity or kind of interaction.
  package var source: String
  /// The key under `expect`, as in `rows.at_least` or `range.age`.
  package var expectation: String
  package var expected: String
  package var found: String
  package var outcome: Outcome
  /// What to do where it is violated; `nil` otherwise.
  package var advice: String?
}

extension CheckedExpectation: CustomStringConvertible {
  /// What is expected and what was found, for people; without ids and positions.
  package var description: String {
    "\(source): expected \(expectation) \(expected), found \(found)." + (advice.map { " " + $0 } ?? "")
  }
}

/// An export is not what the pipeline file expects of it.
package struct ExpectationsViolated: ErrorWithStatus, CustomStringConvertible {
  package var violations: [CheckedExpectation]
  /// Where the rejects were written.
  package var rejectsFile: String

  package var exitStatus: ExitStatus { .badData }

  package var description: String {
    "\(violations.count.counted("expectation")) violated; no snapshot was written, and the rejects are in "
      + "'\(rejectsFile)':" + violations.map { "\n  " + ShownText.encoded($0.description) }.joined()
  }
}
