package import Geohash

/// A person or thing near a place.
package struct ServedPosition: Hashable, Sendable {
  package var id: StoredID
  /// The published position, which is the center of a geohash cell.
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
  ///   - radius: The radius in kilometers along the great circle, inclusive. Distances are compared with the
  ///     radius in full precision.
  init(_ found: [(id: StoredID, position: Coordinate)], around center: Coordinate, within radius: Double) {
    self = found.compactMap { id, position in
      let distance = center.distanceInKilometers(to: position)
      return distance <= radius
        ? ServedPosition(id: id, position: position, distanceInKilometers: distance) : nil
    }
    sort { ($0.distanceInKilometers, $0.id) < ($1.distanceInKilometers, $1.id) }
  }
}
