internal import RunSchemas
internal import Text

/// The counts of the rows of one source, by outcome.
struct ReportedSource: Sendable {
  let name: String
  private let counts: JSONValue

  init(name: String, counts: JSONValue) { (self.name, self.counts) = (name, counts) }

  subscript(outcome: String) -> Int { counts[outcome]?.integerValue ?? 0 }

  var read: Int { self["read"] }
  var kept: Int { self["kept"] }
  var rejected: Int { rows(.rejected) }

  /// Returns the number of rows that rules with this outcome removed.
  func rows(_ outcome: RuleOutcome) -> Int { rules(outcome).reduce(0) { $0 + $1.rows } }

  /// Returns the share of the read rows with this outcome, from 0 to 1; 0 without rows.
  func share(_ outcome: RuleOutcome) -> Double { read == 0 ? 0 : Double(rows(outcome)) / Double(read) }

  /// Returns the rules with this outcome and their numbers of rows, most rows first.
  func rules(_ outcome: RuleOutcome) -> [(rule: String, rows: Int)] {
    outcome.rows(in: counts).map { (rule: $0.key, rows: $0.value) }
      .sorted { ($1.rows, $0.rule) < ($0.rows, $1.rule) }
  }

  /// The outcomes except `read` and `kept` that have at least one row.
  var others: [(outcome: String, rows: Int)] {
    counts.members.compactMap { outcome, count in
      guard let rows = count.integerValue, rows > 0, !["read", "kept"].contains(outcome) else { return nil }
      return (outcome, rows)
    }.sorted { $0.outcome < $1.outcome }
  }

  /// The time of the newest row that is not later than the as-of time; `nil` if the rows have no times, or if
  /// the version of Nightjar that made the run did not record this time.
  var newest: Instant? {
    counts["newest"]?["milliseconds"]?.integerValue.map { Instant(milliseconds: Int64($0)) }
  }

  /// The fields that the pipeline file names but no record has.
  var absentFields: [String] { (counts["absent_fields"]?.elements ?? []).compactMap(\.stringValue) }
}
