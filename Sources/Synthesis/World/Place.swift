internal import Concurrency
internal import Glibc

/// A position in the synthetic world, in degrees.
struct Place: Hashable, Sendable {
  var latitude: Double
  var longitude: Double

  /// Kilometres in a degree of latitude, on a sphere of 6371 km.
  private static let kilometersPerDegree = 111.195

  /// The place so many kilometres north and east, rounded to 5 decimals (about a metre).
  ///
  /// Rounded, because the last bits of `cos` are not the same on every machine and the files should be. For
  /// latitudes below 80 degrees and offsets below 100 km; neither a pole nor the antimeridian is near there.
  func moved(north: Double, east: Double) -> Place {
    let latitude = self.latitude + north / Self.kilometersPerDegree
    let longitude = self.longitude + east / (Self.kilometersPerDegree * cos(self.latitude * .pi / 180))
    return Place(latitude: Self.rounded(latitude), longitude: Self.rounded(longitude))
  }

  /// Kilometres north and east from here to `other` on a plane: off by a few percent across Europe, which
  /// only bends hidden tastes.
  func offset(to other: Place) -> (north: Double, east: Double) {
    let middle = (latitude + other.latitude) / 2
    let north = (other.latitude - latitude) * Self.kilometersPerDegree
    return (north, (other.longitude - longitude) * Self.kilometersPerDegree * cos(middle * .pi / 180))
  }

  /// Kilometres from here to `other` on the same plane.
  func kilometers(to other: Place) -> Double {
    let offset = offset(to: other)
    return (offset.north * offset.north + offset.east * offset.east).squareRoot()
  }

  /// A place around here: its distance along each axis has the standard deviation `spread` in kilometres.
  func scattered(by spread: Double, using generator: inout SplitMix64) -> Place {
    let (north, east) = (generator.nextGaussian(), generator.nextGaussian())
    return moved(north: spread * north, east: spread * east)
  }

  private static func rounded(_ degrees: Double) -> Double {
    (degrees * 1e5).rounded() / 1e5
  }
}
