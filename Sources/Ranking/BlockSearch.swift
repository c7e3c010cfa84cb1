internal import Features
internal import Geohash
internal import PipelineFile
internal import Tables

/// Finds the best candidates without looking at everybody: best-first through a tree of blocks.
///
/// A bound says how good anybody below a node, or in a block, can be at most. Nodes are opened from the best bound on,
/// until nobody in those that are left can come onto the list. Bounds are worked out in single precision, for many at
/// once, and are rounded outwards; where one is too close to the list's last score to tell, the exact bound decides,
/// and then the distance. So lists and counts are those of `ScanSearch`, bit for bit.
///
/// One for all threads, and so a class: copies of a struct with so many arrays would count references for each user.
///
/// Source: best-first (incremental) search, Hjaltason and Samet 1999, doi:10.1145/320248.320255.
final class BlockSearch: Sendable {
  private let people: RankedPeople
  let tree: SearchTree
  /// What scores are made of; `nil` where the ranking is by distance.
  private let space: FeatureSpace?
  private let table: ModelTable?
  private let radius: Double
  private let chord: ChordRadius?
  /// The squared chord above which everybody is beyond the radius; infinite where there is none.
  private let limit: Float
  private let reach: ReachCounts?
  /// By row.
  private let vectors: [UnitVector?]
  /// By row: the place in the tree of a candidate who may be listed.
  private let places: [UInt32]
  /// By place: the hash of the candidate's id. Neighbours in a block tie often, so these stand side by side.
  private let hashes: [UInt64]
  /// Of a ranking without a radius, where everybody is in reach.
  private let everybody: SearchCounts

  /// - Parameters:
  ///   - people: Users, candidates and rules.
  ///   - models: What scores are made of; `nil` where the ranking is by distance.
  ///   - threads: Workers to grow the tree.
  init(_ people: RankedPeople, models: (space: FeatureSpace, table: ModelTable)?, threads: Int) {
    let (ranking, candidates) = (people.ranking, people.candidates)
    self.people = people
    space = models?.space
    table = models?.table
    let flags = (0..<candidates.count).map(people.eligibility.flag)
    let listable = flags.indices.filter {
      flags[$0] == nil && (ranking.radiusInKilometers == nil || candidates[$0] != nil)
    }
    let radius = ranking.radiusInKilometers
    tree = SearchTree(
      listable.map { UInt32($0) },
      dimensions: TreeDimension.all(
        candidates, radiusInKilometers: radius, space: models?.space, table: models?.table),
      space: models?.space ?? .empty(candidates: candidates, users: people.users), positions: candidates,
      threads: threads)
    var places = [UInt32](repeating: SearchedCandidates.nobody, count: candidates.count)
    for (place, row) in tree.tree.rows.enumerated() where row != SearchedCandidates.nobody {
      places[Int(row)] = UInt32(place)
    }
    self.places = places
    hashes = tree.tree.rows.map { $0 == SearchedCandidates.nobody ? 0 : people.candidateHashes[Int($0)] }
    self.radius = radius ?? .infinity
    chord = radius.map(ChordRadius.init)
    limit = chord.map { ChordFloats.surelyBeyond($0).nextDown } ?? .infinity
    reach = radius.map {
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
    people.eligibility.write(user, to: &workspace.exclusions)
    findBest(&query, &workspace)
    // Why a list is short is told by counting.
    guard isCounting || query.top.last == nil else {
      return SearchResult(best: query.top.best, shortfall: nil, counts: nil)
    }
    let (counts, interactedInReach) = count(query, &workspace)
    return SearchResult(
      best: query.top.best, counts: counts, interactedInReach: interactedInReach, ranking: ranking)
  }

  /// Writes the reasons for a recommendation by `score`, best first.
  func writeReasons(for found: Recommendation, _ score: UserScore, to published: inout [Contribution]) {
    score.writeReasons(
      tree.candidates, place: Int(places[found.candidate]), distance: found.distance, to: &published)
  }

  /// Lays out the model of `user`, or the order by distance where there is none.
  func query(of user: Int, _ workspace: inout SearchWorkspace) -> BlockQuery {
    let hasModel = table?.read(user, into: &workspace.model) ?? false
    if hasModel {
      workspace.score.prepare(
        workspace.model, user: user, in: tree.candidates.space, tree.candidates.layout, farthest: radius)
    } else {
      workspace.score.prepareDistance(farthest: radius)
    }
    let origin = people.users[user].map(DistanceOrigin.init)
    workspace.nearby = LastDistance()
    return BlockQuery(
      user: user, origin: origin, center: origin.map { UnitVector($0.coordinate) },
      minimumScore: hasModel ? people.ranking.minimumScore : nil, slack: workspace.score.slack,
      top: TopList(capacity: people.ranking.top, order: people.order(forUser: user)))
  }

  private func findBest(_ query: inout BlockQuery, _ workspace: inout SearchWorkspace) {
    workspace.frontier.removeAll()
    guard let root = tree.tree.root else { return }
    workspace.frontier.insert(Frontier.Entry(bound: .infinity, squaredChord: 0, reference: root))
    // The list fills up while entries wait, so each is looked at again when it is its turn; all behind it are worse.
    while let entry = workspace.frontier.popFirst(), !(entry.bound < query.threshold) {
      if query.isClose(entry.bound) {
        workspace.effort.exactBounds += 1
        if !mayList(entry, &query) { continue }
      }
      if let block = entry.reference.block {
        lookInto(block, &query, &workspace)
      } else {
        open(entry.reference.node, &query, &workspace)
      }
    }
  }

  private func open(_ index: Int, _ query: inout BlockQuery, _ workspace: inout SearchWorkspace) {
    workspace.effort.nodes += 1
    let children = tree.tree.nodes[index].children
    let bounds = bounds(of: index, &query, &workspace)
    var chosen = bounds.chosen(notBelow: query.threshold, within: limit, count: children.count)
    while chosen != 0 {
      let child = chosen.trailingZeroBitCount
      chosen &= chosen - 1
      workspace.frontier.insert(
        Frontier.Entry(
          bound: bounds.scores[child], squaredChord: bounds.squaredChords[child],
          reference: tree.tree.children[children.lowerBound + child]))
    }
  }

  /// What is known of each child of a node: for tests.
  func entries(
    below index: Int, _ query: inout BlockQuery, _ workspace: inout SearchWorkspace
  ) -> [(entry: Frontier.Entry, isInReach: Bool)] {
    let children = tree.tree.nodes[index].children
    let bounds = bounds(of: index, &query, &workspace)
    return (0..<children.count).map { child in
      let entry = Frontier.Entry(
        bound: bounds.scores[child], squaredChord: bounds.squaredChords[child],
        reference: tree.tree.children[children.lowerBound + child])
      return (entry, !(bounds.squaredChords[child] > limit))
    }
  }

  private func bounds(
    of index: Int, _ query: inout BlockQuery, _ workspace: inout SearchWorkspace
  ) -> NodeBounds {
    let children = tree.tree.nodes[index].children
    return workspace.score.bounds(
      tree.nodes, node: index, count: children.count, center: query.roundedCenter,
      farthest: Float(radius).nextUp
    ) { child, feature in
      tree.mostContribution(
        of: feature, tree.tree.children[children.lowerBound + child], exactBound(&query))
    }
  }

  private func lookInto(_ block: Int, _ query: inout BlockQuery, _ workspace: inout SearchWorkspace) {
    let places = tree.candidates.places(of: block)
    let bounds = workspace.score.bounds(tree.candidates, block: block, center: query.roundedCenter)
    workspace.effort.bounded += places.count
    var lanes = bounds.chosen(notBelow: query.threshold, within: limit, count: places.count)
    // The most promising ones first, unless there is room for all: then the list is full of good ones soon, and the others
    // are spared.
    while lanes != 0 {
      var chosen = lanes
      if query.top.room < lanes.nonzeroBitCount {
        let best = bounds.best(of: lanes)
        if best.score < query.threshold { return }
        chosen = best.lanes
      }
      lanes &= ~chosen
      while chosen != 0 {
        let lane = chosen.trailingZeroBitCount
        chosen &= chosen - 1
        if isTooFarForATie(places.lowerBound + lane, bounds.squaredChord(lane), query, workspace) { continue }
        offer(places.lowerBound + lane, &query, &workspace)
      }
    }
  }

  /// Whether the candidate at `place` is certainly behind the last one of a full list, as it does not beat its score and
  /// is farther away. Who has no tastes, or none that tell neighbours apart, has ties by the thousand: they are spared
  /// the distance.
  @inline(__always)
  private func isTooFarForATie(
    _ place: Int, _ squaredChord: Float, _ query: BlockQuery, _ workspace: borrowing SearchWorkspace
  ) -> Bool {
    guard !workspace.score.dependsOnDistance, let last = query.top.last, let lowest = last.score else {
      return false
    }
    // Of an unknown distance nothing is certain here.
    let nearest = ChordFloats.surelyLeastKilometers(squaredChord: squaredChord)
    guard Double(nearest) > last.distance else { return false }
    return workspace.score.score(tree.candidates, place: place, distance: .nan) <= lowest
  }

  /// Looks at the candidate at `place` exactly as the scan does it.
  @inline(__always)
  private func offer(_ place: Int, _ query: inout BlockQuery, _ workspace: inout SearchWorkspace) {
    workspace.effort.scored += 1
    let distance = workspace.nearby.distanceInKilometers(to: place, of: tree.candidates, from: query.origin)
    if chord != nil, !(distance <= radius) { return }
    var score: Double?
    if let minimum = query.minimumScore {
      let value = workspace.score.score(tree.candidates, place: place, distance: distance)
      if !(value > minimum) { return }
      score = value
    }
    let row = tree.candidates.rows[place]
    query.offer(
      Recommendation(candidate: Int(row), score: score, distance: distance), hash: hashes[place],
      isExcluded: workspace.exclusions.contains(row))
  }

  /// Whether somebody below an entry may come onto the list, as its exact bound tells. Who is equal in score and
  /// distance to the last one may: ties are decided by more than that.
  private func mayList(_ entry: Frontier.Entry, _ query: inout BlockQuery) -> Bool {
    guard let minimum = query.minimumScore else { return true }
    let bound = exactBound(of: entry.reference, &query)
    if !(bound > minimum) { return false }
    guard let last = query.top.last else { return true }
    let lowest = last.score ?? 0
    if bound != lowest { return bound > lowest }
    // Unknown distances come last, as infinite ones would.
    return last.distance.isNaN || Double(entry.nearestInKilometers) <= last.distance
  }

  /// At least the score of everybody below a node or in a block, exactly.
  func exactBound(of reference: CandidateTree.Reference, _ query: inout BlockQuery) -> Double {
    tree.upperBound(reference, exactBound(&query), center: query.center)
  }

  private func exactBound(_ query: inout BlockQuery) -> ScoreBound {
    if let bound = query.exactBound { return bound }
    guard let space, let table, let model = table[query.user] else {
      preconditionFailure("there is no model to bound the scores of")
    }
    let bound = ScoreBound(Scorer(model, of: query.user, in: space))
    query.exactBound = bound
    return bound
  }

  /// Candidates in reach and excluded, and those in reach with whom the user has interacted.
  private func count(_ query: BlockQuery, _ workspace: inout SearchWorkspace) -> (SearchCounts, Int) {
    var counts = everybody
    if let reach, let origin = query.origin {
      counts = SearchCounts(excluded: Array(repeating: 0, count: people.ranking.exclusions.count))
      if let last = workspace.lastReach, last.owner === reach.identity, last.origin == origin.coordinate {
        counts = last.counts
      } else {
        reach.add(around: origin, to: &counts)
        workspace.lastReach = (reach.identity, origin.coordinate, counts)
      }
    }
    var interactedInReach = 0
    for entry in workspace.exclusions.entries {
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
    return people.candidates.distanceInKilometers(from: query.origin, to: candidate) <= radius
  }
}

/// One user's search: what is asked, and the list so far.
struct BlockQuery {
  let user: Int
  let origin: DistanceOrigin?
  let center: UnitVector?
  let roundedCenter: FloatVector
  /// `nil` where the list is by distance.
  let minimumScore: Double?
  /// At most how much rounding puts a bound above the exact one.
  private let slack: Double
  private(set) var top: TopList
  /// Whoever's bound is below it cannot be listed.
  private(set) var threshold = -Float.infinity
  private var exactThreshold = -Double.infinity
  /// Made when it is needed: few searches do.
  var exactBound: ScoreBound?

  init(
    user: Int, origin: DistanceOrigin?, center: UnitVector?, minimumScore: Double?, slack: Double,
    top: TopList
  ) {
    (self.user, self.origin, self.center) = (user, origin, center)
    roundedCenter = center.map(FloatVector.init) ?? .unknown
    (self.minimumScore, self.slack, self.top) = (minimumScore, slack, top)
    if let minimumScore { set(minimumScore) }
  }

  mutating func offer(_ found: Recommendation, hash: UInt64, isExcluded: @autoclosure () -> Bool) {
    guard top.offer(found, hash: hash, isExcluded: isExcluded()), let last = top.last else { return }
    // In the order of distance a bound is at least minus the distance.
    if let score = last.score { set(score) } else if !last.distance.isNaN { set(-last.distance) }
  }

  /// Whether a bound is so little above the threshold that only the exact one tells whether to go on. Above that the
  /// entry is opened, which is never wrong: near the root, where bounds are loose, it may be for nothing.
  func isClose(_ bound: Float) -> Bool {
    minimumScore != nil && !(Double(bound) - slack > exactThreshold)
  }

  private mutating func set(_ threshold: Double) {
    exactThreshold = threshold
    let rounded = Float(threshold)
    self.threshold = Double(rounded) > threshold ? rounded.nextDown : rounded
  }
}
