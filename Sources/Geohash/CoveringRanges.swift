extension Geohash {
  /// Few ranges of 60-bit codes (precision 12) that hold every point within the radius, for range scans.
  ///
  /// Ascending, disjoint, with gaps between them; between 1 and `maximumRanges` of them. They also hold points
  /// farther away, the more of them the fewer ranges are allowed: check the distance of what a scan finds. The
  /// centre, radius and edge cases are those of ``covering(center:radiusInKilometers:precision:maximumCells:)``.
  ///
  /// The globe is halved around the circle until more than about four cells per range cross its rim. Neighbours
  /// in code order are merged; if there are still too many ranges, the smallest gaps are closed, which is the
  /// cheapest way to be rid of a range.
  ///
  /// - Parameters:
  ///   - center: The middle of the circle.
  ///   - radius: Kilometres, 0 or more.
  ///   - maximumRanges: How many ranges the caller wants at most; at least 1. A single range around a place
  ///     where four large cells meet, such as (0, 0), spans most of the globe.
  /// - Returns: Half-open ranges within 0 ..< 2⁶⁰, of ``bits`` at precision 12.
  /// - Throws: `invalidRadius`.
  /// - Complexity: O(`maximumRanges`) cells per halving, 60 halvings at most.
  public static func coveringRanges(
    center: Coordinate, radiusInKilometers radius: Double, maximumRanges: Int = 64
  ) throws(CoveringError) -> [Range<UInt64>] {
    precondition(maximumRanges >= 1, "maximumRanges is \(maximumRanges)")
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

  /// The same codes in ascending ranges that do not touch; the given ones are disjoint.
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

  /// At most `count` ranges, made by closing the smallest gaps; of equal ones the first.
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
