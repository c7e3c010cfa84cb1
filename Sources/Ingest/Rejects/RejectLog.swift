package import Readers
internal import RunSchemas
internal import Text

/// A row that was not kept, and its place.
package struct Reject: Hashable, Sendable {
  /// The line, element or row number.
  package var number: Int
  package var unit: PlaceUnit
  /// The field of the export; empty if the whole row is at fault.
  package var field: String
  package var rule: IngestRule
  /// The offending value, truncated.
  package var value: String
}

/// The rejects of one source. The log counts all rejects, and keeps the first rejects of each rule and file
/// as examples.
///
/// The memory of the log is bounded for every export. The log lists at most `limit` examples per rule and
/// file. In memory, it keeps up to twice as many, because it sorts and trims the examples only occasionally.
package struct RejectLog: Sendable {
  /// The maximum number of examples for each rule and file.
  static let limit = 1000
  /// The maximum number of Unicode scalars of a value in `rejects.csv`.
  package static let shownCharacters = 80

  private struct Examples: Sendable {
    var count = 0
    var kept: [Reject] = []
    /// The greatest row number, including rows that are not among the examples.
    var greatest = 0
    /// The greatest row number that can be among the examples.
    var last = Int.max

    mutating func add(_ rejected: RowRejected, number: Int, unit: PlaceUnit) {
      count += 1
      greatest = max(greatest, number)
      guard number <= last else { return }
      kept.append(
        Reject(
          number: number, unit: unit, field: rejected.field, rule: rejected.rule,
          // Scalars are counted, because one visible character can consist of any number of scalars.
          value: String(rejected.value.unicodeScalars.prefix(RejectLog.shownCharacters))))
      // The examples are sorted only occasionally, not for every row.
      if kept.count == 2 * RejectLog.limit { trim() }
    }

    /// Adds the examples of a part of the same file. The part's rows may come after the rows of these
    /// examples or among them.
    mutating func add(_ others: Examples) {
      count += others.count
      greatest = max(greatest, others.greatest)
      for reject in others.kept.sorted(by: { $0.number < $1.number }) where reject.number <= last {
        kept.append(reject)
        if kept.count == 2 * RejectLog.limit { trim() }
      }
    }

    private mutating func trim() {
      kept.sort { $0.number < $1.number }
      kept.removeLast(kept.count - RejectLog.limit)
      last = kept[kept.count - 1].number
    }
  }

  /// The display names of the source's files, in the order in which they were opened.
  package private(set) var files: [String] = []
  /// The examples, by number of the file.
  private var examples: [[IngestRule: Examples]] = []
  /// For each field with implausible times, the number of these values that are plausible in each unit.
  private var plausibleUnits: [String: [TimeUnit: Int]] = [:]
  /// For each field with implausible times, the number of these values whose digits are a plausible date.
  private var datesInDigits: [String: Int] = [:]

  /// For each unknown id, the number of dangling rows that refer to it.
  private var unknownIDs = RowsByAccount()
  /// The number of rejected and of dangling rows of each account.
  private var accounts: [RuleOutcome: RowsByAccount] = [:]

  /// Adds a file of the source, and returns its number for `add`.
  @discardableResult
  mutating func open(_ file: String) -> Int {
    files.append(file)
    examples.append([:])
    return files.count - 1
  }

  /// Counts a row, and keeps it if it is among the first that broke the rule in its file.
  ///
  /// - Parameters:
  ///   - rejected: The broken rule, the field and the value.
  ///   - file: The number of the file, as returned by `open`.
  ///   - number: The row's number in that file, from 1.
  ///   - unit: The unit of the number: line, element or row.
  mutating func add(_ rejected: RowRejected, file: Int, number: Int, unit: PlaceUnit) {
    examples[file][rejected.rule, default: Examples()].add(rejected, number: number, unit: unit)
    let outcome = rejected.rule.outcome
    if outcome == .dangling { unknownIDs.add(rejected.value) }
    if let outcome, outcome != .notAllowed, let account = rejected.account {
      accounts[outcome, default: RowsByAccount()].add(account)
    }
    for unit in rejected.plausibleUnits {
      plausibleUnits[rejected.field, default: [:]][unit, default: 0] += 1
    }
    if rejected.isDateInDigits { datesInDigits[rejected.field, default: 0] += 1 }
  }

  /// Adds the rows of a part of `file`. In `part`, this file has the number 0.
  mutating func add(_ part: RejectLog, file: Int) {
    for (rule, examples) in part.examples.first ?? [:] {
      self.examples[file][rule, default: Examples()].add(examples)
    }
    unknownIDs.add(part.unknownIDs)
    for (outcome, rows) in part.accounts { accounts[outcome, default: RowsByAccount()].add(rows) }
    plausibleUnits.merge(part.plausibleUnits) { $0.merging($1, uniquingKeysWith: +) }
    datesInDigits.merge(part.datesInDigits, uniquingKeysWith: +)
  }

  /// Finds a unit in which most times of a field are plausible.
  ///
  /// - Parameters:
  ///   - rows: The number of rows that can have a time.
  ///   - missing: For each field, the number of these rows without a time.
  /// - Returns: The first such field, by name, and the unit; `nil` if there is no such field.
  func unitOfMost(
    of rows: Int, without missing: [String: Int] = [:]
  ) -> (field: String, unit: TimeUnit)? {
    for (field, units) in plausibleUnits.sorted(by: { $0.key < $1.key }) {
      let most = units.values.max() ?? 0
      guard 2 * most > rows - (missing[field] ?? 0) else { continue }
      if let unit = TimeUnit.allCases.first(where: { units[$0] == most }) { return (field, unit) }
    }
    return nil
  }

  /// Returns the first field, by name, for which most times are numbers with the digits of dates; `nil` if
  /// there is no such field. The parameters are the same as in `unitOfMost`.
  func datesInDigits(of rows: Int, without missing: [String: Int] = [:]) -> String? {
    datesInDigits.filter { 2 * $0.value > rows - (missing[$0.key] ?? 0) }.keys.min()
  }

  /// Returns the number of rows with this outcome that a few accounts wrote, without `least` rows of each
  /// account. If more dangling rows refer to a few unknown ids, the method returns their number instead.
  func rowsOfFewAccounts(_ outcome: RuleOutcome, beyond least: Int) -> Int {
    let counts = [accounts[outcome], outcome == .dangling ? unknownIDs : nil]
    return counts.map { $0?.rows(ofMostFrequent: RowsByAccount.exempt, beyond: least) ?? 0 }.max() ?? 0
  }

  /// Returns the row number of the last rejected row in the file with the number `file`; `nil` if there is
  /// none. Dangling, disallowed and merged rows do not count.
  func lastRejected(in file: Int) -> Int? {
    examples[file].filter { $0.key.outcome == .rejected }.values.map(\.greatest).max()
  }

  /// The number of rows that broke each rule.
  var counts: [IngestRule: Int] {
    examples.reduce(into: [:]) { counts, file in
      for (rule, examples) in file { counts[rule, default: 0] += examples.count }
    }
  }

  /// The number of rows of each rule that `write` writes; empty if it writes all.
  var countsWritten: [IngestRule: Int] {
    let written = examples.reduce(into: [:] as [IngestRule: Int]) { counts, file in
      for (rule, examples) in file { counts[rule, default: 0] += min(examples.count, Self.limit) }
    }
    return written == counts ? [:] : written
  }

  /// The rows that `write` writes, ordered by file, then by number.
  package var listed: [(file: String, reject: Reject)] {
    zip(files, examples).flatMap { file, examples in
      examples.values.flatMap { $0.kept.sorted { $0.number < $1.number }.prefix(Self.limit) }
        // At most one broken rule is counted per row, so no two rejects of a file have the same number.
        .sorted { $0.number < $1.number }
        .map { (file, $0) }
    }
  }

  static let header = ["file", "unit", "number", "field", "rule", "value"]

  /// Appends the first rejects of each rule and file as CSV rows.
  func write(to text: inout CSVText) {
    for (file, reject) in listed {
      text.append(text: file)
      text.append(plain: reject.unit.rawValue)
      text.append(plain: String(reject.number))
      text.append(text: reject.field)
      text.append(plain: reject.rule.rawValue)
      text.append(text: reject.value)
      text.endRow()
    }
  }
}
