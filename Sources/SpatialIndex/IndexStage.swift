internal import Geohash
package import PipelineFile
package import Tables

/// Builds the index directory of a run from its snapshot.
package enum IndexStage {
  package static let name = "index"

  /// Indexes every kind of entity that has positions.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline file in force.
  ///   - run: The run directory, which holds `snapshot`.
  ///   - tool: Name and version for the manifest.
  /// - Returns: The manifest; its counts hold, by entity, `positioned`, `without_position` and `cells`.
  /// - Throws: `FileError`.
  package static func run(_ pipeline: Pipeline, in run: String, tool: String) throws(FileError) -> Manifest {
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema), interactions: [])
    var directory = try StageDirectory(name, in: run)
    var counts: [String: JSONValue] = [:]
    for entity in pipeline.entities where entity.position != nil {
      guard let table = snapshot.entities[entity.name] else { continue }
      counts[entity.name] = try write(
        entity.name, table, precision: pipeline.privacy.snapPrecision,
        categories: pipeline.bucketCategories(of: entity), to: &directory)
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
    to directory: inout StageDirectory
  ) throws(FileError) -> JSONValue {
    let latitudes = table.latitude?.elements ?? []
    let longitudes = table.longitude?.elements ?? []
    var cells: [Geohash?] = []
    var positioned: [(code: UInt64, row: UInt32)] = []
    for (row, (latitude, longitude)) in zip(latitudes, longitudes).enumerated() {
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      cells.append(coordinate.map { Geohash($0, precision: precision) })
      if let coordinate { positioned.append((Geohash(coordinate, precision: 12).bits, UInt32(row))) }
    }
    positioned.sort { ($0.code, $0.row) < ($1.code, $1.row) }
    try StringColumn.write(
      cells.map { Array(($0?.description ?? "").utf8) }, to: name + "/geohash", in: &directory)
    try Column.write(positioned.map(\.row), to: name + "/rows.npy", in: &directory)
    try Column.write(positioned.map(\.code), to: name + "/codes.npy", in: &directory)
    let buckets = Buckets(
      rows: positioned.map { Int($0.row) }, cells: cells, table: table, categories: categories)
    let csv = buckets.csv
    try directory.write(name + "/buckets.csv", rows: buckets.count) { (writer) throws(FileError) in
      try writer.append(csv)
    }
    return [
      "positioned": .integer(positioned.count), "without_position": .integer(table.count - positioned.count),
      "cells": .integer(buckets.count),
    ]
  }
}

extension Pipeline {
  /// The categories by which the buckets of `entity` are counted: those that the model learns from.
  package func bucketCategories(of entity: Entity) -> [String] {
    guard let model, interaction(model.learnsFrom)?.candidate.entity == entity.name else { return [] }
    return model.features.compactMap { if case .category(let name) = $0 { name } else { nil } }
  }
}
