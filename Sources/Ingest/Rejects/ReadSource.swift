package import PipelineFile
package import System

/// One source after reading, with the outcomes of its rows.
package struct ReadSource: Sendable {
  package var name: String
  package var source: Pipeline.Source
  package var counts: IngestCounts
  package var rejects: RejectLog

  /// The error if more than `limit` of the rows, a share from 0 to 1, are rejected; merged rows do not count. `nil` otherwise.
  func exceeded(limit: Double) -> RejectLimitExceeded? {
    let read = counts.read - counts.erased
    // Divides, because 29 of 100 is 0.29 while 0.29 * 100 is less than 29.
    guard counts.rejected > 0, Double(counts.rejected) / Double(read) > limit else { return nil }
    let rules = counts.rules.filter { $0.key != .duplicateID }.map { ($0.key.rawValue, $0.value) }
    return RejectLimitExceeded(
      source: name, file: source.label, read: read, limit: limit,
      rejected: Dictionary(uniqueKeysWithValues: rules))
  }
}

/// More rows of a source are broken than the pipeline allows.
package struct RejectLimitExceeded: ErrorWithStatus, CustomStringConvertible {
  package var source: String
  package var file: String
  package var read: Int
  package var limit: Double
  /// By name of rule.
  package var rejected: [String: Int]
  /// The path of the written rejects; `nil` if nothing is written.
  package var rejectsFile: String?

  package var exitStatus: ExitStatus { .badData }

  package var description: String {
    let total = rejected.values.reduce(0, +)
    let rules = rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    let share = (Double(total) / Double(max(read, 1)) * 10_000).rounded() / 100
    return "\(source): \(total) of \(read) rows of '\(file)' (\(share) %) were rejected, and reject_limit is "
      + "\((limit * 10_000).rounded() / 100) %: \(rules). "
      + (rejectsFile.map { "No snapshot was written. See '\($0)'; then mend" } ?? "Mend")
      + " the export, or raise reject_limit in the pipeline file."
  }
}
