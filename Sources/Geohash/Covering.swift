extension Geohash {
  /// Returns all cells of a precision that contain a point within the radius, in ascending order and without
  /// duplicates.
  ///
  /// Cells include their edges. The result contains every cell that has a point within the radius (inclusive,
  /// by ``Coordinate/distanceInKilometers(to:)``), and no cell that is more than 1 µm beyond the radius. This
  /// is also true across the antimeridian and at the poles, which all cells of the polar row touch. If the
  /// radius is at least half of the circumference, the result is the whole globe.
  ///
  /// - Parameters:
  ///   - center: The center of the circle.
  ///   - radius: Kilometers, 0 or more.
  ///   - precision: Characters, 1 to 12; anything else traps.
  ///   - maximumCells: The maximum number of cells; at least 1.
  /// - Returns: At least one cell, at most `maximumCells`.
  /// - Throws: `invalidRadius` for a negative radius or NaN; `tooManyCells` as soon as there are more than
  ///   `maximumCells`.
  /// - Complexity: The cells at the rim take most of the time, because each of them is found by halving the
  ///   globe repeatedly. If a larger cell lies within the radius, the cells in it need no further tests. An
  ///   error takes at most as long as a covering with `maximumCells` cells.
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
