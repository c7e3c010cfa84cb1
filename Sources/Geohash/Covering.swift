extension Geohash {
  /// Returns all cells of a precision that contain a point within the radius, in ascending order and without
  /// duplicates.
  ///
  /// Cells include their edges. The result contains every cell that has a point within the radius (inclusive,
  /// by ``Coordinate/distanceInKilometers(to:)``). Cells more than 1 µm beyond the radius are left out. These
  /// rules also apply across the antimeridian and at the poles, which all cells of the polar row touch. If
  /// the radius is at least half of the circumference, the result is the whole globe.
  ///
  /// - Parameters:
  ///   - center: The center of the circle.
  ///   - radius: The radius in kilometers, at least 0.
  ///   - precision: The number of characters, 1 to 12; other values trap.
  ///   - maximumCells: The maximum number of cells; at least 1.
  /// - Returns: At least one cell, at most `maximumCells`.
  /// - Throws: `invalidRadius` for a negative radius or NaN; `tooManyCells` as soon as there are more than
  ///   `maximumCells`.
  /// - Complexity: The cells on the edge of the circle take most of the time, because the search for each of
  ///   them halves the globe repeatedly. If a larger cell lies within the radius, the cells in it need no
  ///   further tests. An error is thrown after at most the time that a covering with `maximumCells` cells
  ///   takes.
  public static func covering(
    center: Coordinate, radiusInKilometers radius: Double, precision: Int, maximumCells: Int = 100_000
  ) throws(CoveringError) -> [Geohash] {
    check(precision)
    precondition(maximumCells >= 1, "maximumCells must be at least 1, not \(maximumCells)")
    let cap = try SphericalCap(center: center, radiusInKilometers: radius)
    let depth = 5 * precision
    var cells: [Geohash] = []
    // The lower half of a cell is popped first, so cells are appended in ascending order.
    var pending = [GridCell(bits: 0, depth: 0)]
    while let cell = pending.popLast() {
      let relation = cap.relation(to: cell)
      if relation == .outside { continue }
      if relation == .crossing && cell.depth < depth {
        pending.append(cell.child(1))
        pending.append(cell.child(0))
        continue
      }
      let descendants = cell.descendantBits(atDepth: depth)
      guard descendants.upperBound - descendants.lowerBound <= UInt64(maximumCells - cells.count) else {
        throw .tooManyCells(radiusInKilometers: radius, precision: precision, maximumCells: maximumCells)
      }
      for bits in descendants { cells.append(Geohash(GridCell(bits: bits, depth: depth))) }
    }
    return cells
  }
}
