package import PipelineFile
package import RunSchemas
package import System
internal import Tombstones

/// The removal of one person, or thing, from every kept run and every store of a pipeline.
package struct PersonErasure {
  private let pipeline: Pipeline
  private let runs: RunDirectories
  private let id: [UInt8]
  private let entity: String

  /// - Parameters:
  ///   - id: The bytes of the id.
  ///   - entity: Its kind of entity; `nil` for the only kind that receives lists or does something to others.
  ///   - pipeline: The pipeline file in force.
  ///   - runs: Its runs. The caller holds their lock.
  /// - Throws: `StageFailure` if there is no such kind of entity, or several come into question.
  package init(of id: [UInt8], entity: String?, from pipeline: Pipeline, runs: RunDirectories)
    throws(StageFailure)
  {
    (self.id, self.pipeline, self.runs) = (id, pipeline, runs)
    self.entity = try pipeline.erasedEntity(entity)
  }

  private var tombstones: TombstoneDirectory { pipeline.tombstones(beside: runs) }

  /// Removes the tombstone and nothing else.
  ///
  /// - Throws: `TombstoneError` of `absent` if there is none; `FileError`.
  package func lift() throws {
    try tombstones.lift([(id: id, entity: entity)])
  }

  /// Leaves the tombstone, then goes through the runs and the stores. A run or store that fails does not keep the others
  /// from it; running it again finishes.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to change nothing and report what would be removed.
  ///   - tool: Name and version for manifests that are made anew.
  ///   - observe: Receives what was done, in order.
  /// - Throws: The last failure, after all runs and stores had their turn; `observe` has had the earlier ones.
  package func erase(
    isDryRun: Bool, tool: String, observe: @escaping (ErasureRemark) -> Void
  ) throws {
    let before = try tombstones.load()
    if !isDryRun {
      let isNew = try tombstones.add([(id: id, entity: entity)]) > 0
      observe(.result("tombstone: \(isNew ? "left" : "there already"), in \(tombstones.path)"))
    }
    var ids = ErasedIDs()
    ids.insert(id, entity: entity)
    var work = ErasureWork(
      pipeline: pipeline, runs: runs, ids: ids, before: before, tombstones: try tombstones.load(),
      isDryRun: isDryRun, tool: tool, observe: observe)
    work.eraseRuns()
    try work.eraseStores()
    if work.total == 0, work.failure == nil { observe(.result("not found")) }
    if let failure = work.failure { throw failure }
  }
}

extension Pipeline {
  /// The kind of entity that an erased id is of. Never a guess: two kinds may use one id for different things.
  fileprivate func erasedEntity(_ chosen: String?) throws(StageFailure) -> String {
    let names = entities.map(\.name)
    if let chosen {
      guard names.contains(where: { $0.utf8.elementsEqual(chosen.utf8) }) else {
        throw StageFailure(
          .usage, "there is no entity '\(chosen)' in \(file): it has \(names.joined(separator: ", ")).")
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
        "whose id is it? Name a kind of entity with --entity: \((users.isEmpty ? names : users).joined(separator: ", "))."
      )
    }
    return only
  }
}
