package import Text

/// How many entries the catalogs of a run have, as the manifest of its rankings counts them.
package enum CatalogCounts {
  /// The key of the counts.
  package static let key = "catalogs"

  /// The keys that the counts may stand under: an earlier program called catalogs directories.
  package static let keys = [key, "directories"]

  /// The numbers by name of the catalog; empty where the run has no catalogs.
  package static func entries(in counts: JSONValue) -> [String: JSONValue] {
    keys.lazy.compactMap { counts[$0] }.first?.members ?? [:]
  }
}
