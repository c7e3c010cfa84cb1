package import Readers
internal import Text

/// A row that was not kept, and where it stood.
package struct Reject: Hashable, Sendable {
  /// The line, element or row.
  package var number: Int
  package var unit: PlaceUnit
  /// The field of the export; empty where the whole row is at fault.
  package var field: String
  package var rule: IngestRule
  /// The offending value, cut.
  package var value: String
}

/// The rejects of one source: all are counted, and of each rule and file the first ones are kept as examples.
///
/// A hostile or broken export of any size so takes memory for `limit` examples per rule and file at most (twice as
/// many while a file is read whose rows are told out of order, as merged rows are).
package struct RejectLog: Sendable {
  /// So many rows are told of each rule and file.
  static let limit = 1000
  /// `rejects.csv` shows so many characters of a value.
  package static let shownCharacters = 80

  private struct Examples: Sendable {
    var count = 0
    var kept: [Reject] = []
    /// No row behind this one is among the first any more.
    var last = Int.max

    mutating func add(_ rejected: RowRejected, number: Int, unit: PlaceUnit) {
      count += 1
      guard number <= last else { return }
      kept.append(
        Reject(
          number: number, unit: unit, field: rejected.field, rule: rejected.rule,
          // Scalars: what a person sees as one character may have any number of them.
          value: String(rejected.value.unicodeScalars.prefix(RejectLog.shownCharacters))))
      // Sorted once in a while, not for every row.
      if kept.count == 2 * RejectLog.limit { trim() }
    }

    /// Adds rows that come behind these or, where they are told out of order, among them.
    mutating func add(_ others: Examples) {
      count += others.count
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

  /// The files of the source as people are shown them, in the order in which they were opened.
  package private(set) var files: [String] = []
  /// By number of the file.
  private var examples: [[IngestRule: Examples]] = []

  /// Tells that rows of `file` follow; returns its number, by which `add` knows it.
  @discardableResult
  mutating func open(_ file: String) -> Int {
    files.append(file)
    examples.append([:])
    return files.count - 1
  }

  /// Counts a row, and keeps it if it is among the first that broke the rule in its file.
  ///
  /// - Parameters:
  ///   - rejected: The rule that it broke.
  ///   - file: The number of a file that was opened, the last one or an earlier one.
  ///   - number: The row's number in that file, from 1.
  ///   - unit: What the number counts.
  mutating func add(_ rejected: RowRejected, file: Int, number: Int, unit: PlaceUnit) {
    examples[file][rejected.rule, default: Examples()].add(rejected, number: number, unit: unit)
  }

  /// Adds the rows of a part of `file`, which `part` knows as its file 0.
  mutating func add(_ part: RejectLog, file: Int) {
    for (rule, examples) in part.examples.first ?? [:] {
      self.examples[file][rule, default: Examples()].add(examples)
    }
  }

  /// How many rows broke each rule.
  var counts: [IngestRule: Int] {
    examples.reduce(into: [:]) { counts, file in
      for (rule, examples) in file { counts[rule, default: 0] += examples.count }
    }
  }

  /// How many rows of each rule `write` tells, if those are not all; empty otherwise.
  var countsWritten: [IngestRule: Int] {
    let written = examples.reduce(into: [:] as [IngestRule: Int]) { counts, file in
      for (rule, examples) in file { counts[rule, default: 0] += min(examples.count, Self.limit) }
    }
    return written == counts ? [:] : written
  }

  /// The rows that `write` tells: by file in their order, then by number.
  package var told: [(file: String, reject: Reject)] {
    zip(files, examples).flatMap { file, examples in
      examples.values.flatMap { $0.kept.sorted { $0.number < $1.number }.prefix(Self.limit) }
        // Two rules never break at one row.
        .sorted { $0.number < $1.number }
        .map { (file, $0) }
    }
  }

  static let header = ["file", "unit", "number", "field", "rule", "value"]

  /// Appends the rows that are told.
  func write(to text: inout CSVText) {
    for (file, reject) in told {
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
