/// One of the eight directions of the compass, in clockwise order from north.
public enum CompassDirection: CaseIterable, Hashable, Sendable {
  case north, northeast, east, southeast, south, southwest, west, northwest

  /// The number of rows to the north: -1, 0 or 1.
  var rowsNorth: Int {
    switch self {
    case .northwest, .north, .northeast: 1
    case .east, .west: 0
    case .southeast, .south, .southwest: -1
    }
  }

  /// The number of columns to the east: -1, 0 or 1.
  var columnsEast: Int {
    switch self {
    case .northeast, .east, .southeast: 1
    case .north, .south: 0
    case .southwest, .west, .northwest: -1
    }
  }
}

extension Geohash {
  /// Returns the adjacent cell of the same precision in a direction, or `nil` if it would lie beyond a pole.
  ///
  /// East and west wrap around the antimeridian.
  public func neighbor(_ direction: CompassDirection) -> Geohash? {
    cell.neighbor(north: direction.rowsNorth, east: direction.columnsEast).map { Geohash($0) }
  }

  /// The adjacent cells of the same precision, clockwise from north.
  ///
  /// A cell has eight neighbors, or five in a polar row, because the cell across the pole touches this cell
  /// only in a point.
  public var neighbors: [Geohash] {
    CompassDirection.allCases.compactMap { neighbor($0) }
  }
}
