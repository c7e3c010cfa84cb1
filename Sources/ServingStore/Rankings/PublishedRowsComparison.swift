internal import Geohash
internal import Text

/// Receives the rows of people, positions and buckets as a store would, and compares them with a served generation.
final class PublishedRowsComparison: GenerationSink {
  private let generation: any ServedGeneration
  private var found: RankingsVerification.Found
  private var tables: [(kind: TableKind, name: String, rows: Int)] = []

  /// - Parameters:
  ///   - generation: The generation that the store serves.
  ///   - found: What was found before.
  init(_ generation: any ServedGeneration, _ found: RankingsVerification.Found) {
    (self.generation, self.found) = (generation, found)
  }

  func begin(_ kind: TableKind, _ name: String) throws { tables.append((kind, name, 0)) }

  func add(_ row: TableRow, rank: Int) throws {
    let (kind, name, number) = tables[tables.count - 1]
    tables[tables.count - 1].rows += 1
    if try !isServed(row, kind, name) {
      found.add("\(kind.table) of \(name), row \(number): the row in the store differs or is missing")
    }
  }

  private func isServed(_ row: TableRow, _ kind: TableKind, _ name: String) throws -> Bool {
    switch row {
    case .document(let id, let json, _):
      let id = StoredID(copying: id)
      let served =
        kind == .buckets
        ? try Geohash(id.text).flatMap { try generation.bucket(entity: name, cell: $0) }
        : try generation.person(entity: name, id: id)
      return served.map { ByteOrder.equal(json, $0.span) } ?? false
    case .position(let id, let position, _):
      return try generation.position(entity: name, id: StoredID(copying: id)) == position
    case .match, .entry: preconditionFailure("rankings are compared with their files")
    }
  }

  /// Adds the rows that only the store has.
  ///
  /// - Parameter held: The real numbers of rows in the store.
  /// - Returns: The result.
  func finish(_ held: GenerationTables) -> RankingsVerification.Found {
    for (kind, name, rows) in tables {
      found.rows += rows
      let others = held.rows(kind, name) - rows
      if others > 0 {
        found.add("\(kind.table) of \(name): the store has \(others) other rows", rows: others)
      }
    }
    return found
  }

  func end() throws {}
  func count(table: Int, _ kind: TableKind) throws -> Int { tables[table].rows }
  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool { true }
  func keepAlive() throws {}
}
