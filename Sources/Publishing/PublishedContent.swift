package import Files
package import PipelineFile

/// The digest of the data that a run publishes. Generations with the same digest contain the same rows.
package enum PublishedContent {
  /// Returns the digest of three inputs: the ranking files, without `funnel.json`; the snapshot tables with
  /// published attributes or positions; and the settings that select these attributes and positions.
  ///
  /// - Parameters:
  ///   - run: A run directory with rankings.
  ///   - publication: The publication settings.
  /// - Returns: The SHA-256 digest as 64 hexadecimal digits.
  /// - Throws: `FileError` if a manifest is missing or damaged.
  package static func digest(of run: String, _ publication: Pipeline.Publication) throws(FileError) -> String
  {
    var files = try Manifest(of: run + "/rankings").outputs.filter { $0.path != "funnel.json" }
    let entities = Set(publication.attributes.keys).union(publication.positions.map(\.entity))
    if !entities.isEmpty {
      let directories = entities.map { "entities/\($0)/" }
      files += try Manifest(of: run + "/snapshot").outputs.filter { output in
        directories.contains { output.path.hasPrefix($0) }
      }
    }
    let lines =
      files.sorted { $0.path < $1.path }.map { "\($0.path)\n\($0.sha256)\n" }
      + publication.attributes.sorted { $0.key < $1.key }.map {
        "\($0.key): \($0.value.joined(separator: ", "))\n"
      }
      + publication.positions.map {
        "positions \($0.entity): \($0.exclusions.map(\.name).joined(separator: ", "))\n"
      }
    return SHA256.digest(of: Array(lines.joined().utf8))
  }
}
