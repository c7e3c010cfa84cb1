internal import Text

/// The counts of the rows of one source, by outcome.
struct ReportedSource: Sendable {
  let name: String
  private let counts: JSONValue

  init(name: String, counts: JSONValue) { (self.name, self.counts) = (name, counts) }

  subscript(outcome: String) -> Int { counts[outcome]?.integerValue ?? 0 }

  var read: Int { self["read"] }
  var kept: Int { self["kept"] }
  var rejected: Int { rules.reduce(0) { $0 + $1.rows } }

  /// The reject rules with their numbers of rows, most rows first.
  var rules: [(rule: String, rows: Int)] {
    (counts["rejected"]?.members ?? [:]).map { ($0.key, $0.value.integerValue ?? 0) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// The other outcomes with at least one row.
  var others: [(outcome: String, rows: Int)] {
    counts.members.compactMap { outcome, count in
      guard let rows = count.integerValue, rows > 0, !["read", "kept"].contains(outcome) else { return nil }
      return (outcome, rows)
    }.sorted { $0.outcome < $1.outcome }
  }

  /// The fields in the pipeline file that no record has.
  var absentFields: [String] { (counts["absent_fields"]?.elements ?? []).compactMap(\.stringValue) }
}
