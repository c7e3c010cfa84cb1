/// The kind of a generation's table. The raw value of a kind is its name in stores.
///
/// A new kind needs a case here, a table in the SQL schemas, and a rule for the erasure of people.
package enum TableKind: String, CaseIterable, Sendable {
  case list, matches, people, positions, buckets, catalog

  /// The shape of a row; see `TableRow`.
  enum RowShape: Sendable {
    case document, match, position, entry
  }

  /// The SQL table for the rows of a kind.
  struct SQLLayout: Sendable {
    var table: String
    var shape: RowShape
    /// The columns after `content_id`, in the order in which the sinks write their values.
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

  /// The name of the SQL table with the rows. JSON objects with counts use this name as the key of the kind.
  package var table: String { layout.table }

  /// The phrase that names a row's JSON in messages.
  var document: String {
    switch self {
    case .people: "a person's attributes"
    case .buckets: "a bucket"
    case .catalog: "an entry"
    case .list, .matches, .positions: "a document"
    }
  }

  /// Returns the display name of a table while it is loaded.
  func progressName(_ name: String) -> String {
    switch self {
    case .positions: "positions of \(name)"
    case .buckets: "cells of \(name)"
    case .list, .matches, .people, .catalog: name
    }
  }

  /// The names of catalogs in earlier versions. `word` is in `contents` of SQL stores and in Redis keys;
  /// `table` is the name of the SQL table.
  static let earlierCatalog = (word: "directory", table: "directories")

  /// Creates the kind with the name `word` in a store; `nil` if this version does not support the kind.
  init?(storedAs word: String) {
    self.init(rawValue: word == Self.earlierCatalog.word ? Self.catalog.rawValue : word)
  }
}
