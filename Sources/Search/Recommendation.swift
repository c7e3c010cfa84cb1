package import Columns
internal import Concurrency

/// One candidate of one user, with everything that determines its place on the list.
package struct Recommendation: Hashable, Sendable {
  /// Row of the candidate.
  package var candidate: Int
  /// `nil` without a model: then distance decides.
  package var score: Double?
  /// Kilometers; NaN where unknown.
  package var distance: Double

  package init(candidate: Int, score: Double?, distance: Double) {
    self.candidate = candidate
    self.score = score
    self.distance = distance
  }
}

/// The total order of one user's recommendations, which is the same on every machine.
///
/// Higher score, then nearer (unknown distances last), then the smaller mix of both ids and the seed, then the
/// smaller id. The mix keeps small ids from winning every tie, which snapped positions make common.
package struct RecommendationOrder: Sendable {
  package let userHash: UInt64
  package let seed: UInt64

  package init(userHash: UInt64, seed: UInt64) {
    self.userHash = userHash
    self.seed = seed
  }

  /// Whether score and distance put `left` before `right`; `nil` where both are equal.
  package static func precedesByMeasure(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    precedesByScore(left, right) ?? precedesByDistance(left, right)
  }

  /// Whether its score puts `left` before `right`; `nil` where both are equal, or there are none.
  @inline(__always)
  package static func precedesByScore(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    guard let leftScore = left.score, let rightScore = right.score, leftScore != rightScore else {
      return nil
    }
    return leftScore > rightScore
  }

  /// Whether its distance puts `left` before `right`; `nil` where both are equal. Unknown ones come last.
  @inline(__always)
  package static func precedesByDistance(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    if left.distance != right.distance, !(left.distance.isNaN && right.distance.isNaN) {
      return right.distance.isNaN || left.distance < right.distance
    }
    return nil
  }

  /// Whether the mixes order `left` before `right`, given equal scores and distances.
  package static func precedesByMix(
    _ left: Recommendation, _ leftMix: UInt64, _ right: Recommendation, _ rightMix: UInt64
  ) -> Bool {
    // Rows are in the order of ids.
    leftMix != rightMix ? leftMix < rightMix : left.candidate < right.candidate
  }

  /// The mix of the user's id and the one with the hash `candidateHash`.
  package func mix(_ candidateHash: UInt64) -> UInt64 {
    Mix64.pair(userHash, candidateHash, seed: seed)
  }
}

extension StringColumn {
  /// The hash of every id, in row order.
  package var idHashes: [UInt64] {
    (0..<count).map { Mix64.hash(bytes($0)) }
  }
}
