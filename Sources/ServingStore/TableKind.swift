/// The kinds of a generation's tables, by the names that stores have for them.
enum TableKind: String, Sendable {
  case list, matches, people

  /// The SQL table that holds the rows.
  var table: String {
    self == .list ? "lists" : rawValue
  }
}
