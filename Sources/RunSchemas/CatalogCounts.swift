package import Text

/// The numbers of entries in the catalogs of a run, from the manifest of its rankings.
package enum CatalogCounts {
  /// The key of the counts in the manifest.
  package static let key = "catalogs"

  /// The accepted keys. An earlier version called catalogs "directories".
  package static let keys = [key, "directories"]

  /// The number of entries by catalog; empty if the run has no catalogs.
  package static func entries(in counts: JSONValue) -> [String: JSONValue] {
    keys.lazy.compactMap { counts[$0] }.first?.members ?? [:]
  }
}
