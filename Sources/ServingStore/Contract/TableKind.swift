/// The kinds of a generation's tables, by the names that stores have for them.
///
/// A new kind is a case here, its table in the schemas of SQL, and what erasing people means for it.
package enum TableKind: String, CaseIterable, Sendable {
  case list, matches, people, positions, buckets, catalog

  /// What a row consists of: see `TableRow`.
  enum RowShape: Sendable {
    case document, match, position, entry
  }

  /// How stores of SQL hold the rows of a kind.
  struct SQLLayout: Sendable {
    var table: String
    var shape: RowShape
    /// The columns behind `content_id`, in the order of the parts of `TableRow`.
    var columns: [String]
  }

  var layout: SQLLayout {
    switch self {
    case .list: SQLLayout(table: "lists", shape: .document, columns: ["user_id", "document"])
    case .matches:
      SQLLayout(table: "matches", shape: .match, columns: ["user_id", "other_user_id", "matched_at"])
    case .people: SQLLayout(table: "people", shape: .document, columns: ["id", "attributes"])
    case .positions:
      SQLLayout(table: "positions", shape: .position, columns: ["id", "geohash", "latitude", "longitude"])
    case .buckets: SQLLayout(table: "buckets", shape: .document, columns: ["cell", "bucket"])
    case .catalog: SQLLayout(table: "catalogs", shape: .entry, columns: ["key", "entry", "rank"])
    }
  }

  /// The SQL table that holds the rows, which also names the kind where several of its tables are counted.
  package var table: String { layout.table }

  /// What a row's JSON is called in messages.
  var document: String {
    switch self {
    case .people: "a person's attributes"
    case .buckets: "a bucket"
    case .catalog: "an entry"
    case .list, .matches, .positions: "a document"
    }
  }

  /// What the table under a name is called while it is loaded.
  func progressName(_ name: String) -> String {
    switch self {
    case .positions: "positions of \(name)"
    case .buckets: "cells of \(name)"
    case .list, .matches, .people, .catalog: name
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
