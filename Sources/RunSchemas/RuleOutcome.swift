package import Text

/// The outcome of a row that breaks a rule of ingest. The raw values are the names in manifests.
package enum RuleOutcome: String, CaseIterable, Hashable, Sendable {
  /// The row is broken: it cannot be read, or a value breaks a rule of the pipeline file.
  case rejected
  /// The row refers to an id that is not kept, for example after an account was deleted.
  case dangling
  /// The row is valid, but records an action that is not allowed. Examples are a user who likes themselves and
  /// a request by a user below the minimum age.
  case notAllowed = "not_allowed"

  /// The name of the outcome in messages.
  package var words: String {
    switch self {
    case .rejected: "rejected"
    case .dangling: "dangling"
    case .notAllowed: "not allowed"
    }
  }

  /// Returns the number of rows with this outcome, by rule. `counts` are the counts of one source in the
  /// manifest of a snapshot.
  package func rows(in counts: JSONValue) -> [String: Int] {
    (counts[rawValue]?.members ?? [:]).compactMapValues(\.integerValue)
  }
}
