extension Geohash {
  /// Returns a few ranges of 60-bit codes (precision 12) that together contain every point within the radius,
  /// for range scans.
  ///
  /// The ranges are ascending and disjoint, with gaps between them. They also contain points outside the
  /// radius, so check the distance of every match. With fewer ranges, the number of points outside the radius
  /// grows. The center, radius and edge cases are as in
  /// ``covering(center:radiusInKilometers:precision:maximumCells:)``.
  ///
  /// The globe is halved repeatedly until the edge of the circle would cross more than about four cells per
  /// range. Adjacent ranges are merged. If too many ranges remain, the smallest gaps are closed, because this
  /// adds the fewest codes.
  ///
  /// - Parameters:
  ///   - center: The center of the circle.
  ///   - radius: The radius in kilometers, at least 0.
  ///   - maximumRanges: The maximum number of ranges; at least 1. Around a place where four large cells meet,
  ///     such as (0, 0), a single range spans most of the globe.
  /// - Returns: Half-open ranges of ``bits`` at precision 12, within 0 ..< 2⁶⁰.
  /// - Throws: `invalidRadius` for a negative radius or NaN.
  /// - Complexity: O(`maximumRanges`) cells per halving, with at most 60 halvings.
  public static func coveringRanges(
    center: Coordinate, radiusInKilometers radius: Double, maximumRanges: Int = 64
  ) throws(CoveringError) -> [Range<UInt64>] {
    precondition(maximumRanges >= 1, "maximumRanges must be at least 1, not \(maximumRanges)")
    let cap = try SphericalCap(center: center, radiusInKilometers: radius)
    let globe = GridCell(bits: 0, depth: 0)
    if cap.relation(to: globe) == .inside { return [globe.descendantBits(atDepth: codeBits)] }
    let maximumRim = max(32, 4 * maximumRanges)
    var inside: [GridCell] = []
    var rim = [globe]
    for _ in 0..<codeBits {
      var newInside: [GridCell] = []
      var newRim: [GridCell] = []
      for cell in rim {
        for child in [cell.child(0), cell.child(1)] {
          switch cap.relation(to: child) {
          case .outside: continue
          case .crossing: newRim.append(child)
          case .inside: newInside.append(child)
          }
        }
      }
      guard newRim.count <= maximumRim else { break }
      inside += newInside
      rim = newRim
    }
    let ranges = (inside + rim).map { $0.descendantBits(atDepth: codeBits) }
    return closingGaps(in: merged(ranges), downTo: maximumRanges)
  }

  /// Sorts disjoint ranges and merges adjacent ones.
  private static func merged(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
    var result: [Range<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, last.upperBound == range.lowerBound {
        result[result.count - 1] = last.lowerBound..<range.upperBound
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// Closes the smallest gaps until at most `count` ranges remain. Of several equal gaps, the first is closed
  /// first.
  static func closingGaps(in ranges: [Range<UInt64>], downTo count: Int) -> [Range<UInt64>] {
    guard ranges.count > count else { return ranges }
    func gap(after index: Int) -> UInt64 { ranges[index + 1].lowerBound - ranges[index].upperBound }
    let bySize = (0..<ranges.count - 1).sorted { (gap(after: $0), $0) < (gap(after: $1), $1) }
    var result: [Range<UInt64>] = []
    var start = ranges[0].lowerBound
    for index in bySize.dropFirst(ranges.count - count).sorted() {
      result.append(start..<ranges[index].upperBound)
      start = ranges[index + 1].lowerBound
    }
    result.append(start..<ranges[ranges.count - 1].upperBound)
    return result
  }
}
