/// The reason why a covering cannot be computed.
public enum CoveringError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The radius, in kilometers, is negative or NaN.
  case invalidRadius(Double)
  /// The covering has more cells than the caller allows.
  case tooManyCells(radiusInKilometers: Double, precision: Int, maximumCells: Int)

  public var description: String {
    switch self {
    case .invalidRadius(let radius):
      "The radius of a covering must be at least 0 km, not \(radius) km."
    case .tooManyCells(let radius, let precision, let maximumCells):
      """
      A covering of \(radius) km has more than \(maximumCells) cells of precision \(precision). \
      Choose a coarser precision or a smaller radius.
      """
    }
  }
}

/// The spherical cap of all points within a radius of a center.
struct SphericalCap {
  /// The tolerance, in kilometers, within which a cell counts as touching the cap: 1 µm.
  ///
  /// The tolerance is about a hundred times the rounding error of the distances. A covering therefore
  /// contains every point within the radius, as measured by `Coordinate.distanceInKilometers(to:)`.
  static let slackInKilometers = 1e-9

  enum Relation {
    case outside
    case crossing
    case inside
  }

  private let center: DistanceOrigin
  private let radius: Double

  /// Creates the cap of all points within `radius` of `center`.
  ///
  /// - Throws: `invalidRadius` for a negative radius or NaN.
  init(center: Coordinate, radiusInKilometers radius: Double) throws(CoveringError) {
    guard radius >= 0 else { throw .invalidRadius(radius) }
    self.center = DistanceOrigin(center)
    self.radius = radius
  }

  /// Returns whether the closed rectangle of `cell` lies outside the cap, wholly inside it, or neither.
  ///
  /// `outside` is certain because of the tolerance. `inside` may be wrong by less than the tolerance. This
  /// error is harmless, because the cell touches the cap anyway.
  func relation(to cell: GridCell) -> Relation {
    let box = cell.boundingBox
    if center.minimumDistanceInKilometers(to: box) > radius + Self.slackInKilometers { return .outside }
    return center.maximumDistanceInKilometers(to: box) <= radius ? .inside : .crossing
  }
}
