internal import Features
internal import Geohash
internal import Index
internal import PipelineFile
internal import Search

/// Finds the best candidates by visiting every candidate in the cells that cover the radius. Without a
/// radius, it visits all candidates. In a ranking with `pending` or `among`, it visits only the chosen
/// candidates.
///
/// This search is the simplest exact search, and the test oracle for the faster searches. Its cost per user
/// grows with the number of visited candidates.
final class ScanSearch: Sendable {
  fileprivate let people: RankedPeople
  fileprivate let rules: RankingRules
  /// The index of candidates; `nil` if candidates have no positions.
  private let index: SpatialIndex?
  let keys: CandidateKeys?
  fileprivate let words: CandidateWords?
  /// All candidates in the order of rows, for reasons.
  let everybody: SearchedCandidates

  /// Prepares the search, and stores the features of all candidates.
  ///
  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - rules: The rules that decide which candidates may be on which lists.
  ///   - index: The candidates' index; `nil` if candidates have no positions.
  ///   - space: The features behind scores; `nil` if the ranking is by distance.
  ///   - keys: The order of candidates; `nil` for the order by score and distance.
  ///   - words: The words, each with its own list; `nil` for a single list.
  init(
    _ people: RankedPeople, _ rules: RankingRules, index: SpatialIndex?, space: FeatureSpace?,
    keys: CandidateKeys?, words: CandidateWords?
  ) {
    self.people = people
    self.rules = rules
    self.index = index
    self.keys = keys
    self.words = words
    everybody = SearchedCandidates(
      everybodyIn: space ?? .empty(candidates: people.candidates, users: people.users),
      positions: people.candidates)
  }

  /// Finds the lists of `user`: a single list, or one list for each word.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - scorer: The user's predictions. `nil` if the ranking is by distance, or if the user has no model;
  ///     the candidates then have no scores.
  ///   - top: The greatest length of a list.
  /// - Returns: The best candidates in order, the shortfall, and the counts by rule.
  func search(_ user: Int, scorer: PairScorer?, top: Int) -> UserLists {
    scan(user, scorer, top: top)?.lists
      ?? UserLists(
        Array(repeating: SearchResult.withoutPosition(people.ranking), count: words?.count(of: user) ?? 1),
        exclusions: people.ranking.exclusions.count)
  }

  /// Returns, for each list of `user`, the rows of the `top` candidates with the greatest differences of
  /// `value` and price, best first. `prices` has one element per row. A candidate with an infinite price is
  /// not listed. `least` has one element per list, and the differences must exceed it; `nil` for no limit.
  func bestPriced(
    _ user: Int, scorer: PairScorer?, top: Int, _ value: EntryValue, _ prices: [Double],
    above least: [Double]?
  ) -> [[Int]] {
    scan(user, scorer, top: top, ScanPrices(value: value, ofRows: prices, least: least))?.lists.lists.map {
      $0.best.map(\.candidate)
    }
      ?? Array(repeating: [], count: words?.count(of: user) ?? 1)
  }

  /// Scans the candidates of `user`; returns `nil` if the user needs a position but has none.
  private func scan(
    _ user: Int, _ scorer: PairScorer?, top: Int, _ prices: ScanPrices? = nil
  ) -> UserScan? {
    let position = people.users[user]
    let farthest = rules.reach.searchRadius(ofUser: user)
    guard position != nil || farthest == nil || (rules.chosen == nil && index == nil) else { return nil }
    var scan = UserScan(of: user, self, scorer, top: top, prices)
    if let chosen = rules.chosen {
      for candidate in chosen.of(user) { scan.visit(Int(candidate)) }
    } else if let index, let farthest, let position {
      for range in index.candidateRanges(around: position, radiusInKilometers: farthest) {
        for place in range { scan.visit(Int(index.rows[place])) }
      }
    } else {
      for candidate in 0..<people.candidates.count { scan.visit(candidate) }
    }
    return scan
  }
}

/// The prices of a scan for the greatest differences of value and price.
private struct ScanPrices {
  let value: EntryValue
  /// The price of each candidate, one element per row.
  let ofRows: [Double]
  /// For each list, only greater differences count; `nil` for all.
  let least: [Double]?

  func difference(_ candidate: Int, sortKey: Double?, distance: Double) -> Double {
    value.value(candidate, sortKey: sortKey, distance: distance) - ofRows[candidate]
  }

  func isAbove(_ difference: Double, list: Int) -> Bool {
    difference > least?[list] ?? -.greatestFiniteMagnitude
  }
}

/// The lists of one user during a scan.
private struct UserScan {
  private struct GrowingList {
    var top: TopList
    var counts: SearchCounts
    var interactedInReach = 0
  }

  private let search: ScanSearch
  private let scorer: PairScorer?
  /// The greatest length of a list.
  private let top: Int
  /// The prices to subtract from values; `nil` for a scan without prices.
  private let prices: ScanPrices?
  private let origin: DistanceOrigin?
  private let radius: Double?
  private let eligible: UserEligibility
  /// The words of the user's lists; `nil` for a single list.
  private let words: WordsOfUser?
  private let listCount: Int
  /// The index of the exclusion for candidates without a word that the user asks for; `nil` if the ranking
  /// has no such exclusion.
  private let unasked: Int?
  /// The single list, or one list per word. With words, a last element only counts the candidates that belong
  /// to none of the user's lists.
  private var growing: [GrowingList]
  /// The number of surplus counts: a candidate that belongs to n of the user's lists adds n - 1 to this
  /// number.
  private var repeated = 0

  init(
    of user: Int, _ search: ScanSearch, _ scorer: PairScorer?, top: Int,
    _ prices: ScanPrices?
  ) {
    let people = search.people
    self.search = search
    (self.scorer, self.top, self.prices) = (scorer, top, prices)
    origin = people.users[user].map(DistanceOrigin.init)
    radius = search.rules.reach.radius(ofUser: user)
    eligible = search.rules.eligibility.of(user: user)
    words = search.words?.of(user: user)
    listCount = search.words?.count(of: user) ?? 1
    unasked = people.ranking.exclusions.firstIndex { if case .unasked = $0 { true } else { false } }
    let empty = GrowingList(
      top: TopList(
        capacity: top, order: people.order(forUser: user), keys: prices == nil ? search.keys : nil),
      counts: SearchCounts(exclusions: people.ranking.exclusions.count))
    growing = Array(repeating: empty, count: words == nil ? 1 : listCount + 1)
  }

  /// Offers `candidate` to the user's lists. The caller must visit each candidate at most once.
  mutating func visit(_ candidate: Int) {
    let distance = search.people.candidates.distanceInKilometers(from: origin, to: candidate)
    guard search.rules.reach.contains(candidate, distance: distance, radius: radius) else { return }
    let exclusion = eligible.exclusion(of: candidate)
    let score = exclusion == nil ? scorer?.score(candidate: candidate, distance: distance) : nil
    let isTooLow = score.map { !($0 > search.people.ranking.minimumScore) } ?? false
    var key: Double?
    if !isTooLow, let score {
      key = scorer?.sortKey(candidate: candidate, distance: distance, score: score)
    }
    if exclusion == nil, !isTooLow, let prices {
      key = prices.difference(candidate, sortKey: key, distance: distance)
    }
    let found = Recommendation(candidate: candidate, score: key, distance: distance)
    guard let words else { return offer(found, to: 0, exclusion, isTooLow) }
    let places = words.forEachList(of: candidate) { offer(found, to: $0, exclusion, isTooLow) }
    if places == 0 { offer(found, to: listCount, exclusion ?? unasked, isTooLow) }
    repeated += max(0, places - 1)
  }

  /// Offers `found`, whose `score` is the sort key here, to a list.
  private mutating func offer(_ found: Recommendation, to list: Int, _ exclusion: Int?, _ isTooLow: Bool) {
    growing[list].counts.inReach += 1
    if let exclusion {
      growing[list].counts.excluded[exclusion] += 1
      if eligible.hasInteracted(with: found.candidate) { growing[list].interactedInReach += 1 }
      return
    }
    if isTooLow { return }
    if let prices, let difference = found.score, !prices.isAbove(difference, list: list) { return }
    growing[list].top.offer(found, hash: search.people.candidateHashes[found.candidate])
  }

  /// The finished lists. The caller must already have visited all candidates.
  var lists: UserLists {
    let ranking = search.people.ranking
    let results = growing.map {
      SearchResult(
        best: $0.top.best.map(published), counts: $0.counts, interactedInReach: $0.interactedInReach,
        ranking: ranking, top: top)
    }
    guard words != nil else { return UserLists(results, exclusions: ranking.exclusions.count) }
    var found = UserLists(
      Array(results.prefix(listCount)), exclusions: ranking.exclusions.count,
      unlisted: growing[listCount].counts)
    found.repeated = repeated
    return found
  }

  /// Returns the recommendation to publish. In the mutual order, the score is left out. From the score and
  /// the rank, a user could infer whether the candidate likes the user.
  private func published(_ found: Recommendation) -> Recommendation {
    guard case .mutual? = scorer else { return found }
    return Recommendation(candidate: found.candidate, score: nil, distance: found.distance)
  }
}
