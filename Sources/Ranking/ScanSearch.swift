internal import Features
internal import Geohash
internal import PipelineFile
internal import SpatialIndex

/// Finds the best candidates by looking at every one in the cells that cover the radius.
///
/// The obvious exact search, and the oracle for faster ones. One user costs as much as there are candidates in
/// reach.
struct ScanSearch: Sendable {
  let ranking: Pipeline.Ranking
  let users: Positions
  let candidates: Positions
  let candidateCount: Int
  let eligibility: Eligibility
  /// `nil` where the ranking has no radius.
  let index: SpatialIndex?
  let candidateHashes: [UInt64]
  let seed: UInt64

  /// The list of `user`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - userHash: Hash of the user's id.
  ///   - scorer: `nil` where the ranking is by distance or there is nothing to predict with: then nearest first.
  /// - Returns: The best candidates in their order, why they are few, and who was lost where.
  func search(_ user: Int, userHash: UInt64, scorer: Scorer?) -> SearchResult {
    let origin = users[user].map(DistanceOrigin.init)
    let eligible = eligibility.of(user: user)
    let order = RecommendationOrder(userHash: userHash, candidateHashes: candidateHashes, seed: seed)
    var top = TopList(capacity: ranking.top, order: order)
    var counts = SearchCounts(excluded: Array(repeating: 0, count: ranking.exclusions.count))
    var excludedByInteraction = 0

    func visit(_ candidate: Int) {
      let distance = candidates.distanceInKilometers(from: origin, to: candidate)
      if let radius = ranking.radiusInKilometers, !(distance <= radius) { return }
      counts.inReach += 1
      if let exclusion = eligible.exclusion(of: candidate) {
        counts.excluded[exclusion] += 1
        if eligible.interacted.contains(candidate) { excludedByInteraction += 1 }
        return
      }
      let score = scorer?.score(candidate: candidate, distance: distance)
      if let score, !(score > ranking.minimumScore) {
        counts.notAboveMinimum += 1
        return
      }
      top.offer(Recommendation(candidate: candidate, score: score, distance: distance))
    }

    if let radius = ranking.radiusInKilometers, let index {
      guard let origin else { return SearchResult(best: [], shortfall: .noPosition, counts: counts) }
      for range in index.candidateRanges(around: origin.coordinate, radiusInKilometers: radius) {
        for position in range { visit(Int(index.rows[position])) }
      }
    } else {
      for candidate in 0..<candidateCount { visit(candidate) }
    }

    counts.listed = top.best.count
    counts.beyondTop =
      counts.inReach - counts.excluded.reduce(0, +) - counts.notAboveMinimum - counts.listed
    let shortfall = shortfall(counts, excludedByInteraction: excludedByInteraction)
    return SearchResult(best: top.best, shortfall: shortfall, counts: counts)
  }

  private func shortfall(_ counts: SearchCounts, excludedByInteraction: Int) -> Shortfall? {
    if counts.listed == ranking.top { return nil }
    if counts.notAboveMinimum > 0 { return .noneAboveMinimum }
    if excludedByInteraction > 0 || ranking.radiusInKilometers == nil { return .noneLeft }
    return .noneInRadius
  }
}
