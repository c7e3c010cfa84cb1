internal import Columns
internal import Ingest
internal import PipelineFile
internal import RunSchemas
package import Text

extension DataReport {
  /// The statistics of one column of the kept rows: an attribute, a time, a coordinate, a status or a value.
  /// Properties that do not apply to the type are `nil`.
  package struct Column: Codable, Hashable, Sendable {
    /// The type of a column, which determines its statistics.
    package enum ColumnKind: String, Codable, Sendable {
      case number, category, text, flag, time, tags, date, intervals
    }

    package var name: String
    package var type: ColumnKind
    package var missing: Int
    /// The share of the rows without a value, from 0 to 1; `nil` if there are no rows.
    package var missingShare: Double?
    /// The distribution of numbers, of the lengths of texts in Unicode scalars, or of the sizes of nonempty
    /// sets of tags or intervals. Missing values are left out.
    package var numbers: Numbers?
    /// The number of distinct categories, tags, texts or interaction values.
    package var distinct: Int?
    /// The most frequent categories, tags or interaction values, at most ten. Of equally frequent values, the
    /// smaller value comes first.
    package var top: [Count]?
    /// The number of rows with the flag set. `setShare` is their share of all rows, from 0 to 1.
    package var set: Int?
    package var setShare: Double?
    package var first: Instant?
    package var last: Instant?

    enum CodingKeys: String, CodingKey {
      case name, type, missing, numbers, distinct, top, first, last
      case missingShare = "missing_share"
      case set = "true"
      case setShare = "true_share"
    }

    init(_ name: String, _ type: ColumnKind, rows: Int, missing: Int = 0) {
      self.name = name
      self.type = type
      self.missing = missing
      missingShare = rows == 0 ? nil : Double(missing) / Double(rows)
    }
  }

  /// The summary of a distribution of numbers.
  package struct Numbers: Codable, Hashable, Sendable {
    package var minimum: Double
    /// The median by nearest rank, which is always one of the values.
    package var median: Double
    package var mean: Double
    package var maximum: Double

    enum CodingKeys: String, CodingKey {
      case median, mean
      case minimum = "min"
      case maximum = "max"
    }

    /// Summarizes `values`. The result is `nil` if `values` is empty.
    init?(_ values: [Double]) {
      let sorted = values.sorted()
      guard let first = sorted.first, let last = sorted.last, let middle = sorted.median else { return nil }
      (minimum, median, maximum) = (first, middle, last)
      mean = sorted.reduce(0, +) / Double(sorted.count)
    }
  }

  /// A value and its frequency.
  package struct Count: Codable, Hashable, Sendable {
    package var value: String
    package var rows: Int
  }
}

extension DataReport.Column {
  static let topCount = 10

  /// Summarizes the values of an attribute of the type `type`.
  init(_ name: String, _ type: AttributeType, _ values: [AttributeValue]) {
    switch type {
    case .number: self.init(numbers: name, values.compactMap(\.number), rows: values.count)
    case .tags: self.init(tags: name, values.map(\.tags))
    case .intervals:
      let counts = values.map(\.intervals).filter { $0 > 0 }
      self.init(name, .intervals, rows: values.count, missing: values.count - counts.count)
      numbers = DataReport.Numbers(counts.map { Double($0) })
    case .date:
      self.init(times: name, values.map(\.date))
      self.type = .date
    case .flag:
      self.init(name, .flag, rows: values.count)
      let isSet = values.count(where: \.isSet)
      set = isSet
      setShare = values.isEmpty ? nil : Double(isSet) / Double(values.count)
    case .category, .text:
      let texts = values.compactMap(\.text)
      self.init(
        name, type == .text ? .text : .category, rows: values.count, missing: values.count - texts.count)
      let counts = ValueCounts(texts)
      distinct = counts.distinct
      if type == .category {
        top = counts.top(Self.topCount)
      } else {
        numbers = DataReport.Numbers(
          texts.map { Double(String(decoding: $0, as: UTF8.self).unicodeScalars.count) })
      }
    }
  }

  private init(tags name: String, _ sets: [[[UInt8]]]) {
    let known = sets.filter { !$0.isEmpty }
    self.init(name, .tags, rows: sets.count, missing: sets.count - known.count)
    let counts = ValueCounts(known.flatMap(\.self))
    distinct = counts.distinct
    top = counts.top(Self.topCount)
    numbers = DataReport.Numbers(known.map { Double($0.count) })
  }

  /// Summarizes a column of numbers. `values` contains the known numbers, and `rows` is the number of all
  /// rows.
  init(numbers name: String, _ values: [Double], rows: Int) {
    self.init(name, .number, rows: rows, missing: rows - values.count)
    numbers = DataReport.Numbers(values)
  }

  /// Summarizes times in milliseconds since 1970 UTC. `nil` represents a missing time.
  init(times name: String, _ values: [Int64?]) {
    let times = values.compactMap(\.self)
    self.init(name, .time, rows: values.count, missing: values.count - times.count)
    first = times.min().map(Instant.init(milliseconds:))
    last = times.max().map(Instant.init(milliseconds:))
  }

  /// Summarizes the values of interactions, which are usually a few distinct numbers. A retraction (NaN)
  /// counts as missing. `names` maps each text of the export to its number, as in the pipeline file.
  init(values all: [Double], names: [String: Double]?) {
    let values = all.filter { !$0.isNaN }
    self.init(numbers: "value", values, rows: all.count)
    var counts: [Double: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    distinct = counts.count
    let top = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.topCount)
    self.top = top.map { value, rows in
      let words = (names ?? [:]).filter { $0.value == value }.map(\.key).sorted()
      let number = value.short
      return DataReport.Count(
        value: words.isEmpty ? number : "\(words.joined(separator: "/")) (\(number))", rows: rows)
    }
  }
}

extension AttributeValue {
  fileprivate var number: Double? {
    guard case .number(let number) = self, !number.isNaN else { return nil }
    return number
  }

  fileprivate var text: [UInt8]? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  fileprivate var tags: [[UInt8]] {
    guard case .tags(let tags) = self else { return [] }
    return tags
  }

  /// The number of intervals.
  fileprivate var intervals: Int {
    guard case .intervals(let intervals) = self else { return 0 }
    return intervals.count
  }

  fileprivate var date: Int64? {
    guard case .date(let date) = self else { return nil }
    return date
  }

  fileprivate var isSet: Bool {
    guard case .flag(true) = self else { return false }
    return true
  }
}

/// Counts how often each text occurs.
struct ValueCounts {
  private var table = IdentityTable()
  private var counts: [Int] = []

  init(_ texts: [[UInt8]]) {
    for text in texts {
      let number = table.insert(text.span)
      if number == counts.count { counts.append(0) }
      counts[number] += 1
    }
  }

  var distinct: Int { counts.count }

  /// Returns the `limit` most frequent texts. Of equally frequent texts, the first in byte order comes first.
  func top(_ limit: Int) -> [DataReport.Count] {
    // Texts that are too rare for the result are filtered out first, because comparing the bytes of texts is
    // slow.
    let least = counts.sorted(by: >).prefix(limit).last ?? 0
    return counts.indices.filter { counts[$0] >= least }.map { (table[$0], counts[$0]) }
      .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0.lexicographicallyPrecedes($1.0) }
      .prefix(limit)
      .map { DataReport.Count(value: String(decoding: $0.0, as: UTF8.self), rows: $0.1) }
  }
}
