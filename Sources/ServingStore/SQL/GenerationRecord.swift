/// The record of a generation in a SQL store, without its rows.
struct GenerationRecord: Sendable {
  /// A table of the generation: a list, a catalog, or a table of matches, people, positions or buckets.
  struct Content: Sendable {
    var id: Int64
    var kind: TableKind
    var count: NamedCount
    /// The SQL table with the rows. In a store of an earlier version, the table of catalogs has an earlier
    /// name.
    var table: String

    /// Creates the content whose kind has the name `word` in the store; `nil` if this version does not
    /// support the kind.
    init?(id: Int64, word: String, count: NamedCount) {
      guard let kind = TableKind(storedAs: word) else { return nil }
      (self.id, self.kind, self.count) = (id, kind, count)
      table = word == TableKind.earlierCatalog.word ? TableKind.earlierCatalog.table : kind.table
    }
  }

  /// The text of the error for a record that cannot be read.
  static let damagedRecord = "a generation's record is not in Nightjar's format"

  var number: Int
  var run: Int
  var asOf: Int64
  var isServed: Bool
  var note: GenerationNote
  /// The tables of all kinds; within a kind, in byte order of the names.
  var contents: [Content] = []

  /// The tables with their numbers of rows, in byte order of the names.
  var tables: GenerationTables {
    var tables = GenerationTables()
    for content in contents { tables[content.kind].append(content.count) }
    return tables
  }

  /// Returns the tables with the numbers of rows that `count` returns.
  func tables(counting count: (Content) throws -> Int) rethrows -> GenerationTables {
    var tables = GenerationTables()
    for content in contents {
      tables[content.kind].append(NamedCount(name: content.count.name, rows: try count(content)))
    }
    return tables
  }

  /// Returns the table with a kind and a name; `nil` if there is none. Names are compared byte for byte.
  func content(_ kind: TableKind, _ name: String) -> Content? {
    contents.first { $0.kind == kind && $0.count.name.utf8.elementsEqual(name.utf8) }
  }

  var summary: GenerationSummary {
    GenerationSummary(number: number, run: run, asOf: asOf, isServed: isServed, note: note, tables: tables)
  }

  /// Returns the result of a publication. `records` are the records of the store after the publication,
  /// newest first.
  ///
  /// - Throws: `refused` if generation `number` is not the newest, or is not served.
  static func published(_ records: [GenerationRecord], number: Int, _ address: StoreAddress) throws
    -> PublishedGeneration
  {
    guard let record = records.first, record.number == number, record.isServed else {
      throw ServingStoreError.refusal(
        address, "generation \(number) is not the newest generation, or is not served")
    }
    return PublishedGeneration(number: number, kept: records.count, tables: record.tables)
  }
}
