internal import Columns
package import Files
package import PipelineFile
internal import RunSchemas
internal import Text

/// Builds the index directory of a run from its snapshot: a spatial index that finds the candidates within a
/// radius.
///
/// The module `Index` sorts people and things by cell, and counts them. It handles only positions and cells,
/// and must not depend on `Features`, `Models` or `Ranking`.
package enum IndexStage {
  package static let name = "index"

  /// Indexes every entity that has positions.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - run: The run directory, which contains `snapshot`.
  ///   - tool: The program's name and version, for the manifest.
  ///   - threads: The number of threads. The index does not depend on it.
  /// - Returns: The manifest. For each entity, it contains the counts `positioned`, `without_position` and
  ///   `cells`.
  /// - Throws: `FileError` if the snapshot cannot be read, or the index exists already or cannot be written.
  package static func run(
    _ pipeline: Pipeline, in run: String, tool: String, threads: Int = 1
  ) throws(FileError) -> Manifest {
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema), interactions: [])
    var directory = try StageDirectory(name, in: run)
    var counts: [String: JSONValue] = [:]
    for entity in pipeline.entities where entity.hasPosition {
      guard let table = snapshot.entities[entity.name] else { continue }
      counts[entity.name] = try write(
        entity.name, table, precision: pipeline.privacy.snapPrecision,
        categories: pipeline.bucketCategories(of: entity), threads: threads, to: &directory)
    }
    let source = snapshot.manifest
    return try directory.complete(
      Manifest(
        tool: tool, stage: name, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: source.asOf, seed: pipeline.seed,
        counts: ["precision": .integer(pipeline.privacy.snapPrecision), "entities": .object(counts)],
        parents: ["snapshot": source.digest]))
  }

  private static func write(
    _ name: String, _ table: EntityTable, precision: Int, categories: [String],
    threads: Int, to directory: inout StageDirectory
  ) throws(FileError) -> JSONValue {
    let order = CellOrder(table, precision: precision, threads: threads)
    try StringColumn.write(order.text, offsets: order.textOffsets.span, to: name + "/geohash", in: &directory)
    try Column.write(order.entries.map(\.row), to: name + "/rows.npy", in: &directory)
    try Column.write(order.entries.map(\.code), to: name + "/codes.npy", in: &directory)
    let buckets = Buckets(order, precision: precision, table: table, categories: categories)
    try directory.write(name + "/buckets.csv", rows: buckets.count) { (writer) throws(FileError) in
      for part in buckets.csv(threads: threads) { try writer.append(part) }
    }
    let positioned = order.entries.count
    return [
      "positioned": .integer(positioned), "without_position": .integer(table.count - positioned),
      "cells": .integer(buckets.count),
    ]
  }
}

extension Pipeline {
  /// Returns the categories that the unnamed model uses. The file `buckets.csv` of `entity` counts the words
  /// of these categories. The result is empty if the pipeline has no unnamed model, or if the model's
  /// candidates are of another entity.
  package func bucketCategories(of entity: Entity) -> [String] {
    guard let model, interaction(model.learnsFrom)?.candidate.entity == entity.name else { return [] }
    return model.features.compactMap { ($0.kind as? CategoryFeature)?.attribute }
  }
}
