package import Columns
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
  /// All interactions of a kind, also those that were taken back since: for whoever asks what was at some moment.
  package func history(of kind: String) -> InteractionTable? { histories[kind] ?? interactions[kind] }
}

/// What a column of an entity holds.
package enum AttributeType: String, CaseIterable, Sendable {
  case category, number, flag, text
  /// A set of texts.
  case tags
  /// A day or a moment.
  case date
  /// A set of spans of time.
  case intervals
}

/// The columns of one kind of entity.
package struct EntitySchema: Hashable, Sendable {
  package var name: String
  package var hasPosition: Bool
  package var hasCreated: Bool
  package var hasUpdated: Bool
  package var hasOwner: Bool
  /// Type by attribute name.
  package var attributes: [String: AttributeType]
  /// Names of numbers that are worked out from interactions.
  package var computed: [String]

  package init(
    name: String, hasPosition: Bool, hasCreated: Bool = false, hasUpdated: Bool = false,
    hasOwner: Bool = false, attributes: [String: AttributeType], computed: [String] = []
  ) {
    self.name = name
    self.hasPosition = hasPosition
    self.hasCreated = hasCreated
    self.hasUpdated = hasUpdated
    self.hasOwner = hasOwner
    self.attributes = attributes
    self.computed = computed
  }
}

/// All entities of one kind, in ascending byte order of their ids: a row is a rank among ids.
package struct EntityTable: Sendable {
  package let ids: StringColumn
  /// Degrees, snapped; NaN where there is no position. `nil` where the kind has none at all.
  package let latitude: Column<Double>?
  package let longitude: Column<Double>?
  /// When the entity came to be and when its row last changed, in milliseconds since 1970 UTC; `Int64.min` where the
  /// export does not say. `nil` where the pipeline file names no such field.
  package let created: Column<Int64>?
  package let updated: Column<Int64>?
  /// Row of the owner in the table of its kind; the largest number where there is none. `nil` where the kind has no owners.
  package let owner: Column<UInt32>?
  package static let noOwner = UInt32.max
  /// What rows were before they were updated; `nil` where the export does not hold it.
  package let earlier: EntityVersions?
  package let categories: [String: CategoryColumn]
  /// NaN is missing.
  package let numbers: [String: Column<Double>]
  /// 1, or 0 for false and for missing.
  package let flags: [String: Column<UInt8>]
  package let texts: [String: StringColumn]
  package let tags: [String: TagColumn]
  /// Milliseconds since 1970 UTC, of a day its first; `Int64.min` is missing.
  package let dates: [String: Column<Int64>]
  package let intervals: [String: IntervalColumn]
  /// Numbers that are worked out from interactions; NaN is missing.
  package let computed: [String: Column<Double>]

  package init(_ directory: String, _ schema: EntitySchema) throws(FileError) {
    ids = try StringColumn(directory + "/id")
    latitude = schema.hasPosition ? try Column(directory + "/latitude.npy") : nil
    longitude = schema.hasPosition ? try Column(directory + "/longitude.npy") : nil
    created = schema.hasCreated ? try Column(directory + "/created.npy") : nil
    updated = schema.hasUpdated ? try Column(directory + "/updated.npy") : nil
    owner = schema.hasOwner ? try Column(directory + "/owner.npy") : nil
    let versions = directory + "/earlier"
    earlier =
      schema.hasUpdated && Directories.exists(versions)
      ? try EntityVersions(versions, schema, of: ids.count) : nil
    let attributes = try AttributeColumns(directory + "/attributes", schema)
    categories = attributes.categories
    numbers = attributes.numbers
    flags = attributes.flags
    texts = attributes.texts
    tags = attributes.tags
    dates = attributes.dates
    intervals = attributes.intervals
    var computed: [String: Column<Double>] = [:]
    for name in schema.computed { computed[name] = try Column("\(directory)/computed/\(name).npy") }
    self.computed = computed
  }

  package var count: Int { ids.count }

  /// The row of the entity `id`, or `nil`.
  package func row(of id: String) -> UInt32? {
    ids.row(of: Array(id.utf8)).map { UInt32($0) }
  }
}

/// All interactions of one kind, in (user, time, input order) order.
package struct InteractionTable: Sendable {
  /// Rows of the users' entity.
  package let user: InteractionUsers
  /// Rows of the candidates' entity.
  package let candidate: Column<UInt32>
  /// Milliseconds since 1970 UTC.
  package let at: Column<Int64>
  package let value: ValueColumn
  /// The interactions of user `u` are `userOffsets[u]..<userOffsets[u + 1]`.
  package let userOffsets: Column<UInt64>
  /// Interactions grouped by candidate, each group in the order of the table.
  package let byCandidate: Column<UInt32>
  package let candidateOffsets: Column<UInt64>
  /// The least value of a like, and the value below which all are passes.
  package let likedFrom: Double
  package let passedBelow: Double

  /// Where those of a table stand that count, if some do not.
  package static let inForce = "in_force"

  /// Maps the table in `directory`; `likedFrom` as in `InteractionSchema`, `holdsEnded` as in `Snapshot`.
  package init(
    _ directory: String, likedFrom: Double? = nil, holdsEnded: Bool = false
  ) throws(FileError) {
    let inForce = directory + "/" + Self.inForce
    let directory = !holdsEnded && Directories.exists(inForce) ? inForce : directory
    self.likedFrom = likedFrom ?? .leastNonzeroMagnitude
    passedBelow = likedFrom ?? 0
    candidate = try Column(directory + "/candidate.npy")
    at = try Column(directory + "/at.npy")
    value = try ValueColumn(directory + "/value.npy")
    userOffsets = try Column(directory + "/user.offsets.npy")
    user = InteractionUsers(userOffsets, count: candidate.count)
    byCandidate = try Column(directory + "/by_candidate.npy")
    candidateOffsets = try Column(directory + "/by_candidate.offsets.npy")
  }

  package var count: Int { candidate.count }

  /// The interactions that `user` did.
  package func range(ofUser user: Int) -> Range<Int> {
    userOffsets.range(of: user)
  }

  /// The positions in `byCandidate` of the interactions that `candidate` received.
  package func range(ofCandidate candidate: Int) -> Range<Int> {
    candidateOffsets.range(of: candidate)
  }
}
