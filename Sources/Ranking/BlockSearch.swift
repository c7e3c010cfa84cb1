internal import Features
internal import Geohash
internal import PipelineFile
internal import Tables

/// Finds the best candidates without looking at everybody: best-first through a tree of blocks.
///
/// A node's bound says how good anybody in it can be at most, and how near. Nodes are opened from the best bound on,
/// until nobody in those that are left can come onto the list. Bounds are rounded outwards, so that lists and counts are
/// those of `ScanSearch`, bit for bit.
///
/// Source: best-first (incremental) search, Hjaltason and Samet 1999, doi:10.1145/320248.320255.
struct BlockSearch: Sendable {
  /// Candidates per block, and nodes per node: as in the prototype; others were not tried.
  static let blockSize = 32
  static let fanOut = 8

  private let people: RankedPeople
  let tree: CandidateTree
  /// By place in the tree.
  let positions: Positions
  private let space: FeatureSpace?
  /// By node, one per feature.
  private let summaries: [FeatureSummary]
  private let radius: Double
  private let chord: ChordRadius?
  private let reach: ReachCounts?
  /// By row.
  private let vectors: [UnitVector?]
  /// Of a ranking without a radius, where everybody is in reach.
  private let everybody: SearchCounts

  /// - Parameters:
  ///   - people: Users, candidates and rules.
  ///   - space: What scores are made of; `nil` where the ranking is by distance.
  init(_ people: RankedPeople, space: FeatureSpace?) {
    let (ranking, candidates) = (people.ranking, people.candidates)
    self.people = people
    let flags = (0..<candidates.count).map(people.eligibility.flag)
    let listable = flags.indices.filter {
      flags[$0] == nil && (ranking.radiusInKilometers == nil || candidates[$0] != nil)
    }
    tree = CandidateTree(
      listable, groups: space?.mainCategory, positions: candidates, blockSize: Self.blockSize,
      fanOut: Self.fanOut)
    positions = candidates.picked(tree.rows)
    let ordered = space?.ordered(tree.rows)
    self.space = ordered
    summaries = tree.summaries(of: ordered?.features.map(\.values) ?? [])
    radius = ranking.radiusInKilometers ?? .infinity
    chord = ranking.radiusInKilometers.map(ChordRadius.init)
    reach = ranking.radiusInKilometers.map {
      ReachCounts(flags: flags, positions: candidates, radiusInKilometers: $0)
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
  ///   - model: The user's; `nil` where the ranking is by distance or there is nothing to predict with.
  ///   - workspace: Buffers.
  /// - Returns: The best candidates in their order, why they are few, and who was lost where.
  func search(_ user: Int, model: UserModel?, _ workspace: inout SearchWorkspace) -> SearchResult {
    let ranking = people.ranking
    if ranking.radiusInKilometers != nil && people.users[user] == nil { return .withoutPosition(ranking) }
    var query = query(of: user, model: model)
    findBest(&query, &workspace)
    let (counts, interactedInReach) = count(query, &workspace)
    return SearchResult(
      best: query.top.best, counts: counts, interactedInReach: interactedInReach, ranking: ranking)
  }

  func query(of user: Int, model: UserModel?) -> BlockQuery {
    let origin = people.users[user].map(DistanceOrigin.init)
    let scorer = model.flatMap { model in space.map { Scorer(model, of: user, in: $0) } }
    return BlockQuery(
      origin: origin, center: origin.map { UnitVector($0.coordinate) }, scorer: scorer,
      bound: scorer.map(ScoreBound.init), prefersFar: scorer?.prefersFar ?? false,
      eligible: people.eligibility.of(user: user), minimumScore: people.ranking.minimumScore,
      top: TopList(capacity: people.ranking.top, order: people.order(forUser: user)))
  }

  private func findBest(_ query: inout BlockQuery, _ workspace: inout SearchWorkspace) {
    workspace.frontier.removeAll()
    if let root = tree.root, let entry = entry(root, query) { workspace.frontier.insert(entry) }
    // The list fills up while nodes wait, so an entry is looked at again when it is its turn; all behind it are worse.
    while let entry = workspace.frontier.popFirst(),
      query.mayList(bound: entry.bound, nearest: entry.nearest)
    {
      workspace.nodesOpened += 1
      let node = tree.nodes[entry.node]
      if node.isBlock {
        lookInto(node.places, &query, &workspace)
      } else {
        for child in node.children {
          if let entry = self.entry(child, query),
            query.mayList(bound: entry.bound, nearest: entry.nearest)
          {
            workspace.frontier.insert(entry)
          }
        }
      }
    }
  }

  /// What a node promises; `nil` where everybody in it is beyond the radius.
  func entry(_ index: Int, _ query: BlockQuery) -> Frontier.Entry? {
    let node = tree.nodes[index]
    var nearest = Double.infinity
    var distances: (least: Double, most: Double)?
    if let center = query.center, !node.box.isEmpty {
      let squared = node.box.leastSquaredChord(to: center)
      if let chord, squared >= chord.surelyBeyond { return nil }
      nearest = ChordBounds.leastKilometers(squaredChord: squared)
      // How far they are matters to whoever prefers them far.
      let most =
        query.prefersFar
        ? ChordBounds.mostKilometers(squaredChord: node.box.mostSquaredChord(to: center)) : nearest
      distances = (nearest, most)
    }
    // Without scores all are equal, and distance alone decides.
    let bound =
      query.bound?.upperBound(
        summaries.span, from: index * (space?.features.count ?? 0), distances: distances,
        hasUnknownDistance: query.center == nil || node.hasUnpositioned) ?? 0
    return Frontier.Entry(bound: bound, nearest: nearest, node: index)
  }

  private func lookInto(
    _ places: Range<Int>, _ query: inout BlockQuery, _ workspace: inout SearchWorkspace
  ) {
    workspace.candidatesScored += places.count
    writeChords(of: places, query.center, to: &workspace)
    if let scorer = query.scorer {
      scorer.writeUpperBounds(
        of: places, squaredChords: workspace.squaredChords, into: &workspace.bounds)
    }
    for place in places {
      let squared = workspace.squaredChords[place - places.lowerBound]
      if let chord, !(squared < chord.surelyBeyond) { continue }
      let bound = query.scorer == nil ? 0 : workspace.bounds[place - places.lowerBound]
      guard
        query.mayList(
          bound: bound,
          nearest: squared.isNaN ? .infinity : ChordBounds.leastKilometers(squaredChord: squared))
      else { continue }
      // From here on exactly as the scan does it.
      let distance = positions.distanceInKilometers(from: query.origin, to: place)
      if chord != nil, !(distance <= radius) { continue }
      let score = query.scorer?.score(candidate: place, distance: distance)
      if let score, !(score > query.minimumScore) { continue }
      let found = Recommendation(candidate: tree.rows[place], score: score, distance: distance)
      if query.top.takes(found), query.eligible.exclusion(of: found.candidate) == nil {
        query.top.offer(found)
      }
    }
  }

  private func writeChords(
    of places: Range<Int>, _ center: UnitVector?, to workspace: inout SearchWorkspace
  ) {
    var squaredChords = workspace.squaredChords.mutableSpan
    guard let center else {
      for index in 0..<places.count { squaredChords[index] = .nan }
      return
    }
    let (x, y, z) = (
      tree.x.span.extracting(places), tree.y.span.extracting(places), tree.z.span.extracting(places)
    )
    for index in 0..<places.count {
      squaredChords[index] = center.squaredChord(toX: x[index], y: y[index], z: z[index])
    }
  }

  /// Candidates in reach and excluded, and those in reach with whom the user has interacted.
  private func count(_ query: BlockQuery, _ workspace: inout SearchWorkspace) -> (SearchCounts, Int) {
    var counts = everybody
    if let reach, let origin = query.origin {
      counts = SearchCounts(excluded: Array(repeating: 0, count: people.ranking.exclusions.count))
      if let last = workspace.lastReach, last.owner === reach.owner, last.origin == origin.coordinate {
        counts = last.counts
      } else {
        reach.add(around: origin, to: &counts)
        workspace.lastReach = (reach.owner, origin.coordinate, counts)
      }
    }
    var interactedInReach = 0
    for candidate in query.eligible.ownExclusions {
      let candidate = Int(candidate)
      if !isInReach(candidate, query) { continue }
      if query.eligible.hasInteracted(with: candidate) { interactedInReach += 1 }
      // A flagged one is counted already, but an earlier rule may be the one that excludes it.
      let flag = people.eligibility.flag(of: candidate)
      if let exclusion = query.eligible.exclusion(of: candidate), exclusion != flag {
        counts.excluded[exclusion] += 1
        if let flag { counts.excluded[flag] -= 1 }
      }
    }
    return (counts, interactedInReach)
  }
}

extension BlockSearch {
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
  let origin: DistanceOrigin?
  let center: UnitVector?
  /// Over candidates in the order of the tree.
  let scorer: Scorer?
  let bound: ScoreBound?
  let prefersFar: Bool
  let eligible: UserEligibility
  let minimumScore: Double
  var top: TopList

  /// Whether somebody whose score is at most `bound`, and who is at least `nearest` kilometres away, may come onto the
  /// list. Who is equal in both may: ties are decided by more than that.
  func mayList(bound: Double, nearest: @autoclosure () -> Double) -> Bool {
    if scorer != nil && !(bound > minimumScore) { return false }
    guard let last = top.last else { return true }
    let lowest = last.score ?? 0
    if bound != lowest { return bound > lowest }
    // Unknown distances come last, as infinite ones would.
    return last.distance.isNaN || nearest() <= last.distance
  }
}

extension CandidateTree {
  /// By node, one per feature, of features whose candidates are in the order of the tree.
  func summaries(of features: [FeatureValues]) -> [FeatureSummary] {
    var summaries: [FeatureSummary] = []
    summaries.reserveCapacity(nodes.count * features.count)
    for node in nodes {
      for (index, values) in features.enumerated() {
        var summary = FeatureSummary()
        if node.isBlock {
          for place in node.places { summary.formUnion(values.summary(of: place)) }
        } else {
          for child in node.children { summary.formUnion(summaries[child * features.count + index]) }
        }
        summaries.append(summary)
      }
    }
    return summaries
  }
}

extension FeatureSpace {
  /// The codes of the first category, by which candidates are grouped: most models tell people apart by it.
  var mainCategory: [UInt32]? {
    for feature in features {
      if case .category(let codes, _) = feature.values { return codes }
    }
    return nil
  }
}
