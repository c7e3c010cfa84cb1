internal import Foundation
internal import Geohash
internal import Text

/// Receives the rows of people, positions and buckets as a store would, and compares them with a served
/// generation.
final class PublishedRowsComparison: GenerationSink {
  private let generation: any ServedGeneration
  private var found: StoreDifferences
  private let changing: [String: Set<String>]
  private var tables: [(kind: TableKind, name: String, rows: Int)] = []

  /// - Parameters:
  ///   - generation: The generation that the store serves.
  ///   - found: The differences found so far.
  ///   - changing: For each entity, the attributes that are not compared.
  init(
    _ generation: any ServedGeneration, _ found: StoreDifferences, changing: [String: Set<String>]
  ) {
    (self.generation, self.found, self.changing) = (generation, found, changing)
  }

  func begin(_ kind: TableKind, _ name: String) throws { tables.append((kind, name, 0)) }

  func add(_ row: TableRow, rank: Int) throws {
    let (kind, name, number) = tables[tables.count - 1]
    tables[tables.count - 1].rows += 1
    if try !isServed(row, kind, name) {
      found.add("\(kind.table) of \(name), row \(number + 1): the store lacks the row or has a different row")
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
      guard let served else { return false }
      if ByteOrder.equal(json, served.span) { return true }
      guard kind == .people, let changing = changing[name] else { return false }
      return try Self.attributes(Array(copying: json), besides: changing)
        == Self.attributes(served, besides: changing)
    case .position(let id, let position, _):
      return try generation.position(entity: name, id: StoredID(copying: id)) == position
    case .match, .entry: preconditionFailure("a row of rankings cannot be compared here")
    }
  }

  private static func attributes(_ json: [UInt8], besides changing: Set<String>) throws -> [String: JSONValue]
  {
    try JSONDecoder().decode(JSONValue.self, from: Data(json)).members.filter { !changing.contains($0.key) }
  }

  /// Adds a difference for each table with more rows in the store than in the run.
  ///
  /// - Parameter held: The real numbers of rows in the store.
  /// - Returns: All differences.
  func finish(_ held: GenerationTables) -> StoreDifferences {
    for (kind, name, rows) in tables {
      found.rows += rows
      let others = held.rows(kind, name) - rows
      if others > 0 {
        found.add(
          "\(kind.table) of \(name): the store has too many rows: \(others.grouped) more than the run",
          rows: others)
      }
    }
    return found
  }

  func end() throws {}
  func count(table: Int, _ kind: TableKind) throws -> Int { tables[table].rows }
  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool { true }
  func keepAlive() throws {}
}
