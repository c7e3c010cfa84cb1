internal import Files
internal import Geohash
internal import Text

/// How many of a kind of entity are where, in cells so large that enough are in most of them.
struct CoarseCells: Sendable {
  struct Cell: Sendable {
    var geohash: Geohash
    var count: Int
  }

  let precision: Int
  /// Those with enough entities, most first.
  let shown: [Cell]
  /// How many others there are, and how many entities are in them.
  let hidden: (cells: Int, entities: Int)
  let total: Int

  /// The finest cells that a page shows: about 39 by 20 km.
  private static let finest = 4
  /// The most cells that a map can hold.
  private static let mostCells = 500
  /// The share of entities that should be in cells that are shown.
  private static let shareShown = 0.75

  /// Reads `buckets.csv` of an index.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - snapped: The precision of positions; what is shown is coarser.
  /// - Throws: `FileError`.
  init(_ path: String, snapped: Int) throws(FileError) {
    var counts: [Geohash: Int] = [:]
    let finest = max(1, min(Self.finest, snapped - 1))
    var isHeader = true
    try MappedFile(path).forEachLine(
      { (line) throws(FileError) in
        if isHeader {
          isHeader = false
          return
        }
        guard let (cell, count) = Self.parsed(line) else {
          throw FileError(.read, path, reason: "a line is no cell with its entities")
        }
        counts[cell.precision > finest ? cell.parent(precision: finest) : cell, default: 0] += count
      }, path: path)
    let total = counts.values.reduce(0, +)
    var best = Self.split(counts)
    var precision = finest
    // Coarser until most entities are in cells that may be shown.
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

  /// The cell and the number at the beginning of a line.
  private static func parsed(_ line: Span<UInt8>) -> (Geohash, Int)? {
    guard let row = CSVRecord(line: line), let cell = Geohash(String(decoding: row[0], as: UTF8.self)),
      let count = Int(String(decoding: row[1], as: UTF8.self)), count >= 0
    else { return nil }
    return (cell, count)
  }
}
