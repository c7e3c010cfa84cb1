/// The function from a distance to the value of the feature `distance`. It never falls as the distance grows.
package struct DistanceScale: BitwiseCopyable, Sendable {
  /// The number of kilometers to which predictions limit the distance; infinite without a limit.
  package var most = Double.infinity
  /// Whether the value is the logarithm of the distance; see `SignedLogarithm`.
  package var isLogarithm = false

  package init(most: Double = .infinity, isLogarithm: Bool = false) {
    (self.most, self.isLogarithm) = (most, isLogarithm)
  }

  /// Returns the value for a prediction at `kilometers`. NaN stays NaN.
  @inline(__always)
  package func callAsFunction(_ kilometers: Double) -> Double {
    let limited = kilometers > most ? most : kilometers
    return isLogarithm ? SignedLogarithm.of(limited) : limited
  }

  /// Returns the value for a learning row at `kilometers`; NaN if the distance is beyond the limit.
  @inline(__always)
  package func learned(_ kilometers: Double) -> Double {
    kilometers > most ? .nan : isLogarithm ? SignedLogarithm.of(kilometers) : kilometers
  }
}
