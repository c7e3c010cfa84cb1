/// The counts of a synthetic export of FixIT.
package struct FixItSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// The newest job but for those in the future: RFC 3339 in UTC.
  package var newestJob: String
  /// Rows of each file, broken ones included.
  package var customers = 0
  package var workers = 0
  package var jobs = 0
  /// Jobs that did not take place, and so were not reviewed.
  package var cancelled = 0
  /// Rows that break a rule, by rule.
  package var customersBreaking: [BrokenRule: Int] = [:]
  package var workersBreaking: [BrokenRule: Int] = [:]
  package var jobsBreaking: [BrokenRule: Int] = [:]
  /// Rows of the year 2099.
  package var later = 0
  package var bytes = 0

  /// Rows that ingest must reject.
  package var rejected: Int {
    customersBreaking.rejected + workersBreaking.rejected + jobsBreaking.rejected
  }
}
