internal import PipelineFile
internal import Readers
package import RunSchemas
package import System
internal import Text

/// The error for a source with more rejected or dangling rows than the pipeline file allows.
package struct RowLimitExceeded: ErrorWithStatus, CustomStringConvertible {
  /// The key of the pipeline file that sets the limit.
  package enum Key: String, Sendable {
    case rejectLimit = "reject_limit"
    case danglingLimit = "dangling_limit"
    case danglingRise = "dangling_rise"
  }

  package var source: String
  package var file: String
  package var key: Key
  /// The limit, from 0 to 1.
  package var limit: Double
  package var outcome: RuleOutcome
  /// The number of rows that were read, without rows of erased people.
  package var read: Int
  /// The number of rows with this outcome, by name of the rule.
  package var rules: [String: Int]
  /// The share of dangling rows in the last complete run, from 0 to 1; only for `danglingRise`.
  package var former: Double?
  /// The field whose times are plausible in another unit, and this unit; `nil` if there is none.
  package var unit: String?
  /// The field whose numbers have the digits of dates, as in `20261120`; `nil` if there is none.
  package var dates: String?
  /// The path of the rejects file; `nil` if none is written.
  package var rejectsFile: String?

  package var exitStatus: ExitStatus { .badData }

  package var description: String {
    let total = rules.values.reduce(0, +)
    let byRule = rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value.grouped) \($0.key)" }.joined(separator: ", ")
    let share = Self.percent(Double(total) / Double(max(read, 1)))
    let allowed =
      former.map {
        "up from \(Self.percent($0)) in the last complete run. \(key.rawValue) allows a rise by "
          + "\(Self.percent(limit)) of the rows, and ignores the rows of the \(RowsByAccount.exempt) accounts "
          + "with the most such rows, or of the \(RowsByAccount.exempt) most frequent unknown ids"
      } ?? "and \(key.rawValue) is \(Self.percent(limit))"
    let advice =
      switch outcome {
      case .rejected, .notAllowed: "correct the export"
      case .dangling: "export all entities to which the rows refer"
      }
    return "\(source): \(total.grouped) of \(read.counted("row")) of '\(file)' (\(share)) "
      + "\(total == 1 ? "is" : "are") \(outcome.words) (\(byRule)), \(allowed). "
      + timeHint
      + (rejectsFile.map { "No snapshot was written. See '\($0)'; then \(advice)" }
        ?? advice.prefix(1).uppercased() + advice.dropFirst())
      + (key == .danglingRise ? ", pass --accept-drop once" : "")
      + ", or raise \(key.rawValue) in the pipeline file."
  }

  /// The advice if most times of a field are numbers of another kind; otherwise empty.
  private var timeHint: String {
    if let dates {
      return "Most times in '\(dates)' are dates without separators, such as 20261120: export ISO dates, "
        + "such as 2026-11-20. "
    }
    guard let unit else { return "" }
    return "Most times are plausible if you read \(unit): set 'unit' of this field in the pipeline file. "
  }

  private static func percent(_ share: Double) -> String { "\((share * 10_000).rounded() / 100) %" }
}

extension ReadSource {
  /// Returns the error for the first limit of `pipeline` that the source exceeds; `nil` if there is none.
  /// `previous` contains the counts of the source in the last complete run; if it is `nil`, `dangling_rise`
  /// is not checked.
  func exceededLimit(in pipeline: Pipeline, previous: JSONValue?) -> RowLimitExceeded? {
    let limits = pipeline.rowLimits(of: source)
    var rejected = exceeded(.rejectLimit, .rejected, limits.rejected)
    // Ignored rows may have no time.
    let rows = counts.read - counts.erased - (counts.ignored ?? 0)
    rejected?.dates = rejects.datesInDigits(of: rows, without: counts.missingTimes)
    rejected?.unit = rejects.unitOfMost(of: rows, without: counts.missingTimes).map {
      "'\($0.field)' as \($0.unit.rawValue)"
    }
    return rejected
      ?? exceeded(.danglingLimit, .dangling, limits.dangling)
      ?? previous.flatMap(Self.danglingShare).flatMap {
        exceeded(.danglingRise, .dangling, limits.danglingRise, above: $0)
      }
  }

  private func exceeded(
    _ key: RowLimitExceeded.Key, _ outcome: RuleOutcome, _ limit: Double, above former: Double? = nil
  ) -> RowLimitExceeded? {
    // A single account must not stop the run. If no row is kept, the rows of a few accounts count too, because
    // a broken export of a small app affects only a few accounts.
    let exempt =
      outcome == .rejected && counts.kept == 0
      ? 0 : rejects.rowsOfFewAccounts(outcome, beyond: former == nil ? 1 : 0)
    guard counts.share(outcome, besides: exempt) - (former ?? 0) > limit else { return nil }
    return RowLimitExceeded(
      source: name, file: source.label, key: key, limit: limit, outcome: outcome,
      read: counts.read - counts.erased, rules: counts.byRule(outcome), former: former)
  }

  /// Returns the share of dangling rows in the counts of an earlier run; `nil` if no rows were read. All
  /// outcomes are searched, because version 0.1 counted dangling rows as rejected.
  private static func danglingShare(_ counts: JSONValue) -> Double? {
    guard let all = counts["read"]?.integerValue else { return nil }
    let read = all - (counts["erased"]?.integerValue ?? 0)
    let dangling = RuleOutcome.allCases.flatMap { $0.rows(in: counts) }
      .filter { IngestRule(rawValue: $0.key)?.outcome == .dangling }.reduce(0) { $0 + $1.value }
    return read == 0 ? nil : Double(dangling) / Double(read)
  }
}
