internal import Features
internal import Geohash
internal import PipelineFile
internal import Tables

/// Finds the best candidates without looking at everybody, and counts those in reach without looking at them: lists and
/// counts are those of `ScanSearch`, bit for bit.
///
/// There are two trees of the same candidates. One is grown by all that scores are made of. In the other, places alone
/// count: whoever has no model, or tells nobody apart by it, sees the nearest first, and those stand together there.
/// In a city such a user has ties by the thousand, which are spread over all of the first tree.
///
/// One for all threads, and so a class: copies of a struct with so many arrays would count references for each user.
final class BlockSearch: Sendable {
  private let people: RankedPeople
  /// `nil` where the ranking is by distance.
  private let table: ModelTable?
  /// Through the tree grown by all that scores are made of.
  let byScore: TreeSearch
  /// Through the tree grown by places.
  let byDistance: TreeSearch
  private let chord: ChordRadius?
  private let reach: ReachCounts?
  /// By row.
  private let vectors: [UnitVector?]
  /// By row: the place in the tree by score of a candidate who may be listed.
  private let places: [UInt32]
  /// Of a ranking without a radius, where everybody is in reach.
  private let everybody: SearchCounts

  /// - Parameters:
  ///   - people: Users, candidates and rules.
  ///   - models: What scores are made of; `nil` where the ranking is by distance.
  ///   - threads: Workers to grow the trees.
  init(_ people: RankedPeople, models: (space: FeatureSpace, table: ModelTable)?, threads: Int) {
    let (ranking, candidates) = (people.ranking, people.candidates)
    self.people = people
    table = models?.table
    let flags = (0..<candidates.count).map(people.eligibility.flag)
    let listable = flags.indices.filter {
      flags[$0] == nil && (ranking.radiusInKilometers == nil || candidates[$0] != nil)
    }.map { UInt32($0) }
    byDistance = TreeSearch(people, listable, models: nil, threads: threads)
    byScore = models == nil ? byDistance : TreeSearch(people, listable, models: models, threads: threads)
    var places = [UInt32](repeating: SearchedCandidates.nobody, count: candidates.count)
    for (place, row) in byScore.tree.tree.rows.enumerated() where row != SearchedCandidates.nobody {
      places[Int(row)] = UInt32(place)
    }
    self.places = places
    chord = ranking.radiusInKilometers.map(ChordRadius.init)
    reach = ranking.radiusInKilometers.map {
      ReachCounts(flags: flags, positions: candidates, radiusInKilometers: $0, threads: threads)
    }
    vectors = (0..<candidates.count).map { candidates[$0].map(UnitVector.init) }
    var everybody = SearchCounts(excluded: Array(repeating: 0, count: ranking.exclusions.count))
    everybody.inReach = candidates.count
    for flag in flags { if let flag { everybody.excluded[flag] += 1 } }
    self.everybody = everybody
  }

  /// The list of `user`, as `ScanSearch` gives it.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - isCounting: Whether it matters who was lost where.
  ///   - workspace: Buffers.
  /// - Returns: The best candidates in their order, why they are few, and who was lost where.
  func search(_ user: Int, isCounting: Bool, _ workspace: inout SearchWorkspace) -> SearchResult {
    let ranking = people.ranking
    if ranking.radiusInKilometers != nil && people.users[user] == nil { return .withoutPosition(ranking) }
    var query = query(of: user, &workspace)
    people.eligibility.write(user, to: &workspace.tree.exclusions)
    let isEmpty = query.constantScore.map { !($0 > ranking.minimumScore) } ?? false
    if query.minimumScore != nil {
      byScore.findBest(&query, workspace.score, &workspace.tree)
    } else if !isEmpty {
      byDistance.findBest(&query, workspace.distanceOrder, &workspace.tree)
    }
    // Why a list is short is told by counting.
    guard isCounting || query.top.last == nil else {
      return SearchResult(best: query.top.best, shortfall: nil, counts: nil)
    }
    let (counts, interactedInReach) = count(query, &workspace)
    return SearchResult(
      best: query.top.best, counts: counts, interactedInReach: interactedInReach, ranking: ranking)
  }

  /// Writes the reasons for a recommendation by `score`, best first.
  func writeReasons(
    for found: Recommendation, _ score: borrowing UserScore, to published: inout [Contribution]
  ) {
    score.writeReasons(
      byScore.tree.candidates, place: Int(places[found.candidate]), distance: found.distance, to: &published)
  }

  /// Lays out the model of `user`, or the order by distance where there is none, or one that tells nobody apart.
  func query(of user: Int, _ workspace: inout SearchWorkspace) -> BlockQuery {
    var order = BlockQuery.Order.distance(score: nil)
    if table?.read(user, into: &workspace.model) ?? false {
      workspace.score.prepare(
        workspace.model, user: user, in: byScore.tree.candidates.space, byScore.tree.candidates.layout,
        farthest: byScore.radius)
      order =
        workspace.score.constant.map { .distance(score: $0) } ?? .score(above: people.ranking.minimumScore)
    }
    var slack = workspace.score.slack
    if case .distance = order {
      workspace.distanceOrder.prepareDistance(farthest: byDistance.radius)
      slack = workspace.distanceOrder.slack
    }
    workspace.tree.nearby = LastDistance()
    return BlockQuery(
      user: user, position: people.users[user], slack: slack, order: order,
      top: TopList(capacity: people.ranking.top, order: people.order(forUser: user)))
  }

  /// Candidates in reach and excluded, and those in reach with whom the user has interacted.
  private func count(_ query: BlockQuery, _ workspace: inout SearchWorkspace) -> (SearchCounts, Int) {
    var counts = everybody
    if let reach, let origin = query.origin {
      counts = SearchCounts(excluded: Array(repeating: 0, count: people.ranking.exclusions.count))
      if let last = workspace.lastReach, last.owner === reach, last.origin == origin.coordinate {
        counts = last.counts
      } else {
        reach.add(around: origin, to: &counts)
        workspace.lastReach = (reach, origin.coordinate, counts)
      }
    }
    var interactedInReach = 0
    for entry in workspace.tree.exclusions.entries {
      let candidate = Int(entry.candidate)
      if !isInReach(candidate, query) { continue }
      if entry.hasInteracted { interactedInReach += 1 }
      // A flagged one is counted already, but an earlier rule may be the one that excludes it.
      let flag = people.eligibility.flag(of: candidate)
      let rule = Int(entry.rule)
      if let flag {
        guard rule < flag else { continue }
        counts.excluded[flag] -= 1
      }
      counts.excluded[rule] += 1
    }
    return (counts, interactedInReach)
  }

  private func isInReach(_ candidate: Int, _ query: BlockQuery) -> Bool {
    guard let chord else { return true }
    guard let center = query.center, let vector = vectors[candidate] else { return false }
    let squared = center.squaredChord(toX: vector.x, y: vector.y, z: vector.z)
    if squared <= chord.surelyWithin || squared >= chord.surelyBeyond { return squared <= chord.surelyWithin }
    return people.candidates.distanceInKilometers(from: query.origin, to: candidate) <= byDistance.radius
  }
}
