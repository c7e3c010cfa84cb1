internal import Foundation
package import PipelineFile
package import ServingStore
internal import System
internal import Text

/// The entries of one key of a catalog, as an app reads them.
package struct ServedCatalog {
  private let name: String
  private let key: String

  package init(name: String, key: String) {
    (self.name, self.key) = (name, key)
  }

  private struct ServedEntry: Decodable {
    var rank: Int
    var candidate: String
    /// The shown fields of the candidate; `nil` if the catalog shows none.
    var shown: JSONValue?
  }

  /// The lines to print.
  ///
  /// - Parameters:
  ///   - generation: The served generation.
  ///   - pipeline: The generation's pipeline.
  ///   - top: The maximum number of entries; `nil` for all.
  ///   - json: Whether to print the stored JSON.
  /// - Returns: A line per entry. Unless `json`, the first line is the key.
  /// - Throws: `StageFailure` if there is no such catalog, or no entry for the key; `ServingStoreError`.
  package func lines(
    _ generation: any ServedGeneration, of pipeline: Pipeline, top: Int?, json: Bool
  ) throws -> [String] {
    let catalogs = generation.summary.tables.catalogs
    guard let catalog = catalogs.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      let names = catalogs.isEmpty ? "none" : catalogs.map(\.name).joined(separator: ", ")
      throw StageFailure(
        .usage,
        "generation \(generation.summary.number) has no catalog '\(name)'. Catalogs: \(names).")
    }
    let entries = try generation.entries(
      catalog: name, key: StoredID(key), 0..<min(top ?? catalog.rows, catalog.rows))
    guard !entries.isEmpty else {
      throw StageFailure(
        .missingInput,
        "generation \(generation.summary.number) of '\(pipeline.name)' has no entries under this key of '\(name)'. Keys "
          + "match byte for byte. A '/' joins the parts of a key; write '/' in a part as %2F, and '%' as %25."
      )
    }
    if json { return entries.map { String(decoding: $0, as: UTF8.self) } }
    let decoded = try entries.map { try JSONDecoder().decode(ServedEntry.self, from: Data($0)) }
    // Escapes control characters first, because they would change the column width.
    let candidates = decoded.map { ShownText.encoded($0.candidate) }
    let width = candidates.map(\.terminalColumns).max() ?? 0
    return [ShownText.encoded(key) + ":"]
      + zip(candidates, decoded).map { candidate, entry in
        let shown = (entry.shown?.words([]) ?? []).joined(separator: ", ")
        return "  " + String(entry.rank).leftPadded(to: 2) + "  "
          + (shown.isEmpty ? candidate : candidate.padded(to: width) + "   " + shown)
      }
  }
}
