/// The value of a candidate on a list by distance: 0 at the user's position, and -1 at the radius.
package struct DistanceValue: Sendable {
  /// The number of kilometers at which the value is -1: the radius, or half the Earth's circumference if the
  /// ranking has no radius.
  package let unit: Double

  /// The value of a candidate at an unknown distance, who is listed last.
  package static let ofUnknown = -2.0

  package init(radiusInKilometers radius: Double?) { unit = radius ?? 20_016 }

  /// Returns the value at `distance` kilometers; NaN is an unknown distance.
  package func value(_ distance: Double) -> Double {
    distance.isNaN ? Self.ofUnknown : -(distance / unit)
  }
}
