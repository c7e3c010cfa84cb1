package import Files
internal import PipelineFile
package import Readers
internal import RunSchemas
internal import Text

extension IngestedExports {
  /// Checks the sources that were read against the expectations of the pipeline file and against the last
  /// complete run.
  ///
  /// - Parameter previous: The manifest of the last complete run's snapshot, if there is one.
  /// - Returns: One result for each expectation of each source that was read, then the violations of
  ///   `emptySources` and `losses`, then the results of `completeness`.
  /// - Throws: `ExportError` if the files of a source can no longer be listed.
  /// - Complexity: O(n) in the kept rows, for each expectation.
  package func expectations(previous: Manifest?) throws(ExportError) -> [CheckedExpectation] {
    let stated = readings.flatMap { read -> [CheckedExpectation] in
      // Without expectations, the rows need not be examined.
      guard read.expectations != Pipeline.Expectations(), let rows = read.rows() else { return [] }
      return ExpectationCheck(read.name, read.expectations, read.counts, rows, asOf, previous).results
    }
    return stated + emptySources() + losses(since: previous) + (try completeness())
  }

  /// The sources of the users and candidates of all lists. If one of these sources is empty, the lists that
  /// need it have no entries.
  private var neededSources: Set<String> {
    Set(pipeline.rankings.flatMap { [$0.users, $0.candidates] } + pipeline.catalogs.map(\.candidates))
  }

  /// Returns a violation for each source of users or candidates from which no row was kept. The lists that
  /// need this source would have no entries. `--accept-drop` does not suspend these violations. A source that
  /// sets `rows.at_least` or allows incomplete exports may be empty.
  func emptySources() -> [CheckedExpectation] {
    let needed = neededSources
    return readings.flatMap { read -> [CheckedExpectation] in
      guard needed.contains(read.name), read.counts.kept == 0, read.expectations.atLeast == nil,
        !read.source.allowsIncomplete
      else { return [] }
      var check = ExpectationCheck(read.name)
      if read.counts.read == 0 {
        check.addEmptiness(leftOut: read.counts.leftOut ?? 0)
      } else {
        check.addLackOfKeptRows(read.counts)
      }
      return check.results
    }
  }

  /// Returns the losses of sources since the last complete run: fewer rows than the default allows, an older
  /// newest row, or a missing line break at the end.
  ///
  /// Empty sources of users or candidates are left out, because `emptySources` or `rows.at_least` covers
  /// them. Any other empty source is left out if the pipeline file allows an empty export.
  func losses(since previous: Manifest?) -> [CheckedExpectation] {
    guard let previous else { return [] }
    let needed = neededSources
    // Without users or candidates, all interactions dangle, so the newest rows are not compared.
    let lacksEntities = readings.contains { needed.contains($0.name) && $0.counts.read == 0 }
    return readings.flatMap { read -> [CheckedExpectation] in
      guard let before = previous.counts["sources"]?[read.name],
        read.counts.read > 0 || !(needed.contains(read.name) || read.acceptsEmptiness)
      else { return [] }
      var check = ExpectationCheck(read.name)
      check.checkUsualDrop(read, before, since: previous)
      // An earlier as-of time excludes the newest rows, so their absence is not a loss.
      if !read.source.allowsIncomplete, asOf.instant >= previous.asOf {
        if !lacksEntities, read.counts.read > 0 { check.checkNewestRow(read.counts, before) }
        check.checkLastLineBreak(read.counts, before)
      }
      return check.results
    }
  }
}

/// Checks one source against its expectations.
struct ExpectationCheck {
  let source: String
  let expectations: Pipeline.Expectations
  /// `nil` if no expectation needs the rows.
  private let checkedRows: CheckedRows?
  private(set) var results: [CheckedExpectation] = []

  var rows: CheckedRows {
    guard let checkedRows else { preconditionFailure("an expectation was checked without rows") }
    return checkedRows
  }

  /// Creates a check of `source` that has no expectations.
  init(_ source: String) {
    self.source = source
    expectations = Pipeline.Expectations()
    checkedRows = nil
  }

  init(
    _ source: String, _ expectations: Pipeline.Expectations, _ counts: IngestCounts, _ rows: CheckedRows,
    _ asOf: AsOf, _ previous: Manifest?
  ) {
    self.source = source
    self.expectations = expectations
    checkedRows = rows
    // Many later rows are normal if the as-of time was given.
    checkRows(counts, usable: asOf.origin == .given ? counts.usable + counts.later : counts.usable)
    if let limit = expectations.dropAtMost { checkChange(counts.read, since: previous, limit, Self.drop) }
    if let limit = expectations.growAtMost { checkChange(counts.read, since: previous, limit, Self.growth) }
    checkNewest(counts.newest, asOf.instant)
    for names in expectations.unique { checkUnique(names) }
    for (name, range) in expectations.ranges.sorted(by: { $0.key < $1.key }) { check(name, in: range) }
    for (name, share) in expectations.missingAtMost.sorted(by: { $0.key < $1.key }) {
      checkMissing(name, atMost: share)
    }
  }

  /// Adds a result; `isMet` is `nil` if the expectation could not be checked.
  mutating func add(
    _ expectation: String, _ expected: String, found: String, isMet: Bool?, orElse advice: String
  ) {
    results.append(
      CheckedExpectation(
        source: source, expectation: expectation, expected: expected, found: found,
        outcome: isMet.map { $0 ? .met : .violated } ?? .notChecked, advice: isMet == false ? advice : nil))
  }

  static let ifIncomplete =
    "If the export is incomplete, export the data again. If it is complete, change 'expect' in the pipeline file."
  private static let ifTwice =
    "If the export contains duplicate rows, correct it. If not, change 'expect' in the pipeline file."

  /// Adds a violation because no row was read. `leftOut` is the number of rows that the conditions under
  /// `where` excluded.
  fileprivate mutating func addEmptiness(leftOut: Int) {
    add(
      CheckedExpectation.fewest, "1",
      found: "0 rows" + (leftOut > 0 ? " that meet 'where', of \(leftOut.counted("row"))" : ""), isMet: false,
      orElse: "The lists that need this source would have no entries. Correct the export"
        + (leftOut > 0 ? " or 'where' in the pipeline file" : "")
        + ". If the source may be empty, set 'expect: { rows: { at_least: 0 } }' in the pipeline file.")
  }

  /// Adds a violation because no row was kept, although rows were read.
  fileprivate mutating func addLackOfKeptRows(_ counts: IngestCounts) {
    let reasons = [
      (counts.later, "later than the as-of time"), (counts.rows(.rejected), "rejected"),
      (counts.rows(.dangling), "dangling"), (counts.erased, "erased"),
    ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
    add(
      CheckedExpectation.fewest, "1",
      found: "0 kept rows of \(counts.read.grouped) (\(reasons.joined(separator: ", ")))", isMet: false,
      orElse: "The lists that need this source would have no entries. Check the as-of time and the times in "
        + "the export. If the source may be empty, set 'expect: { rows: { at_least: 0 } }' in the pipeline "
        + "file.")
  }

  private mutating func checkRows(_ counts: IngestCounts, usable: Int) {
    let found = counts.read.counted("row")
    if let least = expectations.atLeast {
      let others = counts.read - usable
      add(
        CheckedExpectation.fewest, least.grouped,
        found: found + (others > 0 ? ", \(others.grouped) rejected or later than the as-of time" : ""),
        isMet: usable >= least, orElse: Self.ifIncomplete)
    }
    if let most = expectations.atMost {
      add("rows.at_most", most.grouped, found: found, isMet: counts.read <= most, orElse: Self.ifTwice)
    }
  }

  /// A limit on the change in the number of rows since the last complete run.
  struct ChangeLimit {
    /// The key under `expect`.
    let name: String
    /// 1 for growth, -1 for a drop.
    let sign: Double
    let advice: String
  }

  static let drop = ChangeLimit(
    name: CheckedExpectation.drop, sign: -1,
    advice:
      "If the export is incomplete, export the data again. If it is complete, pass --accept-drop once, or set a "
      + "higher limit with 'expect: { rows: { drop_at_most: ... } }' for this source in the pipeline file."
  )
  static let growth = ChangeLimit(name: "rows.grow_at_most", sign: 1, advice: ifTwice)

  /// Compares the number of rows read with the number in the last complete run.
  mutating func checkChange(
    _ read: Int, since previous: Manifest?, _ limit: Double, _ change: ChangeLimit
  ) {
    guard let last = previous?.counts["sources"]?[source]?["read"]?.integerValue, last > 0 else {
      add(
        change.name, limit.percent, found: "no earlier complete run to compare with", isMet: nil,
        orElse: change.advice)
      return
    }
    // The code compares a quotient with the limit, because limit * last can be inexact. For example,
    // 0.29 * 100 is less than 29 in floating point. A drop of exactly 29 of 100 rows would therefore exceed a
    // limit of 0.29.
    let share = change.sign * (Double(read) - Double(last)) / Double(last)
    let comparison = read < last ? "down from" : read > last ? "up from" : "and"
    add(
      change.name, limit.percent,
      found: "\(read.counted("row")), \(comparison) \(last.grouped) in the last complete run"
        + (share > 0 ? " (\(share.percent) \(change.sign < 0 ? "fewer" : "more"))" : ""),
      isMet: share <= limit, orElse: change.advice)
  }

  /// Applies the default of `rows.drop_at_most`. The pipeline file does not state this expectation, so a
  /// result is added only for a notable drop that violates the default.
  fileprivate mutating func checkUsualDrop(
    _ read: ReadingOfSource, _ before: JSONValue, since previous: Manifest
  ) {
    guard read.expectations.dropAtMost == nil, let last = before["read"]?.integerValue else { return }
    let now = read.counts.read
    guard last > now, now == 0 || Pipeline.Expectations.isNotable(last - now, of: last) else { return }
    checkChange(now, since: previous, Pipeline.Expectations.usualDrop, Self.drop)
    results.removeAll { $0.outcome != .violated }
  }

  /// Checks that the newest row is not older than the fourth user's newest row in the last complete run. See
  /// `NewestUsers`.
  fileprivate mutating func checkNewestRow(_ counts: IngestCounts, _ before: JSONValue) {
    // If more rows are erased than in the last complete run, that run's newest rows may be among the erased
    // rows.
    guard counts.erased <= before["erased"]?.integerValue ?? 0,
      let last = before["newest"]?["milliseconds_of_fourth_user"]?.integerValue,
      (counts.newest ?? .min) < Int64(last)
    else { return }
    add(
      CheckedExpectation.newest, "not before \(Instant(milliseconds: Int64(last)))",
      found: (counts.newest.map { Instant(milliseconds: $0).description } ?? "no row with a time")
        + "; in the last complete run, \(NewestUsers.count) users had newer rows",
      isMet: false, orElse: "If the export is old or truncated, export the data again. " + Self.ifNot)
  }

  /// Checks that all CSV and TSV files end with a line break, if all files did in the last complete run.
  fileprivate mutating func checkLastLineBreak(_ counts: IngestCounts, _ before: JSONValue) {
    guard before["files"]?["without_last_line_break"] == 0, let now = counts.unended, now > 0 else {
      return
    }
    add(
      CheckedExpectation.lineBreak, "in each file, as in the last complete run",
      found: "\(now.counted("file")) without one", isMet: false,
      orElse: "If the last row is truncated, export the data again. " + Self.ifNot)
  }

  private static let ifNot =
    "If not, pass --accept-drop once, or set 'incomplete: allowed' for this source in the pipeline file."

  private mutating func checkNewest(_ newest: Int64?, _ asOf: Instant) {
    guard let limit = expectations.newestAtMost else { return }
    let advice =
      "If the export is old, export the data again. If it is new, change 'expect' in the pipeline file."
    let expected = "\(durationText(limit)) before the as-of time \(asOf)"
    guard let newest else {
      add("newest_at_most", expected, found: "no row with a time", isMet: false, orElse: advice)
      return
    }
    let age = asOf.milliseconds - newest
    add(
      "newest_at_most", expected,
      found: age < 0
        ? "the newest row \(durationText(-age)) after it" : "the newest row \(durationText(age)) before it",
      isMet: age <= limit, orElse: advice)
  }

  private mutating func checkMissing(_ name: String, atMost limit: Double) {
    guard let value = rows.values(name) else {
      preconditionFailure(
        "'\(source)' does not have '\(name)', which has an expectation")
    }
    let missing = (0..<rows.count).count { value($0).isMissing }
    add(
      "missing_at_most.\(name)", limit.percent,
      found:
        "\(missing.grouped) of \(rows.count.counted("row")) without a value (\(missing.share(of: rows.count)))",
      isMet: rows.count == 0 || Double(missing) / Double(rows.count) <= limit,
      orElse: "If the export should have these values, correct it. If not, change 'expect' in the pipeline "
        + "file.")
  }
}

/// Returns the exact duration as text, such as `36 h`, `1 h 30 min` or `4 d 2 h 0.5 s`. Only durations of at
/// least 72 hours contain days.
func durationText(_ milliseconds: Int64) -> String {
  var rest = milliseconds
  var parts: [String] = []
  let units: [(String, Int64)] =
    [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)].filter { $0.0 != "d" || rest >= 3 * 86_400_000 }
  for (unit, length) in units {
    if rest / length > 0 { parts.append("\(Int(rest / length).grouped) \(unit)") }
    rest %= length
  }
  if rest > 0 || parts.isEmpty { parts.append("\((Double(rest) / 1000).short) s") }
  return parts.joined(separator: " ")
}
