internal import Files
internal import Geohash
internal import Text

/// The numbers of entities of one kind by location, in cells large enough that most of them hold enough
/// entities.
struct CoarseCells: Sendable {
  struct Cell: Sendable {
    var geohash: Geohash
    var count: Int
  }

  let precision: Int
  /// The cells with enough entities, fullest first.
  let shown: [Cell]
  /// The number of other cells, and the number of entities in them.
  let hidden: (cells: Int, entities: Int)
  let total: Int

  /// The finest cells that a page shows: about 39 by 20 km.
  private static let finest = 4
  /// The maximum number of cells on a map.
  private static let mostCells = 500
  /// The share of entities that the shown cells should hold.
  private static let shareShown = 0.75

  /// Reads `buckets.csv` of an index.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - snapped: The precision of positions. Shown cells are coarser.
  /// - Throws: `FileError`.
  init(_ path: String, snapped: Int) throws(FileError) {
    var counts: [Geohash: Int] = [:]
    let finest = max(1, min(Self.finest, snapped - 1))
    var isHeader = true
    try MappedFile(checking: path).forEachLine(
      { (line) throws(FileError) in
        if isHeader {
          isHeader = false
          return
        }
        guard let (cell, count) = Self.parsed(line) else {
          throw FileError(.read, path, reason: "a line is not a cell with its number of entities")
        }
        counts[cell.precision > finest ? cell.parent(precision: finest) : cell, default: 0] += count
      }, path: path)
    let total = counts.values.reduce(0, +)
    var best = Self.split(counts)
    var precision = finest
    // Cells become coarser until the shown cells hold most entities.
    while precision > 1,
      Double(best.hidden.entities) > (1 - Self.shareShown) * Double(total)
        || best.shown.count > Self.mostCells
    {
      precision -= 1
      var coarser: [Geohash: Int] = [:]
      for (cell, count) in counts {
        coarser[cell.precision > precision ? cell.parent(precision: precision) : cell, default: 0] += count
      }
      counts = coarser
      best = Self.split(counts)
    }
    (self.precision, self.total) = (precision, total)
    (shown, hidden) = best
  }

  private static func split(_ counts: [Geohash: Int]) -> (shown: [Cell], hidden: (cells: Int, entities: Int))
  {
    let few = counts.values.filter { $0 < Disclosure.leastPeople }
    let shown = counts.filter { $0.value >= Disclosure.leastPeople }.map {
      Cell(geohash: $0.key, count: $0.value)
    }
    .sorted { ($1.count, $0.geohash) < ($0.count, $1.geohash) }
    return (shown, (few.count, few.reduce(0, +)))
  }

  /// The cell and the number of entities on a line.
  private static func parsed(_ line: Span<UInt8>) -> (Geohash, Int)? {
    guard let row = CSVRecord(line: line), row.count > 1,
      let cell = Geohash(String(decoding: row[0], as: UTF8.self)),
      let count = Int(String(decoding: row[1], as: UTF8.self)),
      (0...Int(UInt32.max)).contains(count)
    else { return nil }
    return (cell, count)
  }
}
