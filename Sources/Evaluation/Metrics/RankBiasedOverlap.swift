internal import Foundation

/// Returns the rank-biased overlap of two lists: 0 for lists without a common item, 1 for equal lists.
///
/// The value is extrapolated (RBO_ext, equation 32 of the source, for lists of different lengths). The
/// formula assumes that the overlap continues unchanged after the end of the lists. Two empty lists count as
/// equal.
///
/// Source: Webber, Moffat, Zobel 2010, doi:10.1145/1852102.1852106.
///
/// - Parameters:
///   - a: A list without repeated items.
///   - b: Another list without repeated items.
///   - persistence: The probability that a reader continues to the next place, between 0 and 1 exclusive.
///     With 0.9, the first ten places have 86 % of the weight.
/// - Returns: The overlap, from 0 to 1.
/// - Complexity: O(n) in the longer list.
package func rankBiasedOverlap<Item: Hashable>(_ a: [Item], _ b: [Item], persistence: Double = 0.9)
  -> Double
{
  let p = persistence
  precondition(p > 0 && p < 1, "the persistence must be between 0 and 1, but it is \(p)")
  let (short, long) = a.count <= b.count ? (a, b) : (b, a)
  guard !short.isEmpty else { return long.isEmpty ? 1 : 0 }
  let (s, l) = (short.count, long.count)
  var seenShort: Set<Item> = []
  var seenLong: Set<Item> = []
  // `common` is the number of common items in the first d places of both lists.
  var common = 0
  var commonAtShort = 0
  var sum = 0.0
  var weight = 1.0
  for d in 1...l {
    weight *= p
    if d <= s, short[d - 1] == long[d - 1] {
      common += 1
    } else {
      if d <= s, seenLong.contains(short[d - 1]) { common += 1 }
      if seenShort.contains(long[d - 1]) { common += 1 }
    }
    if d <= s { seenShort.insert(short[d - 1]) }
    seenLong.insert(long[d - 1])
    if d == s { commonAtShort = common }
    sum += Double(common) / Double(d) * weight
    if d > s {
      sum += Double(commonAtShort) * Double(d - s) / (Double(s) * Double(d)) * weight
    }
  }
  let tail = (Double(common - commonAtShort) / Double(l) + Double(commonAtShort) / Double(s)) * weight
  return (1 - p) / p * sum + tail
}

extension [UInt32] {
  /// Each candidate once, at its best place. A ranking with a list per word can list a candidate several
  /// times. Unknown candidates, which are `UInt32.max`, become distinct negative numbers.
  var distinctCandidates: [Int] {
    var seen: Set<UInt32> = []
    return enumerated().compactMap { place, candidate in
      candidate == .max ? -1 - place : seen.insert(candidate).inserted ? Int(candidate) : nil
    }
  }
}
