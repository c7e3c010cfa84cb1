internal import Columns
package import Files
internal import Ingest
package import PipelineFile
package import RunSchemas
internal import Text
package import Tombstones

/// Writes a snapshot without some rows of its entities. The columns are the same as if the exports had lacked
/// these rows.
package struct SnapshotErasure {
  /// By entity, then by row of the original snapshot: the new row, or `CutSnapshot.noRow`.
  package let rows: [String: [UInt32]]
  package let manifest: Manifest
  /// The number of rows of entities that are left out.
  package let entities: Int
  /// The number of interactions and requests that are left out.
  package let interactions: Int

  /// Writes the stage directory `snapshot` of `run`.
  ///
  /// The manifest has new outputs, and `tombstones` as an input. The left-out rows count as `erased` instead
  /// of `kept`, and their sources have no `newest`. Everything else in the manifest stays the same. The
  /// counts of rejects stay too, because they do not identify a person.
  ///
  /// - Parameters:
  ///   - snapshot: All entities and interactions of `pipeline`.
  ///   - pipeline: The pipeline as it was when the snapshot was made.
  ///   - erased: By entity, the rows to leave out, including items that erased people own.
  ///   - tombstones: The tombstones in force. The caller passes the rows of all people with these tombstones
  ///     in `erased`.
  ///   - rejects: The content of `rejects.csv`. The caller has already hidden the values of erased people.
  ///   - run: The run directory.
  /// - Throws: `FileError`. After an error, the stage directory does not exist.
  package init(
    _ snapshot: Snapshot, pipeline: Pipeline, without erased: [String: Set<Int>], tombstones: TombstoneSet,
    rejects: [UInt8],
    into run: String
  ) throws(FileError) {
    var directory = try StageDirectory(IngestStage.name, in: run)
    var rows: [String: [UInt32]] = [:]
    var counts: [String: Int] = [:]
    // Owners are written first, because the rows of their belongings refer to the owners' new rows.
    for entity in pipeline.entitiesByOwner {
      guard let table = snapshot.entities[entity.name] else {
        preconditionFailure("the snapshot was opened without '\(entity.name)'")
      }
      let owners = entity.owner.flatMap { rows[$0.entity] }
      let gone = erased[entity.name] ?? []
      let kept = CutEntities(table) { gone.contains($0) }
      try kept.write(to: "entities/" + entity.name, owners: owners, in: &directory)
      rows[entity.name] = kept.newRows
      counts[entity.name] = gone.count
    }
    for kind in pipeline.interactions {
      guard let table = snapshot.interactions[kind.name], let users = rows[kind.user.entity],
        let candidates = rows[kind.candidate.entity]
      else { preconditionFailure("the snapshot was opened without '\(kind.name)'") }
      let kept = InteractionSubset(table, users: users, candidates: candidates) { _ in true }
      try kept.write(to: "interactions/" + kind.name, in: &directory)
      try InteractionsInForce.write(kind, to: &directory)
      counts[kind.name] = kept.counts.withoutEntity
    }
    for kind in pipeline.requests {
      guard let table = snapshot.requests[kind.name], let users = rows[kind.user.entity],
        let candidates = rows[kind.candidate.entity]
      else { preconditionFailure("the snapshot was opened without '\(kind.name)'") }
      let kept = CutRequests(table, users: users, candidates: candidates) { _ in .max }
      try kept.write(to: "requests/" + kind.name, in: &directory)
      counts[kind.name] = kept.counts.withoutEntity
    }
    try ComputedColumns.write(pipeline, to: &directory)
    let lines = rejects.count { $0 == 0x0A } - 1
    try directory.write("rejects.csv", rows: lines) { (writer) throws(FileError) in
      try writer.append(rejects)
    }
    var manifest = snapshot.manifest
    manifest.counts = manifest.counts.adding(erased: counts)
    manifest.inputs.removeAll { $0.path == TombstoneSet.inputPath }
    if let input = tombstones.input { manifest.inputs.append(input) }
    self.manifest = try directory.complete(manifest)
    self.rows = rows
    entities = pipeline.entities.reduce(0) { $0 + (counts[$1.name] ?? 0) }
    interactions = (pipeline.interactions.map(\.name) + pipeline.requests.map(\.name))
      .reduce(0) { $0 + (counts[$1] ?? 0) }
  }
}

extension JSONValue {
  /// Returns the counts of a snapshot after kept rows were removed. `erased` contains the number of removed
  /// rows by source.
  fileprivate func adding(erased: [String: Int]) -> JSONValue {
    var counts = members
    var sources = counts["sources"]?.members ?? [:]
    for (name, count) in erased where count > 0 {
      var source = sources[name]?.members ?? [:]
      source["kept"] = .integer((source["kept"]?.integerValue ?? 0) - count)
      source["erased"] = .integer((source["erased"]?.integerValue ?? 0) + count)
      // The time of the newest row is removed, because this row may have belonged to an erased person.
      // Otherwise, the next run would compare this time with the time of its own newest row.
      source["newest"] = nil
      sources[name] = .object(source)
    }
    counts["sources"] = .object(sources)
    return .object(counts)
  }
}
