package import Text

/// The number of entries in each catalog of a run, from the manifest of the run's rankings.
package enum CatalogCounts {
  /// The key of the counts in the manifest.
  package static let key = "catalogs"

  /// The accepted keys in a manifest. An earlier version of Nightjar called catalogs "directories".
  package static let keys = [key, "directories"]

  /// Returns the number of entries by catalog; empty if the run has no catalogs.
  package static func entries(in counts: JSONValue) -> [String: JSONValue] {
    keys.lazy.compactMap { counts[$0] }.first?.members ?? [:]
  }
}
