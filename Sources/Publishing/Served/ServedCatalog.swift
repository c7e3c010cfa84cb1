internal import Foundation
package import PipelineFile
package import ServingStore
internal import System
package import Text

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

    var words: [String] { shown?.words([]) ?? [] }
  }

  /// Returns the lines to print.
  ///
  /// - Parameters:
  ///   - generation: The served generation.
  ///   - pipeline: The generation's pipeline.
  ///   - top: The maximum number of entries; `nil` for all.
  ///   - format: The output format. In JSON, each line is an entry as it is stored.
  /// - Returns: One line per entry. Text output begins with two lines: the key, then a header. CSV output
  ///   begins with a header.
  /// - Throws: `StageFailure` if the generation has no such catalog, or no entry for the key;
  ///   `ServingStoreError`.
  package func lines(
    _ generation: any ServedGeneration, of pipeline: Pipeline, top: Int?, format: ResultFormat
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
        "generation \(generation.summary.number) of '\(pipeline.name)' has no entries for this key of catalog "
          + "'\(name)'. Keys must match byte for byte. A '/' joins the parts of a key; write '/' in a part as "
          + "%2F, and '%' as %25."
      )
    }
    if format == .json { return entries.map { String(decoding: $0, as: UTF8.self) } }
    let decoded = try DamagedRow.decoding("catalog '\(name)'") {
      try entries.map { try JSONDecoder().decode(ServedEntry.self, from: Data($0)) }
    }
    guard case .text(let width) = format else { return csv(decoded).rows }
    let isShown = decoded.contains { !$0.words.isEmpty }
    var table = TextTable(
      [.right, .left], header: ["rank", "candidate", isShown ? "shown" : ""], cutsTexts: false)
    for entry in decoded { table.append([String(entry.rank), entry.candidate], entry.words) }
    return [ShownText.encoded(key) + ":"] + table.lines(indent: 2, width: width)
  }

  private func csv(_ entries: [ServedEntry]) -> CSVText {
    var text = CSVText()
    text.append(header: ["rank", "candidate", "shown"])
    for entry in entries {
      text.append(integer: entry.rank)
      text.append(text: entry.candidate)
      text.append(text: entry.words.joined(separator: ", "))
      text.endRow()
    }
    return text
  }
}
