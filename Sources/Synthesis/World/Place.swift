internal import Concurrency
internal import Glibc

/// A position in the synthetic world, in degrees.
struct Place: Hashable, Sendable {
  var latitude: Double
  var longitude: Double

  /// The number of kilometers in a degree of latitude, on a sphere with a radius of 6371 km.
  private static let kilometersPerDegree = 111.195

  /// Returns the place `north` and `east` kilometers away, rounded to 5 decimals (about a meter).
  ///
  /// The result is rounded, because the last bits of `cos` differ between machines, but the files must be the
  /// same on every machine. The formula is valid for latitudes below 80 degrees and offsets below 100 km, far
  /// from the poles and the antimeridian.
  func moved(north: Double, east: Double) -> Place {
    let latitude = self.latitude + north / Self.kilometersPerDegree
    let longitude = self.longitude + east / (Self.kilometersPerDegree * cos(self.latitude * .pi / 180))
    return Place(latitude: Self.rounded(latitude), longitude: Self.rounded(longitude))
  }

  /// Returns the offset to `other` in kilometers north and east, on a plane. The error is a few percent
  /// across Europe. The error affects only who sees and likes whom, and not the positions in the files.
  func offset(to other: Place) -> (north: Double, east: Double) {
    let middle = (latitude + other.latitude) / 2
    let north = (other.latitude - latitude) * Self.kilometersPerDegree
    return (north, (other.longitude - longitude) * Self.kilometersPerDegree * cos(middle * .pi / 180))
  }

  /// Returns the distance to `other` in kilometers on the same plane.
  func kilometers(to other: Place) -> Double {
    let offset = offset(to: other)
    return (offset.north * offset.north + offset.east * offset.east).squareRoot()
  }

  /// Draws a place nearby. `spread` is the standard deviation of the distance along each axis in kilometers.
  func scattered(by spread: Double, using generator: inout SplitMix64) -> Place {
    let (north, east) = (generator.nextGaussian(), generator.nextGaussian())
    return moved(north: spread * north, east: spread * east)
  }

  private static func rounded(_ degrees: Double) -> Double {
    (degrees * 1e5).rounded() / 1e5
  }
}
