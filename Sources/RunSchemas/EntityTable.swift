package import Columns
package import Files

/// All rows of one entity, in ascending byte order of their ids. The number of a row is the rank of its id.
package struct EntityTable: Sendable {
  package let ids: StringColumn
  /// The latitude of the center of the row's geohash cell, in degrees; NaN without a position. `nil` if the
  /// entity has no positions.
  package let latitude: Column<Double>?
  /// The longitude of the same center as `latitude`.
  package let longitude: Column<Double>?
  /// The time when the row was created, in milliseconds since 1970 UTC; `Int64.min` if the export has no
  /// value. `nil` if the pipeline file names no such field.
  package let created: Column<Int64>?
  /// The time of the row's last change, in the same form as `created`.
  package let updated: Column<Int64>?
  /// The row of the owner in the owners' table; `noOwner` for a row without an owner. `nil` if the entity has
  /// no owners.
  package let owner: Column<UInt32>?
  package static let noOwner = UInt32.max
  /// Earlier versions of the rows; `nil` if the export has no earlier versions, or if the rows have no update
  /// times.
  package let earlier: EntityVersions?
  package let categories: [String: CategoryColumn]
  /// The numbers; NaN for a missing number.
  package let numbers: [String: Column<Double>]
  /// The flags: 1 for true, 0 for false or missing.
  package let flags: [String: Column<UInt8>]
  package let texts: [String: StringColumn]
  package let tags: [String: TagColumn]
  /// The dates in milliseconds since 1970 UTC; a day is stored as its start. `Int64.min` for a missing date.
  package let dates: [String: Column<Int64>]
  package let intervals: [String: IntervalColumn]
  /// Numbers that are computed from interactions; NaN if missing.
  package let computed: [String: Column<Double>]

  /// Memory-maps the table in `directory`.
  ///
  /// - Throws: `FileError` if a column cannot be read, or does not have one element for each id.
  package init(_ directory: String, _ schema: EntitySchema) throws(FileError) {
    ids = try StringColumn(directory + "/id").checkedOrder(directory + "/id")
    let columns = EntityColumns(directory, count: ids.count)
    latitude = schema.hasPosition ? try columns.angles("latitude", within: 90) : nil
    longitude = schema.hasPosition ? try columns.angles("longitude", within: 180) : nil
    created = schema.hasCreated ? try columns.times("created") : nil
    updated = schema.hasUpdated ? try columns.times("updated") : nil
    owner = schema.hasOwner ? try Column(directory + "/owner.npy", count: ids.count) : nil
    let versions = directory + "/earlier"
    earlier =
      schema.hasUpdated && Directories.exists(versions)
      ? try EntityVersions(versions, schema, of: ids.count) : nil
    let attributes = try AttributeColumns(directory + "/attributes", schema, count: ids.count)
    categories = attributes.categories
    numbers = attributes.numbers
    flags = attributes.flags
    texts = attributes.texts
    tags = attributes.tags
    dates = attributes.dates
    intervals = attributes.intervals
    var computed: [String: Column<Double>] = [:]
    for name in schema.computed {
      computed[name] = try Column("\(directory)/computed/\(name).npy", count: ids.count)
    }
    self.computed = computed
  }

  /// Checks that the owners of all rows and earlier versions exist in a table of `owners` rows.
  ///
  /// - Throws: `FileError` if an owner does not exist.
  func checkOwners(below owners: Int, in directory: String) throws(FileError) {
    _ = try owner?.checked(below: owners, or: Self.noOwner, directory + "/owner.npy")
    _ = try earlier?.owner?.checked(below: owners, or: Self.noOwner, directory + "/earlier/owner.npy")
  }

  package var count: Int { ids.count }

  /// Returns the row with the id `id`; `nil` if the table does not contain the id.
  package func row(of id: String) -> UInt32? {
    ids.row(of: Array(id.utf8)).map { UInt32($0) }
  }
}

/// The version of a row that was in force at a time.
package enum EntityVersion: Hashable, Sendable {
  /// The current row of the table.
  case current
  /// The version at this index of `EntityTable.earlier`.
  case earlier(Int)
  /// The version is unknown, because every version in the export is later.
  case unknown
  /// No version was in force, because the row was created later.
  case notYet
}

extension EntityTable {
  /// Returns the version of `row` that was in force at `time`, in milliseconds since 1970 UTC. This version
  /// is the newest version up to that time.
  ///
  /// A version without an update time is older than any version with an update time. The creation time in the
  /// version in force decides whether the row existed. If the version is unknown, the creation time of the
  /// current row decides. A row without a creation time is assumed to have always existed.
  ///
  /// - Complexity: O(log n) in the earlier versions.
  package func version(of row: Int, at time: Int64) -> EntityVersion {
    let version: EntityVersion
    let birth: Int64?
    if let updated, updated[row] > time {
      let index = earlier?.last(of: row, notAfter: time)
      version = index.map { .earlier($0) } ?? .unknown
      birth = index == nil ? created?[row] : index.flatMap { earlier?.created?[$0] }
    } else {
      version = .current
      birth = created?[row]
    }
    if let birth, birth > time { return .notYet }
    return version
  }
}

extension EntityTable {
  /// Creates a table in memory, without times, earlier versions or computed numbers.
  ///
  /// - Parameters:
  ///   - ids: The ids, in ascending byte order.
  ///   - position: The positions in degrees, NaN without a position; `nil` if the kind has no positions.
  ///   - owner: The rows of the owners, as in the property `owner`.
  ///   - attributes: The attributes, with one element for each id.
  package init(
    ids: StringColumn, position: (latitude: Column<Double>, longitude: Column<Double>)?,
    owner: Column<UInt32>?, attributes: AttributeColumns
  ) {
    self.ids = ids
    (latitude, longitude) = (position?.latitude, position?.longitude)
    (created, updated, earlier) = (nil, nil, nil)
    self.owner = owner
    categories = attributes.categories
    numbers = attributes.numbers
    flags = attributes.flags
    texts = attributes.texts
    tags = attributes.tags
    dates = attributes.dates
    intervals = attributes.intervals
    computed = [:]
  }
}
