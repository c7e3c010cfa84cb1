/// One axis of the geohash grid. The bits of a geohash halve each axis repeatedly.
enum Axis {
  case latitude
  case longitude

  /// The exponent n for which the axis ranges from -45 · 2ⁿ⁻¹ to 45 · 2ⁿ⁻¹ degrees.
  private var spanExponent: Int {
    switch self {
    case .latitude: 2
    case .longitude: 3
    }
  }

  /// Returns the index of the interval that contains `degrees`, among 2^`bits` equal intervals counted from
  /// the south or west.
  ///
  /// The result is exact. An edge belongs to the interval north or east of it; the upper end of the axis
  /// belongs to the last interval.
  ///
  /// Counting starts at the middle of the axis. If it started at the south pole, the rounding of
  /// `degrees + 90` would put -1e-300 north of the equator. Only the division by 45 rounds; all other factors
  /// are powers of two. The rounded quotient therefore lies in the correct interval or in the next one. One
  /// comparison with the exact edge decides between them, and also turns truncation toward zero into rounding
  /// down.
  ///
  /// - Parameters:
  ///   - degrees: The angle, within the range of the axis.
  ///   - bits: The number of halvings of the axis, 0 to 32.
  /// - Returns: 0 to 2^`bits` - 1.
  @inline(__always)
  func index(of degrees: Double, bits: Int) -> UInt32 {
    guard bits > 0 else { return 0 }
    // There are fewer than 2³³ intervals, so no operation overflows. The result of the comparison is used as
    // a number instead of in a branch. For points in all hemispheres, half of the branches would be
    // mispredicted.
    let guess = Int64(degrees / 45 * powerOfTwo(bits - spanExponent))
    let isAbove = Double(45 &* guess) * powerOfTwo(spanExponent - bits) > degrees
    let half = Int64(1) &<< Int64(bits &- 1)
    let index = guess &+ half &- (isAbove ? 1 : 0)
    return UInt32(truncatingIfNeeded: min(index, 2 &* half &- 1))
  }

  /// Returns the exact position, in degrees, that lies `halfCells` half intervals above the lower end of the
  /// axis.
  ///
  /// - Parameters:
  ///   - halfCells: A number from 0 to 2^(`bits` + 1): even at edges, odd at centers.
  ///   - bits: The number of halvings of the axis, 0 to 32.
  /// - Returns: Degrees.
  @inline(__always)
  func edge(halfCells: UInt64, bits: Int) -> Double {
    Double(45 &* (Int64(truncatingIfNeeded: halfCells) &- (1 &<< Int64(bits))))
      * powerOfTwo(spanExponent - 1 - bits)
  }
}

/// Returns 2^`exponent`, exactly. The result must be a normal number.
@inline(__always)
private func powerOfTwo(_ exponent: Int) -> Double {
  Double(bitPattern: UInt64(truncatingIfNeeded: 1023 &+ exponent) &<< 52)
}
