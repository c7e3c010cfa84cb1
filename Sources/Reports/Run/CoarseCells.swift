internal import Files
internal import Geohash
internal import Text

/// The number of people or things of one entity in each cell. Cells with fewer than ten of them are hidden.
/// Where many of them are close together, the cells are smaller.
struct CoarseCells: Sendable {
  struct Cell: Sendable {
    var geohash: Geohash
    var count: Int
    var box: BoundingBox { geohash.boundingBox }
  }

  /// The cells with at least ten rows, fullest first. They do not overlap.
  private(set) var shown: [Cell] = []
  /// The number of cells that are not shown, and the number of rows in them.
  private(set) var hidden: (cells: Int, entities: Int) = (0, 0)
  let total: Int
  /// The finest precision that the map may show.
  let finest: Int

  /// The precision of the finest cells that a page shows, which are about 39 by 20 km.
  private static let finestShown = 4
  /// The maximum number of cells on a map.
  private static let mostCells = 500
  /// The minimum share of a cell's rows in parts with at least ten rows. With at least this share, the map
  /// shows the parts instead of the cell. A cell is divided at most three times, so divisions hide at most
  /// about a quarter of the rows.
  private static let shareShown = 0.9

  /// Reads `buckets.csv` of an index.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - snapped: The precision of the geohash cells whose centers replace positions. The shown cells are
  ///     coarser, unless this precision is 1.
  /// - Throws: `FileError` if the file cannot be read or is damaged.
  init(_ path: String, snapped: Int) throws(FileError) {
    finest = max(1, min(Self.finestShown, snapped - 1))
    var finest = finest
    var tree = CellTree(finest: finest)
    var isHeader = true
    try MappedFile(checking: path).forEachLine(
      { (line) throws(FileError) in
        if isHeader {
          isHeader = false
          return
        }
        guard let (cell, count) = Self.parsed(line) else {
          throw FileError(damaged: path, "a line does not contain a cell and its number of rows")
        }
        tree.add(cell, count)
      }, path: path)
    total = tree.roots.reduce(0) { $0 + tree.counts[$1, default: 0] }
    repeat {
      (shown, hidden) = ([], (0, 0))
      for root in tree.roots { show(root, of: tree, finest: finest) }
      finest -= 1
    } while shown.count > Self.mostCells && finest > 0
    shown.sort { ($1.count, $0.geohash) < ($0.count, $1.geohash) }
  }

  /// The coarsest and the finest precision of the shown cells; `nil` if no cell is shown.
  var precisions: ClosedRange<Int>? {
    let all = shown.map(\.geohash.precision)
    guard let coarsest = all.min(), let finest = all.max() else { return nil }
    return coarsest...finest
  }

  /// The shown cells that a map draws. Large cells are omitted if smaller cells contain at least half of the
  /// rows, but would be tiny on a map with the large cells.
  var drawn: [Cell] {
    let half = Double(shown.reduce(0) { $0 + $1.count }) / 2
    var drawn: [Cell] = []
    for precision in (precisions.map(Array.init) ?? []).reversed() {
      let next = shown.filter { $0.geohash.precision >= precision }
      let isMost = Double(drawn.reduce(0) { $0 + $1.count }) >= half
      let (frame, part) = (MapFrame(next.map(\.box)), MapFrame(drawn.map(\.box)))
      if isMost, frame.dwarfs(part) { break }
      drawn = next
    }
    return drawn
  }

  /// Returns the positions in each shown cell. The result omits all other positions.
  func divided(_ positions: [Coordinate]) -> [Geohash: [Coordinate]] {
    let known = Set(shown.map(\.geohash))
    let precisions = precisions.map(Array.init) ?? []
    return positions.reduce(into: [:]) { divided, position in
      let cells = precisions.lazy.map { Geohash(position, precision: $0) }
      if let cell = cells.first(where: known.contains) { divided[cell, default: []].append(position) }
    }
  }

  /// Adds `cell` to the shown cells. If its parts with at least ten rows contain most of its rows, adds these
  /// parts instead.
  private mutating func show(_ cell: Geohash, of tree: CellTree, finest: Int) {
    let count = tree.counts[cell, default: 0]
    guard count >= Disclosure.leastPeople else {
      hidden = (hidden.cells + 1, hidden.entities + count)
      return
    }
    let parts = cell.precision < finest ? tree.parts[cell, default: []] : []
    let inParts = parts.map { tree.counts[$0, default: 0] }
    let kept = inParts.filter { $0 >= Disclosure.leastPeople }.reduce(0, +)
    guard Double(kept) >= Self.shareShown * Double(count) else {
      shown.append(Cell(geohash: cell, count: count))
      return
    }
    for part in parts { show(part, of: tree, finest: finest) }
    // Some positions are only as precise as `cell`, so its parts do not contain the rows with these
    // positions.
    let own = count - inParts.reduce(0, +)
    if own > 0 { hidden = (hidden.cells + 1, hidden.entities + own) }
  }

  /// Returns the cell and the number of rows in a line of the file; `nil` if the line is invalid.
  private static func parsed(_ line: Span<UInt8>) -> (Geohash, Int)? {
    guard let row = CSVRecord(line: line), row.count > 1,
      let cell = Geohash(String(decoding: row[0], as: UTF8.self)),
      let count = Int(String(decoding: row[1], as: UTF8.self)),
      (0...Int(UInt32.max)).contains(count)
    else { return nil }
    return (cell, count)
  }
}

/// The number of rows in each cell of every precision, and the parts of each cell that contain rows. The
/// parts of a cell are cells of the next precision.
private struct CellTree {
  let finest: Int
  var counts: [Geohash: Int] = [:]
  var parts: [Geohash: [Geohash]] = [:]
  var roots: [Geohash] = []

  init(finest: Int) { self.finest = finest }

  /// Adds `count` rows to the cell of the finest precision that contains `cell`, and to all larger cells
  /// around it.
  mutating func add(_ cell: Geohash, _ count: Int) {
    var cell = cell.precision > finest ? cell.parent(precision: finest) : cell
    while true {
      let isNew = counts[cell] == nil
      counts[cell, default: 0] += count
      guard cell.precision > 1 else {
        if isNew { roots.append(cell) }
        return
      }
      let around = cell.parent(precision: cell.precision - 1)
      if isNew { parts[around, default: []].append(cell) }
      cell = around
    }
  }
}
