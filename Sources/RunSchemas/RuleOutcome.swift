package import Text

/// How a row that breaks a rule of ingest is counted. The raw values are the names in manifests.
package enum RuleOutcome: String, CaseIterable, Hashable, Sendable {
  /// The row is broken: it cannot be read, or it breaks a declared rule of values.
  case rejected
  /// The row refers to an entity that is not kept, for example after an account was deleted.
  case dangling
  /// The row is valid, but its user is not allowed to do this, such as to like oneself or to make a request
  /// below the minimum age.
  case notAllowed = "not_allowed"

  /// The outcome in messages.
  package var words: String {
    switch self {
    case .rejected: "rejected"
    case .dangling: "dangling"
    case .notAllowed: "not allowed"
    }
  }

  /// The number of rows by rule, given the counts of a source in the manifest of a snapshot.
  package func rows(in counts: JSONValue) -> [String: Int] {
    (counts[rawValue]?.members ?? [:]).compactMapValues(\.integerValue)
  }
}
