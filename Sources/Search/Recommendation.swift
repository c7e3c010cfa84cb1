package import Columns
internal import Concurrency

/// One candidate for one user, with the score and distance that order the list.
package struct Recommendation: Hashable, Sendable {
  /// The row of the candidate.
  package var candidate: Int
  /// The predicted score; `nil` if there is no model. Without scores, the distance decides the order.
  package var score: Double?
  /// The distance in kilometers; NaN if unknown.
  package var distance: Double

  package init(candidate: Int, score: Double?, distance: Double) {
    self.candidate = candidate
    self.score = score
    self.distance = distance
  }
}

/// The total order of one user's recommendations, which is the same on every machine.
///
/// The order compares the score (higher first), the distance (nearer first, unknown last), a hash
/// of both ids and the seed, and the candidate's id. Without the hash, the smaller id would always
/// come first in a tie. Ties are common, because positions are snapped to cells.
package struct RecommendationOrder: Sendable {
  package let userHash: UInt64
  package let seed: UInt64

  package init(userHash: UInt64, seed: UInt64) {
    self.userHash = userHash
    self.seed = seed
  }

  /// Returns whether score and distance order `left` before `right`; `nil` if both are equal.
  package static func precedesByMeasure(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    precedesByScore(left, right) ?? precedesByDistance(left, right)
  }

  /// Returns whether the scores order `left` before `right`; `nil` if they are equal or missing.
  @inline(__always)
  package static func precedesByScore(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    guard let leftScore = left.score, let rightScore = right.score, leftScore != rightScore else {
      return nil
    }
    return leftScore > rightScore
  }

  /// Returns whether the distances order `left` before `right`; `nil` if they are equal. Unknown distances
  /// come last.
  @inline(__always)
  package static func precedesByDistance(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    if left.distance != right.distance, !(left.distance.isNaN && right.distance.isNaN) {
      return right.distance.isNaN || left.distance < right.distance
    }
    return nil
  }

  /// Returns whether the mixed hashes order `left` before `right`, given equal scores and distances.
  package static func precedesByMix(
    _ left: Recommendation, _ leftMix: UInt64, _ right: Recommendation, _ rightMix: UInt64
  ) -> Bool {
    // Rows are in the order of ids, so the row breaks the last ties.
    leftMix != rightMix ? leftMix < rightMix : left.candidate < right.candidate
  }

  /// Returns a hash of the seed, the user's id and a candidate's id. `candidateHash` is the hash of the
  /// candidate's id.
  package func mix(_ candidateHash: UInt64) -> UInt64 {
    Mix64.pair(userHash, candidateHash, seed: seed)
  }
}

extension StringColumn {
  /// The hash of each id, in row order.
  package var idHashes: [UInt64] {
    (0..<count).map { Mix64.hash(bytes($0)) }
  }
}
