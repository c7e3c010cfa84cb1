package import Files

/// Synthetic exports of FixIT as Firestore documents, one per line: customers, workers with their free slots,
/// and jobs with their reviews. Some rows are broken on purpose.
package struct FixItExport: SyntheticExport {
  /// The number of customers, including customers whose documents are rejected.
  package let customers: Int
  /// The number of rows in `jobs.jsonl`, including broken ones.
  package let jobs: Int
  package let seed: UInt64

  package var fileNames: [String] { ["customers.jsonl", "workers.jsonl", "jobs.jsonl"] }

  /// The time of the newest job in every export, 2026-11-15T21:17:42Z, in milliseconds since 1970.
  package static let newestJob = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 21, minute: 17, second: 42)
  /// The number of calendar days with jobs, including the day of the newest row.
  package static let days = 200

  /// Creates an export without writing it.
  ///
  /// - Parameters:
  ///   - customers: The number of customers, 10 to 1,000,000. The export has two workers for every five
  ///     customers.
  ///   - jobs: The number of jobs: at least 10, and at most 100 per customer.
  ///   - seed: Any number. A different seed gives different people.
  /// - Throws: `SynthesisError` if a size is out of its range.
  package init(customers: Int, jobs: Int, seed: UInt64) throws(SynthesisError) {
    try SynthesisError.check("users", customers, in: 10...1_000_000)
    try SynthesisError.check("jobs", jobs, in: 10...100 * customers, forUsers: customers)
    self.customers = customers
    self.jobs = jobs
    self.seed = seed
  }

  /// - Complexity: O(n log n) time and O(n) memory for n rows.
  package func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> FixItSummary {
    let rhythm = DailyRhythm(end: Self.newestJob, days: Int64(Self.days))
    let world = FixItWorld(customers: customers, rhythm: rhythm, seed: seed)
    var summary = FixItSummary(seed: seed, newestJob: CivilTime.text(Self.newestJob, .none))
    let tables = [
      FixItRows.customers(of: world, &summary), FixItRows.workers(of: world, &summary),
      FixItJobs.rows(jobs, in: world, &summary),
    ]
    for (name, rows) in zip(fileNames, tables) { try files.lines(name, rows) }
    summary.bytes = files.bytes
    return summary
  }
}
