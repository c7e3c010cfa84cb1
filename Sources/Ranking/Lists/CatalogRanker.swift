internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Search
internal import Text

/// Makes one catalog: candidates grouped by their categories and by each of their tags. The groups are in the
/// order of their keys.
///
/// ```
/// rankings/<catalog>/part-00000.jsonl    one line per entry, keys in byte order
/// rankings/<catalog>.csv                 one row per entry: key, rank and candidate
/// ```
struct CatalogRanker {
  /// The candidates of one key.
  private struct Section {
    var key: [UInt8]
    /// The codes of the key's words.
    var codes: [UInt32]
    /// The rows of the candidates, best first.
    var rows: [Int]
  }

  private let catalog: Pipeline.Catalog
  private let table: EntityTable
  private let categories: [CatalogWords]
  private let shown: ShownCandidates?
  /// The sections, in byte order of their keys.
  private let sections: [Section]
  private var counts = Counts()

  /// The number of candidates in the table, and the number that each step removes. The counts are for
  /// operators, not for the app.
  private struct Counts {
    var total = 0
    /// The number of candidates that each exclusion excludes.
    var excluded: [Int] = []
    /// The number of candidates without a value, by category. A candidate counts for its first category
    /// without a value.
    var without: [Int] = []
    var beyondTop = 0
    /// The number of entries whose keys are too long.
    var withLongKey = 0
    var listed = 0
  }

  /// The maximum number of bytes of a key. An entry of a B-tree index in PostgreSQL has at most 2,704 bytes.
  /// Besides the key, the entry contains two numbers and headers. Ten words of the maximum length always fit,
  /// unless they contain `%` or `/`.
  static let mostBytesOfKey = 2_600

  init(_ catalog: Pipeline.Catalog, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    guard let table = snapshot.entities[catalog.candidates] else {
      preconditionFailure("the snapshot does not contain '\(catalog.candidates)'")
    }
    self.catalog = catalog
    self.table = table
    let categories = catalog.by.compactMap { CatalogWords($0, of: table) }
    precondition(
      categories.count == catalog.by.count, "every name in 'by' must be a category or tags of the candidates")
    self.categories = categories
    shown = ShownCandidates(catalog.shown, of: catalog.candidates, pipeline, snapshot)

    var counts = Counts(
      total: table.count, excluded: Array(repeating: 0, count: catalog.exclusions.count),
      without: Array(repeating: 0, count: categories.count))
    let flags = table.exclusionsByFlag(catalog.exclusions, asOf: snapshot.manifest.asOf)
    var rows: [[UInt32]: [Int]] = [:]
    for row in 0..<table.count {
      let words = categories.map { $0.codes(row) }
      if flags[row] >= 0 {
        counts.excluded[Int(flags[row])] += 1
      } else if let category = words.firstIndex(where: \.isEmpty) {
        counts.without[category] += 1
      } else {
        for codes in CatalogWords.combinations(words) { rows[codes, default: []].append(row) }
      }
    }
    let keys = CandidateKeys(catalog.order, of: table)
    sections = rows.compactMap { codes, rows -> Section? in
      let words = zip(categories, codes).map { Array(copying: $0.vocabulary.bytes(Int($1))) }
      let key = Self.key(words)
      // A key that a store rejects must not end the run.
      guard key.count <= Self.mostBytesOfKey else {
        counts.withLongKey += rows.count
        return nil
      }
      // Rows are in the order of ids, so the row breaks ties.
      let sorted = rows.sorted { keys.precedes(row: $0, $1) ?? ($0 < $1) }
      let listed = Array(sorted.prefix(catalog.top ?? sorted.count))
      counts.listed += listed.count
      counts.beyondTop += sorted.count - listed.count
      return Section(key: key, codes: codes, rows: listed)
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    self.counts = counts
  }

  /// Returns the key of a combination of words: the words, joined by `/`. In a word, `%` and `/` are
  /// percent-encoded.
  static func key(_ words: [[UInt8]]) -> [UInt8] {
    Array(
      words.map { word in
        word.flatMap { byte -> [UInt8] in
          switch byte {
          case UInt8(ascii: "%"): Array("%25".utf8)
          case UInt8(ascii: "/"): Array("%2F".utf8)
          default: [byte]
          }
        }
      }.joined(separator: [UInt8(ascii: "/")]))
  }

  /// The number of entries under all keys.
  var entryCount: Int { counts.listed }

  var funnel: JSONValue {
    let excluded = Dictionary(zip(catalog.exclusions.map(\.name), counts.excluded), uniquingKeysWith: +)
    let without = Dictionary(zip(catalog.by, counts.without), uniquingKeysWith: +)
    var candidates: [String: JSONValue] = [
      "total": .integer(counts.total), "excluded": JSONValue(excluded), "without": JSONValue(without),
      "beyond_top": .integer(counts.beyondTop), "listed": .integer(counts.listed),
    ]
    if counts.withLongKey > 0 { candidates["key_too_long"] = .integer(counts.withLongKey) }
    return ["keys": .integer(sections.count), "candidates": .object(candidates)]
  }

  /// Writes the JSONL file and the CSV file of the catalog.
  func write(to stage: inout StageDirectory) throws(FileError) {
    let name = catalog.name
    try stage.write(name + "/part-00000.jsonl", name + ".csv") { (json, csv) throws(FileError) in
      try csv.append(Array("key,rank,candidate_id\n".utf8))
      for section in sections {
        var (lines, rows) = (JSONText(), CSVText())
        for (index, row) in section.rows.enumerated() {
          append(row, rank: index + 1, of: section, to: &lines)
          rows.append(text: section.key.span)
          rows.append(integer: index + 1)
          rows.append(text: table.ids.bytes(row))
          rows.endRow()
        }
        try json.append(lines.bytes)
        try csv.append(rows.bytes)
      }
    }
  }

  private func append(_ row: Int, rank: Int, of section: Section, to text: inout JSONText) {
    text.append(raw: "{\"key\":")
    text.append(string: section.key.span)
    text.append(raw: ",\"by\":{")
    for (index, name) in catalog.by.enumerated() {
      if index > 0 { text.append(raw: ",") }
      text.append(string: Array(name.utf8).span)
      text.append(raw: ":")
      let vocabulary = categories[index].vocabulary
      text.append(string: vocabulary.bytes(Int(section.codes[index])))
    }
    text.append(raw: "},\"rank\":")
    text.append(integer: rank)
    text.append(raw: ",\"candidate\":")
    text.append(string: table.ids.bytes(row))
    if let shown {
      text.append(raw: ",\"shown\":")
      shown.append(row, to: &text)
    }
    text.append(raw: "}\n")
  }
}

/// One attribute in the keys of a catalog: a category, with at most one word per row, or tags, with any
/// number of words.
struct CatalogWords {
  let vocabulary: StringColumn
  private let category: CategoryColumn?
  private let tags: TagColumn?

  /// Reads the words of the attribute `name`.
  ///
  /// - Returns: The words, or `nil` if `table` has neither a category nor tags of this name.
  init?(_ name: String, of table: EntityTable) {
    category = table.categories[name]
    tags = table.tags[name]
    guard let vocabulary = category?.vocabulary ?? tags?.vocabulary else { return nil }
    self.vocabulary = vocabulary
  }

  /// Returns the codes of the words of `row`, ascending; empty if the row has no words.
  func codes(_ row: Int) -> [UInt32] {
    if let category { return category.codes[row] == CategoryColumn.missing ? [] : [category.codes[row]] }
    guard let tags else { return [] }
    return tags.range(row).map { tags.codes[$0] }
  }

  /// Returns the Cartesian product: all combinations of one code from each list.
  static func combinations(_ words: [[UInt32]]) -> [[UInt32]] {
    words.reduce([[]]) { keys, words in keys.flatMap { key in words.map { key + [$0] } } }
  }
}
