internal import Files
package import PipelineFile
package import RunSchemas
package import System
internal import Tombstones

/// Removes one person, or a row of any other entity, from every kept run and every store of a pipeline.
///
/// The module `Erasure` edits all files of a run that contain data about people. It may depend on the file
/// formats of the stages, but no stage depends on it. It must not depend on `Ranking` or `Evaluation`,
/// because it removes lines from files and does not recompute lists or metrics.
package struct PersonErasure {
  private let pipeline: Pipeline
  private let runs: RunDirectories
  private let id: [UInt8]
  private let entity: String

  /// - Parameters:
  ///   - id: The bytes of the id.
  ///   - entity: The entity to which the id belongs; `nil` for the only entity whose rows receive lists or
  ///     are the users of interactions.
  ///   - pipeline: The effective pipeline file.
  ///   - runs: The runs of the pipeline. The caller holds their lock.
  /// - Throws: `StageFailure` if the entity does not exist, or if several entities are possible.
  package init(of id: [UInt8], entity: String?, from pipeline: Pipeline, runs: RunDirectories)
    throws(StageFailure)
  {
    (self.id, self.pipeline, self.runs) = (id, pipeline, runs)
    self.entity = try pipeline.erasedEntity(entity)
  }

  private var tombstones: TombstoneDirectory { pipeline.tombstones(beside: runs) }

  /// The person in any kept run, and what the person owns there. An unreadable run counts as empty: `erase`
  /// reports the error, and the next erasure records what the person owns in this run.
  private var belongings: ErasedIDs {
    var person = ErasedIDs()
    person.insert(id, entity: entity)
    // Without tombstones, the search skips people of earlier erasures.
    let erasure = RunErasure(person, tombstones: .none, tool: "")
    var found = ErasedIDs()
    for number in (try? runs.numbers()) ?? [] {
      if let ids = try? erasure.belongings(in: runs.path(of: number)) { found.formUnion(ids) }
    }
    return found
  }

  /// Removes the tombstone, and changes no run or store.
  ///
  /// - Throws: `TombstoneError`, with `absent` if there is no tombstone; `FileError` if the tombstones cannot
  ///   be read or written.
  package func lift() throws {
    try tombstones.lift([(id: id, entity: entity)])
  }

  /// Writes the tombstone, then edits the runs and the stores. A failure in one run or store does not stop
  /// the work on the others. After a failure, call this method again to complete the erasure.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to report what would be removed without changing anything.
  ///   - tool: The name and the version of this program, for rewritten manifests.
  ///   - observe: Receives the results and warnings, in order.
  /// - Throws: `TombstoneError` or `FileError` before anything is erased. `ServingStoreError` for an invalid
  ///   store address, after all runs and the preceding stores were processed. Otherwise the last failure,
  ///   after all runs and stores were processed; `observe` has then received the earlier failures.
  package func erase(
    isDryRun: Bool, tool: String, observe: @escaping (ErasureRemark) -> Void
  ) throws {
    // A damaged run must not prevent an erasure.
    let latest = try? Manifest(of: runs.root + "/latest/" + Stage.ingest.directory)
    let before = try tombstones.load(after: latest)
    if !isDryRun {
      let person = (id: id, entity: entity)
      let isNew = try tombstones.add([person]) > 0
      // The erased runs no longer show what the person owned. A store that is restored from a dump can still
      // contain these rows, so the erasure records their codes now.
      try tombstones.add(belongings: belongings, of: person)
      observe(.result("tombstone: \(isNew ? "added" : "already present") in \(tombstones.path)"))
    }
    var ids = ErasedIDs()
    ids.insert(id, entity: entity)
    var work = ErasureWork(
      pipeline: pipeline, runs: runs, ids: ids, before: before, tombstones: try tombstones.load(),
      isDryRun: isDryRun, tool: tool, observe: observe)
    work.eraseRuns()
    try work.eraseStores()
    if work.total == 0, work.failure == nil { observe(.result("not found in any run or store")) }
    if let failure = work.failure { throw failure }
  }
}

extension Pipeline {
  /// Returns the entity to which an erased id belongs. The function never guesses, because two entities may
  /// use the same id for different people or things.
  fileprivate func erasedEntity(_ chosen: String?) throws(StageFailure) -> String {
    let names = entities.map(\.name)
    if let chosen {
      guard names.contains(where: { $0.utf8.elementsEqual(chosen.utf8) }) else {
        throw StageFailure(
          .usage, "\(file) has no entity '\(chosen)'. Choose one of: \(names.joined(separator: ", ")).")
      }
      return chosen
    }
    let users = names.filter { name in
      names.count == 1 || interactions.contains { $0.user.entity == name }
        || rankings.contains { $0.users == name }
    }
    guard let only = users.first, users.count == 1 else {
      throw StageFailure(
        .usage,
        "the id can belong to several entities. Choose one with --entity: \((users.isEmpty ? names : users).joined(separator: ", "))."
      )
    }
    return only
  }
}
