internal import Columns
package import Files
internal import Index
package import PipelineFile
internal import RunSchemas
internal import SnapshotEditing
internal import Text
package import Tombstones

/// Removes people from a kept run: from its snapshot, index, models, lists, evaluation and rejects.
///
/// A new run is written beside the old one, in `.NUMBER.erased`, and the two are exchanged atomically. If the
/// process is killed, the run is either the old one or the new one, and the next erasure removes the
/// leftovers.
package struct RunErasure {
  /// The result of removing people from a run.
  package struct Erased: Sendable {
    package var counts: RunErasureCounts
    /// The erased ids, including the ids of rows that erased people own. If an earlier erasure was killed,
    /// the ids also include other people with a tombstone.
    package var ids: ErasedIDs
  }

  private let ids: ErasedIDs
  private let tombstones: TombstoneSet
  private let tool: String

  /// - Parameters:
  ///   - ids: The ids to erase.
  ///   - tombstones: The tombstones of the pipeline. People with a tombstone are erased too.
  ///   - tool: The name and the version of this program, for rewritten manifests.
  package init(_ ids: ErasedIDs, tombstones: TombstoneSet, tool: String) {
    (self.ids, self.tombstones, self.tool) = (ids, tombstones, tool)
  }

  /// Removes the files that killed processes left in `directory`. No program reads these files.
  package static func removeLeftovers(in directory: String) throws(FileError) {
    guard Directories.exists(directory) else { return }
    for name in try Directories.names(in: directory) where isLeftover(name) {
      try Directories.remove("\(directory)/\(name)")
    }
  }

  private static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(".") || name.hasSuffix(".partial") || name.hasSuffix(".stopped")
  }

  /// Rewrites the run in `directory` without the erased people.
  ///
  /// - Parameters:
  ///   - directory: The directory `runs/NUMBER`.
  ///   - isDryRun: Whether to count the items without changing the run.
  ///   - willReplace: Receives the old and the new run before the exchange. It is not called in a dry run.
  /// - Returns: The removed items and people; `nil` if the run contains no data of the erased people and
  ///   stays unchanged.
  /// - Throws: `FileError` if a file cannot be read or written; `PipelineFileError` if this version cannot
  ///   read the run's pipeline file; errors of `willReplace`. After an error, the run is unchanged, unless
  ///   the exchange succeeded and only the following sync or cleanup failed.
  package func erase(
    _ directory: String, isDryRun: Bool,
    willReplace: (_ old: String, _ new: String, Pipeline) throws -> Void = { _, _, _ in }
  ) throws -> Erased? {
    if !isDryRun { try Self.removeLeftovers(in: directory) }
    let source = directory + "/snapshot"
    guard Directories.exists(source) else { return try eraseWithoutSnapshot(directory, isDryRun: isDryRun) }
    let pipeline = try pipeline(of: source)
    let snapshot = try Snapshot(
      source, entities: pipeline.entities.map(\.schema), interactions: pipeline.interactions.map(\.schema),
      requests: pipeline.requests.map(\.schema), holdsEnded: true)
    let (rows, ids) = found(in: snapshot, of: pipeline)
    let rejects = try bytes(source + "/rejects.csv")
    let kept = RejectsErasure.removing(
      Array(self.ids.all.union(ids.all)), from: rejects, hidesOthers: pipeline.hasOwners)
    guard !ids.isEmpty || kept.text != rejects else { return nil }

    let parent = Directories.parent(of: directory)
    let hidden = "\(parent)/.\(directory.dropFirst(parent.utf8.count + 1)).erased"
    try Directories.remove(hidden)
    try Directories.create(hidden)
    do {
      var counts = RunErasureCounts()
      counts.rejects = kept.removed
      let erased = try SnapshotErasure(
        snapshot, pipeline: pipeline, without: rows, tombstones: tombstones, rejects: kept.text, into: hidden)
      (counts.entities, counts.interactions) = (erased.entities, erased.interactions)
      try writeStages(directory, into: hidden, pipeline, snapshot, erased, ids, &counts)
      try linkOthers(directory, into: hidden)
      try Directories.sync(hidden)
      if isDryRun {
        try Directories.remove(hidden)
      } else {
        try willReplace(directory, hidden, pipeline)
        try Directories.moveIntoPlace(hidden, replacing: directory)
      }
      return Erased(counts: counts, ids: ids)
    } catch {
      try? Directories.remove(hidden)
      throw error
    }
  }

  private static let stages = ["snapshot", "index", "models", "rankings", "evaluation"]

  private func writeStages(
    _ old: String, into new: String, _ pipeline: Pipeline, _ snapshot: Snapshot, _ erased: SnapshotErasure,
    _ ids: ErasedIDs, _ counts: inout RunErasureCounts
  ) throws {
    if Directories.exists(old + "/index") { _ = try IndexStage.run(pipeline, in: new, tool: tool) }
    let now = try Snapshot(
      new + "/snapshot", entities: pipeline.entities.map(\.schema), interactions: [])
    var lost = LostWords(words: Array(snapshot.words.subtracting(now.words)))
    if Directories.exists(old + "/models") {
      var models = ModelsErasure(pipeline, former: snapshot, snapshot: erased, lost: lost)
      try models.write(from: old + "/models", into: new)
      counts.models = models.removed
      lost = models.lost
    }
    if Directories.exists(old + "/rankings") {
      var rankings = RankingsErasure(pipeline, ids)
      try rankings.write(from: old + "/rankings", into: new)
      (counts.lists, counts.places) = (rankings.counts.lists, rankings.counts.places)
      counts.matches = rankings.counts.matches
    }
    if Directories.exists(old + "/evaluation") {
      try EvaluationErasure(pipeline: pipeline, ids: ids, lost: lost)
        .write(from: old + "/evaluation", into: new)
    }
  }

  /// Links the files and directories of a run that contain no personal data: all except the directories of
  /// the stages, `rejects.csv` and leftovers.
  private func linkOthers(_ old: String, into new: String) throws(FileError) {
    for name in try Directories.names(in: old)
    where !Self.stages.contains(name) && !Self.isLeftover(name) && name != "rejects.csv" {
      try Directories.linkTree("\(old)/\(name)", to: "\(new)/\(name)")
    }
  }

  /// Erases people from a run without a complete snapshot. Such a run normally contains at most
  /// `rejects.csv`; the output of a stage without the snapshot is an error.
  private func eraseWithoutSnapshot(_ directory: String, isDryRun: Bool) throws -> Erased? {
    if let stage = Self.stages.first(where: { Directories.exists("\(directory)/\($0)") }) {
      throw FileError(
        .find, directory + "/snapshot",
        reason: "without the snapshot, the rows of '\(stage)' cannot be assigned to people",
        advice: "Delete the run's directory '\(directory)', then run the command again.")
    }
    let path = directory + "/rejects.csv"
    guard Directories.exists(path) else { return nil }
    let text = try bytes(path)
    let kept = RejectsErasure.removing(Array(ids.all), from: text, hidesOthers: true)
    guard kept.text != text else { return nil }
    if !isDryRun { try Directories.replace(path, with: kept.text) }
    var counts = RunErasureCounts()
    counts.rejects = kept.removed
    return Erased(counts: counts, ids: ErasedIDs())
  }

  /// Returns the pipeline file as it was when the snapshot was made. That version defines the columns of the
  /// snapshot.
  private func pipeline(of snapshot: String) throws -> Pipeline {
    try Pipeline(of: Manifest(of: snapshot), file: snapshot + "/manifest.json")
  }

  /// Returns the ids of the erased people in the run in `directory`, and of the rows that they own there.
  ///
  /// - Parameter directory: The directory `runs/NUMBER`.
  /// - Returns: The ids; empty if the run has no snapshot, or if no entity has owners.
  /// - Throws: `FileError` if the snapshot cannot be read; `PipelineFileError` if this version cannot read
  ///   the pipeline file of the run.
  package func belongings(in directory: String) throws -> ErasedIDs {
    let source = directory + "/snapshot"
    guard Directories.exists(source) else { return ErasedIDs() }
    let pipeline = try pipeline(of: source)
    guard pipeline.hasOwners else { return ErasedIDs() }
    let snapshot = try Snapshot(source, entities: pipeline.entities.map(\.schema), interactions: [])
    return found(in: snapshot, of: pipeline).ids
  }

  /// Returns the rows and ids of the erased people, and of the rows that they own.
  private func found(in snapshot: Snapshot, of pipeline: Pipeline) -> (
    rows: [String: Set<Int>], ids: ErasedIDs
  ) {
    // If an earlier erasure of another person was killed, that person has a tombstone but may still be in the
    // run.
    let hasOthers = tombstones.count > ids.count { tombstones.contain($0.span, of: $1) }
    var rows: [String: Set<Int>] = [:]
    var found = ErasedIDs()
    for (entity, table) in snapshot.entities {
      for id in ids.of(entity) {
        if let row = table.ids.row(of: id) { rows[entity, default: []].insert(row) }
      }
      if hasOthers {
        for row in 0..<table.count where tombstones.contain(table.ids.bytes(row), of: entity) {
          rows[entity, default: []].insert(row)
        }
      }
    }
    snapshot.addBelongings(of: pipeline, to: &rows)
    for (entity, table) in snapshot.entities {
      for row in rows[entity] ?? [] { found.insert(Array(copying: table.ids.bytes(row)), entity: entity) }
    }
    return (rows, found)
  }

  private func bytes(_ path: String) throws(FileError) -> [UInt8] {
    let file = try MappedFile(checking: path)
    return unsafe file.bytes.withUnsafeBytes { unsafe Array($0) }
  }
}

extension Snapshot {
  /// All words of categories, including words in earlier versions.
  fileprivate var words: Set<[UInt8]> {
    var words: Set<[UInt8]> = []
    for table in entities.values {
      let columns =
        Array(table.categories.values) + Array((table.earlier?.attributes.categories ?? [:]).values)
      for column in columns {
        for row in 0..<column.vocabulary.count { words.insert(Array(copying: column.vocabulary.bytes(row))) }
      }
    }
    return words
  }
}
