package import Geohash

/// An entity near a place: a person or a thing.
package struct ServedPosition: Hashable, Sendable {
  package var id: StoredID
  /// Where: the centre of a cell of the pipeline's precision.
  package var position: Coordinate
  /// From the place that was asked for.
  package var distanceInKilometers: Double

  package init(id: StoredID, position: Coordinate, distanceInKilometers: Double) {
    self.id = id
    self.position = position
    self.distanceInKilometers = distanceInKilometers
  }
}

extension [ServedPosition] {
  /// What a store found in the rectangles around a circle, cut down to the circle: nearest first, then by id.
  ///
  /// - Parameters:
  ///   - found: Ids and positions: everything within the radius, and some beyond.
  ///   - center: The middle of the circle.
  ///   - radius: Kilometres, inclusive, by the great circle in full precision.
  init(_ found: [(id: StoredID, position: Coordinate)], around center: Coordinate, within radius: Double) {
    self = found.compactMap { id, position in
      let distance = center.distanceInKilometers(to: position)
      return distance <= radius
        ? ServedPosition(id: id, position: position, distanceInKilometers: distance) : nil
    }
    sort { ($0.distanceInKilometers, $0.id) < ($1.distanceInKilometers, $1.id) }
  }
}
