/// What a store of SQL knows about a generation without looking at its rows.
struct GenerationRecord: Sendable {
  /// A list, a matches table or a table of people.
  struct Content: Sendable {
    var id: Int64
    var kind: TableKind
    var count: NamedCount
    /// The SQL table that holds the rows: in a store of an earlier program, one of its name.
    var table: String

    /// The content whose kind the store calls `word`; `nil` for a kind that this program does not know.
    init?(id: Int64, word: String, count: NamedCount) {
      guard let kind = TableKind(storedAs: word) else { return nil }
      (self.id, self.kind, self.count) = (id, kind, count)
      table = word == TableKind.earlierCatalog.word ? TableKind.earlierCatalog.table : kind.table
    }
  }

  var number: Int
  var run: Int
  var asOf: Int64
  var isServed: Bool
  var note: GenerationNote
  /// In byte order of the names within each kind.
  var contents: [Content] = []

  /// The tables with their rows, in byte order of the names.
  var tables: GenerationTables {
    var tables = GenerationTables()
    for content in contents { tables[content.kind].append(content.count) }
    return tables
  }

  /// The table under a name, or nil. Names are compared as bytes, as stores do.
  func content(_ kind: TableKind, _ name: String) -> Content? {
    contents.first { $0.kind == kind && $0.count.name.utf8.elementsEqual(name.utf8) }
  }

  var summary: GenerationSummary {
    GenerationSummary(number: number, run: run, asOf: asOf, isServed: isServed, note: note, tables: tables)
  }

  /// What a publish reports about the newest of `records`.
  static func published(_ records: [GenerationRecord], number: Int, _ address: StoreAddress) throws
    -> PublishedGeneration
  {
    guard let record = records.first, record.number == number, record.isServed else {
      throw ServingStoreError.refusal(address, "generation \(number) is not the newest complete one")
    }
    return PublishedGeneration(number: number, kept: records.count, tables: record.tables)
  }
}
