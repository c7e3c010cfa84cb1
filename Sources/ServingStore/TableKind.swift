/// The kinds of a generation's tables, by the names that stores have for them.
enum TableKind: String, CaseIterable, Sendable {
  case list, matches, people, positions, buckets, catalog

  /// The SQL table that holds the rows.
  var table: String {
    switch self {
    case .list: "lists"
    case .catalog: "catalogs"
    case .matches, .people, .positions, .buckets: rawValue
    }
  }

  /// What programs called a catalog when a list by key was a directory: in `contents` of stores of SQL, in keys of Redis, and,
  /// in the plural, as the name of the table.
  static let earlierCatalog = (word: "directory", table: "directories")

  /// The kind that a store calls `word`; `nil` where this program knows none.
  init?(storedAs word: String) {
    self.init(rawValue: word == Self.earlierCatalog.word ? Self.catalog.rawValue : word)
  }
}
