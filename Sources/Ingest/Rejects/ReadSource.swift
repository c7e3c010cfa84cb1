package import PipelineFile
package import System

/// One source after reading, with the outcome of each row.
package struct ReadSource: Sendable {
  package var name: String
  package var source: Pipeline.Source
  package var counts: IngestCounts
  package var rejects: RejectLog

  /// The error if the share of rejected rows exceeds `limit`, from 0 to 1; otherwise `nil`. Merged rows are
  /// not rejected.
  func exceeded(limit: Double) -> RejectLimitExceeded? {
    let read = counts.read - counts.erased
    // Divides, because 29 / 100 equals 0.29, but 0.29 * 100 is less than 29 in floating point.
    guard counts.rejected > 0, Double(counts.rejected) / Double(read) > limit else { return nil }
    let rules = counts.rules.filter { $0.key != .duplicateID }.map { ($0.key.rawValue, $0.value) }
    return RejectLimitExceeded(
      source: name, file: source.label, read: read, limit: limit,
      rejected: Dictionary(uniqueKeysWithValues: rules))
  }
}

/// The share of rejected rows of a source exceeds the pipeline's limit.
package struct RejectLimitExceeded: ErrorWithStatus, CustomStringConvertible {
  package var source: String
  package var file: String
  package var read: Int
  package var limit: Double
  /// The number of rows by name of the rule.
  package var rejected: [String: Int]
  /// The path of the rejects file; `nil` if none is written.
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
