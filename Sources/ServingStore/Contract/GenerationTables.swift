/// The number of rows under a name.
package struct NamedCount: Codable, Hashable, Sendable {
  package var name: String
  package var rows: Int

  package init(name: String, rows: Int) {
    self.name = name
    self.rows = rows
  }
}

/// The tables of a generation by kind, each kind in byte order of the names.
package struct GenerationTables: Hashable, Sendable {
  /// Has every kind.
  private var counts = Dictionary(
    uniqueKeysWithValues: TableKind.allCases.map { ($0, [] as [NamedCount]) })

  package init() {}

  /// The tables of a kind, with their rows.
  package subscript(kind: TableKind) -> [NamedCount] {
    get { counts[kind] ?? [] }
    set { counts[kind] = newValue }
  }

  /// Documents per list.
  package var lists: [NamedCount] {
    get { self[.list] }
    set { self[.list] = newValue }
  }
  /// Matches per name.
  package var matches: [NamedCount] {
    get { self[.matches] }
    set { self[.matches] = newValue }
  }
  /// People per entity; empty if none were published, as with the next ones.
  package var people: [NamedCount] {
    get { self[.people] }
    set { self[.people] = newValue }
  }
  /// Positions per entity.
  package var positions: [NamedCount] {
    get { self[.positions] }
    set { self[.positions] = newValue }
  }
  /// Cells per entity that are not empty.
  package var buckets: [NamedCount] {
    get { self[.buckets] }
    set { self[.buckets] = newValue }
  }
  /// Entries per catalog, of all keys.
  package var catalogs: [NamedCount] {
    get { self[.catalog] }
    set { self[.catalog] = newValue }
  }

  /// The tables that the rank stage makes.
  package var rankings: [NamedCount] { lists + matches + catalogs }

  /// Of all tables.
  package var rows: Int {
    counts.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.rows } }
  }
}

extension GenerationTables: Codable {
  /// A kind, by the name of its table.
  private struct KindKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Written by programs that knew fewer kinds, or called catalogs directories, too.
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
