/// One axis of the geohash grid: degrees from -45 · 2ⁿ⁻¹ to 45 · 2ⁿ⁻¹, halved again and again.
enum Axis {
  case latitude
  case longitude

  /// The axis spans 45 · 2ⁿ degrees.
  private var spanExponent: Int {
    switch self {
    case .latitude: 2
    case .longitude: 3
    }
  }

  /// The index, counted from the south or west, of the one of 2^`bits` intervals that contains `degrees`.
  ///
  /// Exact: the interval is the one that contains the number in real arithmetic, edges to the north or east,
  /// the upper end of the axis to the last interval.
  ///
  /// Counting starts at the middle of the axis, not at its lower end, because `degrees + 90` rounds: it would
  /// put -1e-300 north of the equator. Only the division by 45 rounds here, the rest are powers of two. A
  /// rounded quotient never falls below an integer that the true one reaches, and rises to at most the next
  /// one. So the guess is the right interval or the one above it, and one comparison with the exact edge
  /// decides; it also turns truncation towards zero into rounding down.
  ///
  /// - Parameters:
  ///   - degrees: In the range of the axis.
  ///   - bits: How often the axis is halved, 0 to 32.
  /// - Returns: 0 to 2^`bits` - 1.
  @inline(__always)
  func index(of degrees: Double, bits: Int) -> UInt32 {
    guard bits > 0 else { return 0 }
    // Fewer than 2³³ intervals: nothing here can overflow. The comparison is arithmetic, because for points in
    // all hemispheres a branch would be mispredicted half of the time.
    let guess = Int64(degrees / 45 * powerOfTwo(bits - spanExponent))
    let isAbove = Double(45 &* guess) * powerOfTwo(spanExponent - bits) > degrees
    let half = Int64(1) &<< Int64(bits &- 1)
    let index = guess &+ half &- (isAbove ? 1 : 0)
    return UInt32(truncatingIfNeeded: min(index, 2 &* half &- 1))
  }

  /// Degrees of the point that lies `halfCells` half intervals above the lower end of the axis; exact.
  ///
  /// - Parameters:
  ///   - halfCells: 0 to 2^(`bits` + 1): even at edges, odd at centres.
  ///   - bits: How often the axis is halved, 0 to 32.
  /// - Returns: Degrees.
  @inline(__always)
  func edge(halfCells: UInt64, bits: Int) -> Double {
    Double(45 &* (Int64(truncatingIfNeeded: halfCells) &- (1 &<< Int64(bits))))
      * powerOfTwo(spanExponent - 1 - bits)
  }
}

/// 2^`exponent`, exact, for exponents of normal numbers.
@inline(__always)
private func powerOfTwo(_ exponent: Int) -> Double {
  Double(bitPattern: UInt64(truncatingIfNeeded: 1023 &+ exponent) &<< 52)
}
