import Geohash

/// The generation that a read transaction of a SQL store sees.
struct SQLServedGeneration<Rows: SQLRows>: ServedGeneration {
  let record: GenerationRecord
  let rowsOfContent: (GenerationRecord.Content) -> Rows

  var summary: GenerationSummary { record.summary }

  func document(list: String, user: StoredID) throws -> [UInt8]? {
    try rows(.list, list)?.document(.list, user)
  }

  func person(entity: String, id: StoredID) throws -> [UInt8]? {
    try rows(.people, entity)?.document(.people, id)
  }

  func matches(name: String, user: StoredID) throws -> [ServedMatch] {
    try rows(.matches, name)?.matches(of: user) ?? []
  }

  func position(entity: String, id: StoredID) throws -> Coordinate? {
    try rows(.positions, entity)?.position(of: id)
  }

  func positions(entity: String, around center: Coordinate, within radius: Double) throws
    -> [ServedPosition]
  {
    guard let rows = rows(.positions, entity) else { return [] }
    let found = try BoundingBox(around: center, radiusInKilometers: radius).uncrossed
      .flatMap { try rows.positions(in: $0) }
    return [ServedPosition](found, around: center, within: radius)
  }

  func bucket(entity: String, cell: Geohash) throws -> [UInt8]? {
    try rows(.buckets, entity)?.document(.buckets, StoredID(cell.description))
  }

  func entries(catalog: String, key: StoredID, _ range: Range<Int>) throws -> [[UInt8]] {
    try rows(.catalog, catalog)?.entries(key, range) ?? []
  }

  /// Returns the rows of a table; `nil` if the generation has no such table.
  private func rows(_ kind: TableKind, _ name: String) -> Rows? {
    record.content(kind, name).map(rowsOfContent)
  }
}
