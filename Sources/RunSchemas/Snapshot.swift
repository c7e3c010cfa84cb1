internal import Columns
package import Files

/// The copy of all exports that ingest writes, as typed and checked columns.
///
/// The module `RunSchemas` defines the tables of a run (snapshot, models, requests) and its directories, lock
/// and record. Every stage reads and writes these through the module, so the module must not depend on a
/// stage. It must not depend on `PipelineFile` either, so that a run can be read without its pipeline file.
///
/// ```
/// snapshot/manifest.json
/// snapshot/rejects.csv
/// snapshot/entities/<entity>/           id, latitude, longitude, created, updated, owner, and attributes
/// snapshot/entities/<entity>/computed/  computed attributes, if any
/// snapshot/entities/<entity>/earlier/   earlier versions, if any: row instead of id
/// snapshot/interactions/<kind>/    candidate, at, value, and the groupings by user and by candidate
/// snapshot/interactions/<kind>/in_force/    the interactions in force, if some are not: the same columns
/// snapshot/requests/<kind>/        user, candidate, at, changed, status
/// ```
package struct Snapshot: Sendable {
  package let manifest: Manifest
  package let entities: [String: EntityTable]
  package let interactions: [String: InteractionTable]
  /// All interactions, by kind. Only kinds with interactions that are no longer in force have a table here.
  private let histories: [String: InteractionTable]
  package let requests: [String: RequestTable]

  /// Memory-maps the tables of the snapshot in `directory` that the schemas name.
  ///
  /// - Parameters:
  ///   - directory: The stage directory.
  ///   - names: The schemas of the entities.
  ///   - kinds: The schemas of the interactions.
  ///   - requestKinds: The schemas of the requests.
  ///   - holdsEnded: Whether to include interactions that were retracted or replaced by a later interaction
  ///     of the same pair. A cut of the snapshot at an earlier time needs them.
  /// - Throws: `FileError` if a table is missing or damaged.
  package init(
    _ directory: String, entities names: [EntitySchema], interactions kinds: [InteractionSchema],
    requests requestKinds: [InteractionSchema] = [], holdsEnded: Bool = false
  ) throws(FileError) {
    manifest = try Manifest(of: directory)
    var entities: [String: EntityTable] = [:]
    for schema in names {
      entities[schema.name] = try EntityTable(directory + "/entities/" + schema.name, schema)
    }
    for schema in names {
      guard let owner = schema.owner, let owners = entities[owner] else { continue }
      try entities[schema.name]?.checkOwners(
        below: owners.count, in: directory + "/entities/" + schema.name)
    }
    self.entities = entities
    var interactions: [String: InteractionTable] = [:]
    var histories: [String: InteractionTable] = [:]
    for kind in kinds {
      let place = directory + "/interactions/" + kind.name
      let table = try InteractionTable(place, likedFrom: kind.likedFrom, holdsEnded: holdsEnded)
      try table.check(
        users: kind.entities.flatMap { entities[$0.users]?.count },
        candidates: kind.entities.flatMap { entities[$0.candidates]?.count }, in: place)
      interactions[kind.name] = table
      guard !holdsEnded, Directories.exists(place + "/" + InteractionTable.inForce) else { continue }
      let history = try InteractionTable(place, likedFrom: kind.likedFrom, holdsEnded: true)
      try history.check(
        users: table.userOffsets.count - 1, candidates: table.candidateOffsets.count - 1, in: place)
      histories[kind.name] = history
    }
    self.interactions = interactions
    self.histories = histories
    var requests: [String: RequestTable] = [:]
    for kind in requestKinds {
      let place = directory + "/requests/" + kind.name
      let table = try RequestTable(place)
      if let pair = kind.entities, let users = entities[pair.users],
        let candidates = entities[pair.candidates]
      {
        try table.check(users: users.count, candidates: candidates.count, in: place)
      }
      requests[kind.name] = table
    }
    self.requests = requests
  }
}

extension Snapshot {
  /// Creates a snapshot in memory that contains only entities.
  package init(_ manifest: Manifest, entities: [String: EntityTable]) {
    self.manifest = manifest
    self.entities = entities
    (interactions, histories, requests) = ([:], [:], [:])
  }
}

extension Snapshot {
  /// Returns all interactions of the kind `kind`, including interactions that are no longer in force; `nil`
  /// if the snapshot has no such kind. A cut needs them to determine which interactions were in force at its
  /// time.
  package func history(of kind: String) -> InteractionTable? { histories[kind] ?? interactions[kind] }
}
