/// The function from a distance to the value of the feature `distance`. If the distance increases, the value
/// never decreases.
package struct DistanceScale: BitwiseCopyable, Sendable {
  /// The number of kilometers to which predictions limit the distance; infinite without a limit.
  package var most = Double.infinity
  /// Whether the value is the logarithm of the distance; see `SignedLogarithm`.
  package var isLogarithm = false

  package init(most: Double = .infinity, isLogarithm: Bool = false) {
    (self.most, self.isLogarithm) = (most, isLogarithm)
  }

  /// Returns the value at `kilometers` for a prediction; NaN if `kilometers` is NaN.
  @inline(__always)
  package func callAsFunction(_ kilometers: Double) -> Double {
    let limited = kilometers > most ? most : kilometers
    return isLogarithm ? SignedLogarithm.of(limited) : limited
  }

  /// Returns the value at `kilometers` for a learning row; NaN if `kilometers` is NaN or above the limit.
  @inline(__always)
  package func learned(_ kilometers: Double) -> Double {
    kilometers > most ? .nan : isLogarithm ? SignedLogarithm.of(kilometers) : kilometers
  }
}
