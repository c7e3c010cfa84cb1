package import Geohash

/// An entity near a place.
package struct ServedPosition: Hashable, Sendable {
  package var id: StoredID
  /// The position: the center of a cell of the pipeline's precision.
  package var position: Coordinate
  /// The great-circle distance from the requested place.
  package var distanceInKilometers: Double

  package init(id: StoredID, position: Coordinate, distanceInKilometers: Double) {
    self.id = id
    self.position = position
    self.distanceInKilometers = distanceInKilometers
  }
}

extension [ServedPosition] {
  /// Keeps the positions within a circle, sorted by distance, then by id.
  ///
  /// - Parameters:
  ///   - found: Ids and positions from the bounding rectangles. They include all positions within the radius,
  ///     and possibly some beyond it.
  ///   - center: The center of the circle.
  ///   - radius: The radius in kilometers along the great circle, inclusive. Distances are compared with it
  ///     in full precision.
  init(_ found: [(id: StoredID, position: Coordinate)], around center: Coordinate, within radius: Double) {
    self = found.compactMap { id, position in
      let distance = center.distanceInKilometers(to: position)
      return distance <= radius
        ? ServedPosition(id: id, position: position, distanceInKilometers: distance) : nil
    }
    sort { ($0.distanceInKilometers, $0.id) < ($1.distanceInKilometers, $1.id) }
  }
}
