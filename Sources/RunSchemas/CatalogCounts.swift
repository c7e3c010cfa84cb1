package import Text

/// The numbers of entries in the catalogs of a run, as counted in the manifest of its rankings.
package enum CatalogCounts {
  /// The key of the counts.
  package static let key = "catalogs"

  /// The accepted keys of the counts: an earlier version called catalogs directories.
  package static let keys = [key, "directories"]

  /// The numbers by name of the catalog; empty if the run has no catalogs.
  package static func entries(in counts: JSONValue) -> [String: JSONValue] {
    keys.lazy.compactMap { counts[$0] }.first?.members ?? [:]
  }
}
