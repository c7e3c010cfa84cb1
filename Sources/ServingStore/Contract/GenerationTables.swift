/// The number of rows of a table, with the name of the table.
package struct NamedCount: Codable, Hashable, Sendable {
  package var name: String
  package var rows: Int

  package init(name: String, rows: Int) {
    self.name = name
    self.rows = rows
  }
}

/// The tables of a generation by kind. The tables of a kind are in byte order of their names.
package struct GenerationTables: Hashable, Sendable {
  /// The counts by kind. The dictionary contains every kind.
  private var counts = Dictionary(
    uniqueKeysWithValues: TableKind.allCases.map { ($0, [] as [NamedCount]) })

  package init() {}

  /// The tables of a kind, with their numbers of rows.
  package subscript(kind: TableKind) -> [NamedCount] {
    get { counts[kind] ?? [] }
    set { counts[kind] = newValue }
  }

  /// Returns the number of rows in a table; 0 for an unknown table.
  func rows(_ kind: TableKind, _ name: String) -> Int {
    self[kind].first { $0.name.utf8.elementsEqual(name.utf8) }?.rows ?? 0
  }

  /// The number of documents by list.
  package var lists: [NamedCount] {
    get { self[.list] }
    set { self[.list] = newValue }
  }
  /// The number of rows by table of matches.
  package var matches: [NamedCount] {
    get { self[.matches] }
    set { self[.matches] = newValue }
  }
  /// The number of people by entity; empty if no attributes were published.
  package var people: [NamedCount] {
    get { self[.people] }
    set { self[.people] = newValue }
  }
  /// The number of positions by entity.
  package var positions: [NamedCount] {
    get { self[.positions] }
    set { self[.positions] = newValue }
  }
  /// The number of nonempty cells by entity.
  package var buckets: [NamedCount] {
    get { self[.buckets] }
    set { self[.buckets] = newValue }
  }
  /// The number of entries by catalog, over all keys.
  package var catalogs: [NamedCount] {
    get { self[.catalog] }
    set { self[.catalog] = newValue }
  }

  /// The tables that the rank stage writes.
  package var rankings: [NamedCount] { lists + matches + catalogs }

  /// The number of rows in all tables.
  package var rows: Int {
    counts.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.rows } }
  }
}

extension GenerationTables: Codable {
  /// A coding key for a kind: the name of its table.
  private struct KindKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes the tables. Also accepts the form of earlier versions, in which some kinds are missing and
  /// catalogs are called "directories".
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: KindKey.self)
    for kind in TableKind.allCases {
      let names = [kind.table] + (kind == .catalog ? [TableKind.earlierCatalog.table] : [])
      for name in names {
        let found = try container.decodeIfPresent([NamedCount].self, forKey: KindKey(stringValue: name))
        if let found {
          self[kind] = found
          break
        }
      }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: KindKey.self)
    for kind in TableKind.allCases {
      try container.encode(self[kind], forKey: KindKey(stringValue: kind.table))
    }
  }
}
