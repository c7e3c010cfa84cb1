package import Features
internal import Glibc
internal import LeastSquares
package import RunSchemas

/// The scores for `order_by: discovery` of all pairs of a user and a candidate:
///
///     (max(s, 0) + β p) / (1 + d)^γ
///
/// Here, s is the weighted sum of the item-to-item coefficients over the user's likes, p is the candidate's
/// `TrendingPopularity` or `LocalPopularity`, and d is the distance in kilometers. The settings `popularity`
/// and `distance` are β and γ. An unknown distance counts as half the circumference of the Earth.
package struct DiscoveryScores: Sendable {
  package let settings: DiscoverySettings
  private let liked: LikedCandidates
  private let items: ItemToItem
  private let popularity: TrendingPopularity
  /// The areas and the popularity by area; `nil` if the popularity is the same for all users.
  private let local: (areas: LikedAreas, popularity: LocalPopularity)?

  /// Computes the scores from the interactions in `table`.
  ///
  /// - Parameters:
  ///   - table: The interactions from which the scores are computed.
  ///   - settings: The chosen settings.
  ///   - positions: The positions of the candidates; `nil` if they have none.
  ///   - asOf: The as-of time in milliseconds since 1970 UTC.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  /// - Throws: `MissingLibrary` if the linear algebra library cannot be loaded; `NoMemoryForSolving` if there
  ///   is not enough memory for its buffers.
  package init(
    _ table: InteractionTable, _ settings: DiscoverySettings, positions: Positions?, asOf: Int64,
    threads: Int
  ) throws {
    try LinearAlgebraLibrary.load()
    try SolvingMemory.require(threads: threads)
    self.settings = settings
    liked = LikedCandidates(table, threads: threads)
    items = ItemToItem(liked, threads: threads)
    let popularity = TrendingPopularity(liked, halfLife: settings.halfLife, asOf: asOf)
    self.popularity = popularity
    if let precision = settings.areaPrecision, let positions {
      let areas = LikedAreas(liked, positions, precision: precision, threads: threads)
      local = (areas, LocalPopularity(areas, popularity))
    } else {
      local = nil
    }
  }

  /// Whether, for every pair of candidates, too few users like both. Scores then depend only on popularity
  /// and distance.
  package var lacksItems: Bool { items.isEmpty }

  /// Returns the scores of all candidates for the user at row `user`.
  package func ofUser(_ user: Int) -> UserDiscovery {
    var scores = [Float](repeating: 0, count: liked.candidateCount)
    items.add(liked.candidates[liked.range(ofUser: user)], halfPlace: settings.halfPlace, to: &scores)
    let weight = Float(settings.popularity)
    let popularity =
      local.map { $0.popularity.values($0.areas.predictions(ofUser: user, halfPlace: settings.halfPlace)) }
      ?? popularity.values
    for candidate in scores.indices {
      scores[candidate] = Self.nearby(scores[candidate], popularity[candidate], weight: weight)
    }
    return UserDiscovery(scores: scores, exponent: settings.distance)
  }

  /// Returns the score of a candidate at distance 0, from the sum of its coefficients and its popularity.
  static func nearby(_ sum: Float, _ popularity: Float, weight: Float) -> Float {
    max(sum, 0) + weight * popularity
  }
}

/// The scores of all candidates for one user.
package struct UserDiscovery: Sendable {
  /// The score of each candidate at distance 0.
  private let scores: [Float]
  private let exponent: Double

  /// Half the circumference of the Earth, in kilometers.
  private static let farthest = 20_015.0

  init(scores: [Float], exponent: Double) {
    (self.scores, self.exponent) = (scores, exponent)
  }

  /// Returns the score of a candidate.
  ///
  /// - Parameters:
  ///   - candidate: The row of the candidate.
  ///   - distance: Kilometers to the candidate; NaN if unknown.
  /// - Returns: The score, at least 0; higher is better.
  package func score(candidate: Int, distance: Double) -> Double {
    let score = Double(scores[candidate])
    guard exponent > 0 else { return score }
    return score * Self.decay(distance, exponent)
  }

  static func decay(_ distance: Double, _ exponent: Double) -> Double {
    exp(-exponent * log1p(distance.isNaN ? farthest : distance))
  }
}
