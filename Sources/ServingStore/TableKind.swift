/// The kinds of a generation's tables, by the names that stores have for them.
enum TableKind: String, CaseIterable, Sendable {
  case list, matches, people, positions, buckets, directory

  /// The SQL table that holds the rows.
  var table: String {
    switch self {
    case .list: "lists"
    case .directory: "directories"
    case .matches, .people, .positions, .buckets: rawValue
    }
  }
}
