package import PipelineFile
package import ServingStore
internal import Text
package import Tombstones

/// A search in a store for people with a tombstone, and for the items that they owned when they were erased.
/// The store may contain these people if it was unreachable during the erasure, or was restored from a dump.
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

  /// Returns the people with a tombstone in one generation, and the items in it that erased people owned at
  /// the time of the erasure.
  package func found(in generation: Int, of store: any ServingStore) throws -> ErasedIDs {
    let places = people(ErasedIDs())
    var found = ErasedIDs()
    // The same person is on many lists, so each id is looked up once.
    var known: [String: Set<StoredID>] = [:]
    try store.visitIDs(in: generation, of: pipeline.name) { role, id in
      for entity in places.entities(in: role) where known[entity, default: []].insert(id).inserted {
        if tombstones.contain(id.utf8.span, of: entity)
          || tombstones.containFormerBelonging(id.utf8.span, of: entity)
        {
          found.insert(id.utf8, entity: entity)
        }
      }
    }
    return found
  }

  /// Returns the people with a tombstone, and their former items, in all generations of the store.
  /// Generations that were already checked against `tombstones` or `others` are skipped.
  ///
  /// - Parameters:
  ///   - store: The store to search.
  ///   - others: The tombstones that were in force before the current erasure. If there are none, the store
  ///     is not searched.
  /// - Returns: The ids; empty if `others` is empty.
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

  /// Returns the found ids as a count for messages, such as `1 erased person and 2 items of erased people`.
  func counted(_ found: ErasedIDs) -> String {
    let people = found.count { tombstones.contain($0.span, of: $1) }
    let items = found.count - people
    let parts = [
      people > 0 || items == 0 ? people.counted("erased person", "erased people") : nil,
      items > 0 ? items.counted("item of erased people", "items of erased people") : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " and ")
  }
}
