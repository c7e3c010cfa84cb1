internal import Concurrency
package import Files

/// Synthetic exports of FixIT: customers, workers with their free slots, and jobs with their reviews, as Firestore documents,
/// one per line, with a little dirt.
///
/// Everything in them is invented. The same seed and sizes give the same bytes, with the reservation that
/// `FusionExport` makes.
package struct FixItExport: Sendable {
  /// Different customers, those of rejected documents included.
  package let customers: Int
  /// Rows in `jobs.jsonl`, bad ones included.
  package let jobs: Int
  package let seed: UInt64

  package static let customersFile = "customers.jsonl"
  package static let workersFile = "workers.jsonl"
  package static let jobsFile = "jobs.jsonl"
  package static let files = [customersFile, workersFile, jobsFile]

  /// The newest job of every export, 2026-11-15T21:17:42Z, in milliseconds since 1970: fixed, as that of Fusion is.
  package static let newestJob = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 21, minute: 17, second: 42)
  /// Calendar days with jobs, that of the newest included.
  package static let days = 200

  /// An export that is still to be written.
  ///
  /// - Parameters:
  ///   - customers: 10 to 1 000 000; there are two workers for five of them.
  ///   - jobs: From 10 to 100 times the customers.
  ///   - seed: Any number; another one gives other people.
  /// - Throws: `SynthesisError`.
  package init(customers: Int, jobs: Int, seed: UInt64) throws(SynthesisError) {
    guard (10...1_000_000).contains(customers) else {
      throw SynthesisError(argument: "users", reason: "must be 10 to 1000000, not \(customers)")
    }
    guard (10...100 * customers).contains(jobs) else {
      throw SynthesisError(
        argument: "jobs", reason: "must be 10 to \(100 * customers) for \(customers) users, not \(jobs)")
    }
    self.customers = customers
    self.jobs = jobs
    self.seed = seed
  }

  /// Writes the three files and returns what they hold.
  ///
  /// The directory, and what is missing above it, is made. Files of these names are replaced, after all are complete.
  ///
  /// - Complexity: O(n log n) in the rows, with memory for all of them.
  /// - Throws: `FileError`; no file was replaced then.
  package func write(into directory: String) throws(FileError) -> FixItSummary {
    try ReplacedFiles.write(Self.files, into: directory) { (paths) throws(FileError) in
      let rhythm = DailyRhythm(end: Self.newestJob, days: Int64(Self.days))
      let world = FixItWorld(customers: customers, rhythm: rhythm, seed: seed)
      var summary = FixItSummary(seed: seed, newestJob: CivilTime.text(Self.newestJob, .none))
      let lines = [
        FixItRows.customers(of: world, &summary), FixItRows.workers(of: world, &summary),
        FixItJobs.rows(jobs, in: world, &summary),
      ]
      for (path, (name, rows)) in zip(paths, zip(Self.files, lines)) {
        var file = try FileWriter(creating: path)
        for row in rows { try file.append(row + "\n") }
        summary.bytes += try file.finish(as: name).bytes
      }
      return summary
    }
  }
}
