internal import Features
internal import Geohash
internal import PipelineFile
internal import SpatialIndex

/// Finds the best candidates by looking at every one in the cells that cover the radius.
///
/// The obvious exact search, and the oracle for faster ones. One user costs as much as there are candidates in
/// reach.
final class ScanSearch: Sendable {
  private let people: RankedPeople
  /// `nil` where the ranking has no radius.
  private let index: SpatialIndex?
  /// By row, where the newest come first: when each was created, in milliseconds, as a number that every such time is
  /// exactly; -infinity where nobody knows.
  private let created: [Double]?
  /// Who is a candidate of whom; `nil` where everybody is.
  private let pending: PendingRequests?
  /// What reasons are made of: everybody in the order of rows.
  let everybody: SearchedCandidates

  /// - Parameters:
  ///   - people: Users, candidates and rules.
  ///   - index: That of the candidates; `nil` where the ranking has no radius.
  ///   - space: What scores are made of; `nil` where the ranking is by distance.
  ///   - created: By row, where the newest come first: when each was created; `Int64.min` where nobody knows.
  ///   - pending: Who is a candidate of whom; `nil` where everybody is.
  init(
    _ people: RankedPeople, index: SpatialIndex?, space: FeatureSpace?, created: [Int64]?,
    pending: PendingRequests? = nil
  ) {
    self.people = people
    self.pending = pending
    self.index = index
    self.created = created?.map { $0 == .min ? -.infinity : Double($0) }
    everybody = SearchedCandidates(
      everybodyIn: space ?? .empty(candidates: people.candidates, users: people.users),
      positions: people.candidates)
  }

  /// The list of `user`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - scorer: `nil` where the ranking is by distance or there is nothing to predict with: then nearest first.
  /// - Returns: The best candidates in their order, why they are few, and who was lost where.
  func search(_ user: Int, scorer: Scorer?) -> SearchResult {
    let ranking = people.ranking
    let origin = people.users[user].map(DistanceOrigin.init)
    let eligible = people.eligibility.of(user: user)
    var top = TopList(capacity: ranking.top, order: people.order(forUser: user))
    var counts = SearchCounts(excluded: Array(repeating: 0, count: ranking.exclusions.count))
    var interactedInReach = 0

    func visit(_ candidate: Int) {
      let distance = people.candidates.distanceInKilometers(from: origin, to: candidate)
      if let radius = ranking.radiusInKilometers, !(distance <= radius) { return }
      counts.inReach += 1
      if let exclusion = eligible.exclusion(of: candidate) {
        counts.excluded[exclusion] += 1
        if eligible.hasInteracted(with: candidate) { interactedInReach += 1 }
        return
      }
      let score = scorer?.score(candidate: candidate, distance: distance)
      if let score, !(score > ranking.minimumScore) { return }
      top.offer(
        Recommendation(candidate: candidate, score: created?[candidate] ?? score, distance: distance),
        hash: people.candidateHashes[candidate])
    }

    if let pending {
      guard ranking.radiusInKilometers == nil || origin != nil else { return .withoutPosition(ranking) }
      for candidate in pending[user] { visit(Int(candidate)) }
    } else if let radius = ranking.radiusInKilometers, let index {
      guard let origin else { return .withoutPosition(ranking) }
      for range in index.candidateRanges(around: origin.coordinate, radiusInKilometers: radius) {
        for position in range { visit(Int(index.rows[position])) }
      }
    } else {
      for candidate in 0..<people.candidates.count { visit(candidate) }
    }
    // A time is no score to anybody else.
    let best =
      created == nil
      ? top.best
      : top.best.map { found in
        Recommendation(candidate: found.candidate, score: nil, distance: found.distance)
      }
    return SearchResult(
      best: best, counts: counts, interactedInReach: interactedInReach, ranking: ranking)
  }
}
