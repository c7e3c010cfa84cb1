/// The tables of a generation by kind, each kind in byte order of the names.
package struct GenerationTables: Codable, Hashable, Sendable {
  /// Documents per list.
  package var lists: [NamedCount] = []
  /// Matches per name.
  package var matches: [NamedCount] = []
  /// People per entity; empty if none were published, as with the next ones.
  package var people: [NamedCount] = []
  /// Positions per entity.
  package var positions: [NamedCount] = []
  /// Cells per entity that are not empty.
  package var buckets: [NamedCount] = []
  /// Entries per catalog, of all keys.
  package var catalogs: [NamedCount] = []

  /// Those that the rank stage makes.
  package var rankings: [NamedCount] { lists + matches + catalogs }

  /// What catalogs were called.
  private enum EarlierKeys: String, CodingKey {
    case directories
  }

  package init() {}

  /// Written by programs that knew fewer kinds, or called catalogs directories, too.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    lists = try container.decodeIfPresent([NamedCount].self, forKey: .lists) ?? []
    matches = try container.decodeIfPresent([NamedCount].self, forKey: .matches) ?? []
    people = try container.decodeIfPresent([NamedCount].self, forKey: .people) ?? []
    positions = try container.decodeIfPresent([NamedCount].self, forKey: .positions) ?? []
    buckets = try container.decodeIfPresent([NamedCount].self, forKey: .buckets) ?? []
    let earlier = try decoder.container(keyedBy: EarlierKeys.self)
    catalogs =
      try container.decodeIfPresent([NamedCount].self, forKey: .catalogs)
      ?? earlier.decodeIfPresent([NamedCount].self, forKey: .directories) ?? []
  }

  /// Of all tables.
  package var rows: Int {
    TableKind.allCases.reduce(0) { $0 + self[$1].reduce(0) { $0 + $1.rows } }
  }

  subscript(kind: TableKind) -> [NamedCount] {
    get {
      switch kind {
      case .list: lists
      case .matches: matches
      case .people: people
      case .positions: positions
      case .buckets: buckets
      case .catalog: catalogs
      }
    }
    set {
      switch kind {
      case .list: lists = newValue
      case .matches: matches = newValue
      case .people: people = newValue
      case .positions: positions = newValue
      case .buckets: buckets = newValue
      case .catalog: catalogs = newValue
      }
    }
  }
}
