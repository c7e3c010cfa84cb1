internal import Features
internal import Geohash
internal import Index
internal import PipelineFile

/// Finds the best candidates by looking at every one in the cells that cover the radius.
///
/// The obvious exact search, and the oracle for faster ones. One user costs as much as there are candidates in
/// reach, however many lists are made of them and whatever they are ordered by.
final class ScanSearch: Sendable {
  private let people: RankedPeople
  /// `nil` where the ranking has no radius.
  private let index: SpatialIndex?
  private let keys: CandidateKeys?
  private let words: CandidateWords?
  /// Who is a candidate of whom; `nil` where everybody is.
  private let chosen: ChosenCandidates?
  /// What reasons are made of: everybody in the order of rows.
  let everybody: SearchedCandidates

  /// - Parameters:
  ///   - people: Users, candidates and rules.
  ///   - index: That of the candidates; `nil` where the ranking has no radius.
  ///   - space: What scores are made of; `nil` where the ranking is by distance.
  ///   - keys: What candidates are ordered by; `nil`: by score and distance.
  ///   - words: A list is made for each; `nil` is one list.
  ///   - chosen: Who is a candidate of whom; `nil` where everybody is.
  init(
    _ people: RankedPeople, index: SpatialIndex?, space: FeatureSpace?, keys: CandidateKeys?,
    words: CandidateWords?, chosen: ChosenCandidates? = nil
  ) {
    self.people = people
    self.chosen = chosen
    self.index = index
    self.keys = keys
    self.words = words
    everybody = SearchedCandidates(
      everybodyIn: space ?? .empty(candidates: people.candidates, users: people.users),
      positions: people.candidates)
  }

  /// One list as it grows.
  private struct Growing {
    var top: TopList
    var counts: SearchCounts
    var interactedInReach = 0
  }

  /// The lists of `user`: one, or one for each word.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - scorer: `nil` where the ranking is by distance or there is nothing to predict with: then nearest first.
  /// - Returns: The best candidates in their order, why they are few, and who was lost where.
  func search(_ user: Int, scorer: Scorer?) -> UserLists {
    let ranking = people.ranking
    let position = people.users[user]
    let radius = people.reach.radius(ofUser: user)
    let eligible = people.eligibility.of(user: user)
    let origin = position.map(DistanceOrigin.init)
    let empty = Growing(
      top: TopList(capacity: ranking.top, order: people.order(forUser: user), keys: keys),
      counts: SearchCounts(excluded: Array(repeating: 0, count: ranking.exclusions.count)))
    let listCount = words?.count(of: user) ?? 1
    // The last one is of those without a word, or without one that the user asks for, who are all excluded.
    var lists = [Growing](repeating: empty, count: words == nil ? 1 : listCount + 1)
    let own = words?.of(user: user)
    let unasked = ranking.exclusions.firstIndex { if case .unasked = $0 { true } else { false } }
    var repeated = 0

    func visit(_ candidate: Int) {
      let distance = people.candidates.distanceInKilometers(from: origin, to: candidate)
      guard people.reach.contains(candidate, distance: distance, radius: radius) else { return }
      let exclusion = eligible.exclusion(of: candidate)
      let score = exclusion == nil ? scorer?.score(candidate: candidate, distance: distance) : nil

      func offer(to list: Int, _ exclusion: Int?) {
        lists[list].counts.inReach += 1
        if let exclusion {
          lists[list].counts.excluded[exclusion] += 1
          if eligible.hasInteracted(with: candidate) { lists[list].interactedInReach += 1 }
          return
        }
        if let score, !(score > ranking.minimumScore) { return }
        lists[list].top.offer(
          Recommendation(candidate: candidate, score: score, distance: distance),
          hash: people.candidateHashes[candidate])
      }

      guard let own else { return offer(to: 0, exclusion) }
      let places = own.forEachList(of: candidate) { offer(to: $0, exclusion) }
      if places == 0 { offer(to: listCount, exclusion ?? unasked) }
      repeated += max(0, places - 1)
    }

    if let chosen {
      guard position != nil || people.reach.searchRadius(ofUser: user) == nil else {
        return UserLists(
          Array(repeating: SearchResult.withoutPosition(ranking), count: listCount),
          exclusions: ranking.exclusions.count)
      }
      for candidate in chosen.of(user) { visit(Int(candidate)) }
    } else if let index, let farthest = people.reach.searchRadius(ofUser: user) {
      guard let position else {
        return UserLists(
          Array(repeating: SearchResult.withoutPosition(ranking), count: listCount),
          exclusions: ranking.exclusions.count)
      }
      for range in index.candidateRanges(around: position, radiusInKilometers: farthest) {
        for place in range { visit(Int(index.rows[place])) }
      }
    } else {
      for candidate in 0..<people.candidates.count { visit(candidate) }
    }
    let results = lists.map {
      SearchResult(
        best: $0.top.best, counts: $0.counts, interactedInReach: $0.interactedInReach, ranking: ranking)
    }
    guard words != nil else { return UserLists(results, exclusions: ranking.exclusions.count) }
    var found = UserLists(
      Array(results.prefix(listCount)), exclusions: ranking.exclusions.count,
      unlisted: lists[listCount].counts)
    found.repeated = repeated
    return found
  }
}
