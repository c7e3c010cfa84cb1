internal import Concurrency
internal import Files
internal import Geohash
internal import Text

/// A digest of all rows of a generation, by table. The order of the rows does not matter.
///
/// Two generations with equal digests almost certainly contain the same rows. For each table, the digest
/// contains the sum of the 64-bit checksums of its rows. These sums detect accidental changes, but not
/// deliberate changes.
package struct GenerationDigest: Equatable, Sendable {
  private struct Table: Hashable {
    var kind: TableKind
    /// The name as bytes, because Swift regards different names as equal if they are canonically equivalent.
    var name: [UInt8]
  }

  private struct Sum: Hashable {
    var rows = 0
    var sum: UInt64 = 0
    /// For a store that keeps each match under both of its sides: the sum of the checksums of the matches
    /// under their first sides, minus the sum for the second sides. The difference is 0 if both sides contain
    /// the same matches. Other damage of the table also changes this number.
    var unpaired: UInt64 = 0
  }

  private var sums: [Table: Sum] = [:]
  private var open: Table?

  init() {}

  package static func == (left: Self, right: Self) -> Bool { left.sums == right.sums }

  /// Returns the tables that differ between two digests, in the order of their kinds and names.
  func differingTables(from other: Self) -> [(kind: TableKind, name: String)] {
    let tables = Set(sums.keys).union(other.sums.keys).filter { sums[$0] != other.sums[$0] }
    return TableKind.allCases.flatMap { kind in
      tables.filter { $0.kind == kind }.map { String(decoding: $0.name, as: UTF8.self) }.sorted()
        .map { (kind: kind, name: $0) }
    }
  }

  /// Opens a table, to which `add` adds rows until the next call of `begin`.
  mutating func begin(_ kind: TableKind, _ name: String) {
    let table = Table(kind: kind, name: Array(name.utf8))
    open = table
    sums[table, default: Sum()].rows += 0
  }

  /// Adds a row to the open table.
  ///
  /// - Parameters:
  ///   - row: The row to add.
  ///   - rank: The rank of an entry within its key, from 1; 0 for rows of other shapes.
  mutating func add(_ row: TableRow, rank: Int = 0) {
    guard let open else { preconditionFailure("a row was added while no table was open") }
    sums[open]?.rows += 1
    sums[open]?.sum &+= Self.value(row, rank)
  }

  /// Adds one side of a match from a store that keeps each match under both of its sides.
  mutating func add(side match: TableRow, isFirst: Bool) {
    guard let open else { preconditionFailure("a row was added while no table was open") }
    if isFirst { add(match) }
    let value = Self.value(match, 0)
    sums[open]?.unpaired &+= isFirst ? value : 0 &- value
  }

  /// Adds a position as a store returns it. A missing or invalid coordinate or cell counts as damage.
  mutating func add(position id: [UInt8], cell: [UInt8], _ latitude: Double?, _ longitude: Double?) {
    guard let latitude, let longitude, let place = Coordinate(latitude: latitude, longitude: longitude),
      let cell = Geohash(String(decoding: cell, as: UTF8.self))
    else { return addDamage() }
    add(.position(id: id.span, place, cell: cell))
  }

  /// Records that the open table is damaged, for example because a row is invalid. The digest then differs
  /// from the digest of every undamaged generation.
  mutating func addDamage() {
    if let open { sums[open]?.unpaired &+= 1 }
  }

  private static func value(_ row: TableRow, _ rank: Int) -> UInt64 {
    switch row {
    case .document(let id, let json, _): mixed(checksum(id), checksum(json))
    case .match(let user, let other, let instant):
      mixed(mixed(checksum(user), checksum(other)), checksum(instant))
    case .position(let id, let position, let cell):
      mixed(
        mixed(checksum(id), checksum(Array(cell.description.utf8).span)),
        mixed(position.latitude.bitPattern, position.longitude.bitPattern))
    // In a damaged store, a rank can be negative.
    case .entry(let key, let json):
      mixed(mixed(checksum(key), UInt64(bitPattern: Int64(rank))), checksum(json))
    }
  }

  private static func mixed(_ first: UInt64, _ second: UInt64) -> UInt64 {
    Mix64.finalized(Mix64.finalized(first) &+ second)
  }

  private static func checksum(_ bytes: Span<UInt8>) -> UInt64 {
    unsafe UInt64(bytes.count) << 32 ^ UInt64(BlockChecksums.checksum(of: bytes.bytes))
  }
}

/// Receives the rows of a generation as a store would, and digests them.
final class DigestSink: GenerationSink {
  private(set) var digest = GenerationDigest()

  func begin(_ kind: TableKind, _ name: String) { digest.begin(kind, name) }
  func add(_ row: TableRow, rank: Int) { digest.add(row, rank: rank) }
  func end() {}
  /// `count` and `holds` are never called, because `close` is not called on the loader that fills this sink.
  func count(table: Int, _ kind: TableKind) -> Int { preconditionFailure("a digest has no row counts") }
  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) -> Bool {
    preconditionFailure("a digest contains no rows")
  }
  func keepAlive() {}
}
