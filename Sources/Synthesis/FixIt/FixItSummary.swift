/// The counts of a synthetic export of FixIT.
package struct FixItSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// The time of the newest job that is not in the future, as RFC 3339 in UTC.
  package var newestJob: String
  /// The number of rows of each file, including broken ones.
  package var customers = 0
  package var workers = 0
  package var jobs = 0
  /// The number of jobs with the status `cancelled`. They have no review.
  package var cancelled = 0
  /// The number of rows by broken rule.
  package var customersBreaking: [BrokenRule: Int] = [:]
  package var workersBreaking: [BrokenRule: Int] = [:]
  package var jobsBreaking: [BrokenRule: Int] = [:]
  /// The number of rows in the year 2099.
  package var later = 0
  package var bytes = 0

  /// The number of rows that ingest must leave out as rejected, dangling or not allowed.
  package var rejected: Int {
    customersBreaking.rejected + workersBreaking.rejected + jobsBreaking.rejected
  }
}
