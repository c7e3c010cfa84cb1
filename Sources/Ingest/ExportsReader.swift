internal import PipelineFile
internal import Text
internal import Tombstones

/// Reads the sources of a pipeline one after the other. Entities come first, because all other sources refer
/// to them.
///
/// Each function calls `isUnreadable` for a source that could not be read. The closure throws to end the
/// reading, or returns to continue without that source.
struct ExportsReader {
  let pipeline: Pipeline
  /// The erased people. `readEntities` adds the items that these people owned.
  var tombstones: TombstoneSet
  let workers: Workers

  /// Reads all entities. Returns the rows of each readable source by the name of the entity. The entity of
  /// the owners is read before the entity that they own.
  mutating func readEntities<Failure: Error>(
    _ isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) -> [String: EntityRows] {
    var entities: [String: EntityRows] = [:]
    for entity in pipeline.entitiesByOwner {
      let owners = entity.owner.map { entities[$0.entity]?.ids }
      // If the owners could not be read, references to them cannot be checked, so the entity is skipped.
      if let owners, owners == nil { continue }
      do {
        let rows = try EntityRows(
          entity, in: pipeline, tombstones: tombstones, owners: owners ?? nil, by: workers)
        entities[entity.name] = rows
        // Items that an erased person owned count as erased, so other people's interactions with these items
        // are left out, too.
        tombstones.add(belongings: rows.erasedBelongings, of: entity.name)
      } catch {
        try isUnreadable(entity.name, error)
      }
    }
    return entities
  }

  /// Reads the check-ins of `entities`. Returns the rows of each readable source. `limit` is the latest
  /// possible as-of time, so later check-ins are left out.
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

  /// Reads the interactions between `entities`. Returns the rows of each readable source.
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

  /// Reads the requests between `entities`. Returns the rows of each readable source.
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
