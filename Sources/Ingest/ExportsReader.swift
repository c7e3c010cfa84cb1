internal import PipelineFile
internal import Text
internal import Tombstones

/// Reads the sources of a pipeline one after the other: entities first, as all others refer to them.
///
/// Each function asks `isUnreadable` about a source that could not be read, which throws to end the reading, or returns to go
/// on without that source.
struct ExportsReader {
  let pipeline: Pipeline
  /// Who was erased; and, once entities were read, what belongs to them.
  var tombstones: TombstoneSet
  let workers: Workers

  /// The entities that could be read, by name: owners before what belongs to them.
  mutating func readEntities<Failure: Error>(
    _ isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) -> [String: EntityRows] {
    var entities: [String: EntityRows] = [:]
    for entity in pipeline.entitiesByOwner {
      let owners = entity.owner.map { entities[$0.entity]?.ids }
      // Without its owners nothing can be said of an entity.
      if let owners, owners == nil { continue }
      do {
        let rows = try EntityRows(
          entity, in: pipeline, tombstones: tombstones, owners: owners ?? nil, by: workers)
        entities[entity.name] = rows
        // What belongs to whoever has a tombstone goes with them, and what others did to it.
        tombstones.add(belongings: rows.erasedBelongings, of: entity.name)
      } catch {
        try isUnreadable(entity.name, error)
      }
    }
    return entities
  }

  /// The check-ins of `entities` that could be read; what is after `limit` is later than the as-of time.
  func readCheckIns<Failure: Error>(
    by entities: [String: EntityRows], until limit: Instant,
    _ isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) -> [CheckInRows] {
    var checkIns: [CheckInRows] = []
    for kind in pipeline.checkIns {
      guard let users = entities[kind.user.entity]?.ids else { continue }
      do {
        checkIns.append(
          try CheckInRows(
            kind, in: pipeline, users: users, limit: limit, tombstones: tombstones, by: workers))
      } catch {
        try isUnreadable(kind.name, error)
      }
    }
    return checkIns
  }

  /// The interactions of `entities` that could be read.
  func readInteractions<Failure: Error>(
    of entities: [String: EntityRows],
    _ isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) -> [InteractionRows] {
    var interactions: [InteractionRows] = []
    for kind in pipeline.interactions
    where entities[kind.user.entity] != nil && entities[kind.candidate.entity] != nil
      && entities[kind.candidate.named] != nil
    {
      do {
        interactions.append(
          try InteractionRows(kind, in: pipeline, entities: entities, tombstones: tombstones, by: workers))
      } catch {
        try isUnreadable(kind.name, error)
      }
    }
    return interactions
  }

  /// The requests of `entities` that could be read.
  func readRequests<Failure: Error>(
    of entities: [String: EntityRows],
    _ isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) -> [RequestRows] {
    var requests: [RequestRows] = []
    for kind in pipeline.requests
    where entities[kind.user.entity] != nil && entities[kind.candidate.entity] != nil {
      do {
        requests.append(
          try RequestRows(kind, in: pipeline, entities: entities, tombstones: tombstones, by: workers))
      } catch {
        try isUnreadable(kind.name, error)
      }
    }
    return requests
  }
}
