internal import Columns
package import Files

/// The typed, checked, columnar copy of all exports, as ingest wrote it.
///
/// ```
/// snapshot/manifest.json
/// snapshot/rejects.csv
/// snapshot/entities/<entity>/      id, latitude, longitude, created, updated, owner, and a column per attribute
/// snapshot/entities/<entity>/computed/  a column per computed attribute; absent where there are none
/// snapshot/entities/<entity>/earlier/   the same of earlier versions, with row instead of id; absent where there are none
/// snapshot/interactions/<kind>/    candidate, at, value, and the two groupings
/// snapshot/interactions/<kind>/in_force/    those of them that count, where some do not; the same columns
/// snapshot/requests/<kind>/        user, candidate, at, changed, status
/// ```
package struct Snapshot: Sendable {
  package let manifest: Manifest
  package let entities: [String: EntityTable]
  package let interactions: [String: InteractionTable]
  /// All that was ever done, of those kinds of interaction of which some do not count any more.
  private let histories: [String: InteractionTable]
  package let requests: [String: RequestTable]

  /// Maps the tables of the snapshot in `directory` that are named.
  ///
  /// - Parameters:
  ///   - directory: That of the stage.
  ///   - names: Which entities.
  ///   - kinds: Which interactions.
  ///   - requestKinds: Which requests.
  ///   - holdsEnded: Whether interactions are held that were taken back, or that a later one of their pair stands for:
  ///     whoever cuts the snapshot at an earlier moment needs them.
  /// - Throws: `FileError`.
  package init(
    _ directory: String, entities names: [EntitySchema], interactions kinds: [InteractionSchema],
    requests requestKinds: [String] = [], holdsEnded: Bool = false
  ) throws(FileError) {
    manifest = try Manifest(of: directory)
    var entities: [String: EntityTable] = [:]
    for schema in names {
      entities[schema.name] = try EntityTable(directory + "/entities/" + schema.name, schema)
    }
    self.entities = entities
    var interactions: [String: InteractionTable] = [:]
    var histories: [String: InteractionTable] = [:]
    for kind in kinds {
      let place = directory + "/interactions/" + kind.name
      interactions[kind.name] = try InteractionTable(
        place, likedFrom: kind.likedFrom, holdsEnded: holdsEnded)
      guard !holdsEnded, Directories.exists(place + "/" + InteractionTable.inForce) else { continue }
      histories[kind.name] = try InteractionTable(place, likedFrom: kind.likedFrom, holdsEnded: true)
    }
    self.interactions = interactions
    self.histories = histories
    var requests: [String: RequestTable] = [:]
    for kind in requestKinds {
      requests[kind] = try RequestTable(directory + "/requests/" + kind)
    }
    self.requests = requests
  }
}

extension Snapshot {
  /// A snapshot of entities alone that is in no directory.
  package init(_ manifest: Manifest, entities: [String: EntityTable]) {
    self.manifest = manifest
    self.entities = entities
    (interactions, histories, requests) = ([:], [:], [:])
  }
}

extension Snapshot {
  /// All interactions of a kind, also those that were taken back since: for whoever asks what was at some moment.
  package func history(of kind: String) -> InteractionTable? { histories[kind] ?? interactions[kind] }
}
