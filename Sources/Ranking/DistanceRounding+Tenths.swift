internal import PipelineFile

extension Pipeline.DistanceRounding {
  /// `kilometers`, not negative or NaN, as it is published: with one decimal.
  ///
  /// Up means the first double among 0.0, 0.1, 0.2 ... that is not less than the distance as it was worked out: what is
  /// a tenth stays one, and what is above it by the last bit does not.
  func tenths(_ kilometers: Double) -> Double {
    switch self {
    case .nearest: return kilometers
    case .up:
      let tenths = (kilometers * 10).rounded(.up)
      // The product is rounded, and may have crossed a whole number in either direction.
      if (tenths - 1) / 10 >= kilometers { return (tenths - 1) / 10 }
      return tenths / 10 < kilometers ? (tenths + 1) / 10 : tenths / 10
    }
  }
}
