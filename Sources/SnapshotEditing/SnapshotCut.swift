package import Files
internal import Ingest
package import PipelineFile
package import RunSchemas
package import Text

/// Derives a snapshot as of an earlier time from a later snapshot. An evaluation needs such a snapshot,
/// because it must not use data from after its cut.
///
/// The module `SnapshotEditing` derives new snapshots from existing ones: as of a cut, or without erased
/// people. It writes snapshots with the code of `Ingest`, in the format of the ingest stage. It must not
/// depend on the modules `Models` and `Evaluation`, which use the result.
package enum SnapshotCut {
  /// Writes the stage directory `snapshot` of `run`.
  ///
  /// Columns have the same form as in the ingest stage. Rows are in byte order of ids, vocabularies contain
  /// only used words, and interactions are sorted by user, time and input order, with both groupings.
  /// `rejects.csv` is left out. The manifest names the original snapshot as its parent.
  ///
  /// - Parameters:
  ///   - snapshot: All entities and interactions of `pipeline`.
  ///   - pipeline: The effective pipeline file.
  ///   - entityCut: The cut of each row, in milliseconds since 1970 UTC, inclusive. It applies to a user's
  ///     requests too.
  ///   - keepsInteraction: Whether to keep the interaction at an index of its kind's table. It is called once
  ///     for each index, in order. An interaction is also left out if its user or candidate is left out.
  ///   - asOf: The as-of time of the manifest.
  ///   - run: The run directory, which is created if it is missing.
  ///   - tool: The name and the version of this program, for the manifest.
  ///   - laterProfiles: The treatment of rows whose profiles are all after the cut.
  /// - Returns: The new row of each row, and the counts of left-out rows.
  /// - Throws: `FileError`. After an error, the stage directory does not exist.
  /// - Complexity: O(n log n) in the rows of entities, because of their vocabularies; O(n) in the
  ///   interactions.
  package static func write(
    _ snapshot: Snapshot, pipeline: Pipeline,
    entityCut: (_ entity: String, _ row: Int) -> Int64,
    keepsInteraction: (_ kind: String, _ index: Int) -> Bool,
    asOf: Instant, into run: String, tool: String, laterProfiles: Pipeline.LaterProfiles
  ) throws(FileError) -> CutSnapshot {
    try Directories.create(run)
    var directory = try StageDirectory(IngestStage.name, in: run)
    var rows: [String: [UInt32]] = [:]
    var counts: [String: CutSnapshot.Counts] = [:]
    for entity in pipeline.entitiesByOwner {
      guard let table = snapshot.entities[entity.name] else {
        preconditionFailure("the snapshot was opened without '\(entity.name)'")
      }
      let cut = CutEntities(table, laterProfiles: laterProfiles) { entityCut(entity.name, $0) }
      try cut.write(
        to: "entities/" + entity.name, owners: entity.owner.flatMap { rows[$0.entity] }, in: &directory)
      rows[entity.name] = cut.newRows
      counts[entity.name] = cut.counts
    }
    var kept: [String: SubsetCounts] = [:]
    for kind in pipeline.interactions {
      guard let table = snapshot.interactions[kind.name], let users = rows[kind.user.entity],
        let candidates = rows[kind.candidate.entity]
      else { preconditionFailure("the snapshot was opened without '\(kind.name)'") }
      let cut = InteractionSubset(table, users: users, candidates: candidates) {
        keepsInteraction(kind.name, $0)
      }
      try cut.write(to: "interactions/" + kind.name, in: &directory)
      try InteractionsInForce.write(kind, to: &directory)
      kept[kind.name] = cut.counts
    }
    for kind in pipeline.requests {
      guard let table = snapshot.requests[kind.name], let users = rows[kind.user.entity],
        let candidates = rows[kind.candidate.entity]
      else { preconditionFailure("the snapshot was opened without '\(kind.name)'") }
      let cut = CutRequests(table, users: users, candidates: candidates) { entityCut(kind.user.entity, $0) }
      try cut.write(to: "requests/" + kind.name, in: &directory)
      kept[kind.name] = cut.counts
    }
    try ComputedColumns.write(pipeline, to: &directory)
    let sources = counts.mapValues(\.json).merging(kept.mapValues(\.json)) { entity, _ in entity }
    let manifest = try directory.complete(
      Manifest(
        tool: tool, stage: IngestStage.name, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: asOf, seed: pipeline.seed,
        counts: [
          "sources": .object(sources), "later_profiles": .string(laterProfiles.rawValue),
          "snapped_to_precision": .integer(pipeline.privacy.snapPrecision),
        ],
        parents: [IngestStage.name: snapshot.manifest.digest]))
    return CutSnapshot(manifest: manifest, rows: rows, entities: counts, interactions: kept)
  }
}
