package import PipelineFile
package import ServingStore
package import Tombstones

/// A search for people in a store who have a tombstone. The store may contain such people if it was
/// unreachable during their erasure, or was restored from a dump.
package struct TombstoneSearch {
  private let pipeline: Pipeline
  private let tombstones: TombstoneSet

  package init(pipeline: Pipeline, tombstones: TombstoneSet) {
    (self.pipeline, self.tombstones) = (pipeline, tombstones)
  }

  /// Returns the people to remove, and the tables that may contain them.
  package func people(_ ids: ErasedIDs) -> ErasedPeople {
    var byEntity = Dictionary(
      uniqueKeysWithValues: pipeline.entities.map { ($0.name, Set<StoredID>()) })
    for (entity, ids) in ids.byEntity {
      byEntity[entity, default: []].formUnion(ids.map { StoredID(utf8: $0) })
    }
    let lists = pipeline.rankings.map { ($0.name, (users: $0.users, candidates: $0.candidates)) }
    let matches = pipeline.matches.map { ($0.name, pipeline.entities(of: $0)) }
    return ErasedPeople(
      byEntity, lists: Dictionary(uniqueKeysWithValues: lists),
      matches: Dictionary(uniqueKeysWithValues: matches),
      catalogs: Dictionary(uniqueKeysWithValues: pipeline.catalogs.map { ($0.name, $0.candidates) }))
  }

  /// Returns the people who have a tombstone and are in one generation.
  package func found(in generation: Int, of store: any ServingStore) throws -> ErasedIDs {
    let places = people(ErasedIDs())
    var found = ErasedIDs()
    // The same person is on many lists, so each id is looked up once.
    var known: [String: Set<StoredID>] = [:]
    try store.visitIDs(in: generation, of: pipeline.name) { role, id in
      for entity in places.entities(in: role) where known[entity, default: []].insert(id).inserted {
        if tombstones.contain(id.utf8.span, of: entity) { found.insert(id.utf8, entity: entity) }
      }
    }
    return found
  }

  /// Returns the people who have a tombstone and are in any generation of the store. Generations that were
  /// already checked against `tombstones` or `others` are skipped.
  ///
  /// - Parameters:
  ///   - store: The store to search.
  ///   - others: The tombstones that were in force before the current erasure. If there are none, the store
  ///     is not searched.
  /// - Returns: The ids of these people; empty if `others` is empty.
  /// - Throws: `ServingStoreError`.
  package func found(in store: any ServingStore, unlessCheckedAgainst others: TombstoneSet) throws
    -> ErasedIDs
  {
    var found = ErasedIDs()
    guard !others.isEmpty else { return found }
    for generation in try store.generations(pipeline: pipeline.name) {
      let checked = generation.note.tombstones
      if checked == nil || (checked != tombstones.digest && checked != others.digest) {
        found.formUnion(try self.found(in: generation.number, of: store))
      }
    }
    return found
  }
}
