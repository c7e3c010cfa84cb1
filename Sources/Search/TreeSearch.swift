internal import Features
internal import Geohash
internal import PipelineFile
internal import RunSchemas

/// Best-first through a tree of blocks.
///
/// A bound says how good anybody below a node, or in a block, can be at most. Nodes are opened from the best bound on,
/// until nobody in those that are left can come onto the list. Bounds are worked out in single precision, for many at
/// once, and are rounded outwards; where one is too close to the list's last score to tell, the exact bound decides,
/// and then the distance.
///
/// One for all threads, and so a class: copies of a struct with so many arrays would count references for each user.
///
/// Source: best-first (incremental) search, Hjaltason and Samet 1999, doi:10.1145/320248.320255.
final class TreeSearch: Sendable {
  let tree: SearchTree
  /// Kilometres; infinite where there is no radius.
  let radius: Double
  private let models: (space: FeatureSpace, table: ModelTable)?
  /// The squared chord above which everybody is beyond the radius; infinite where there is none.
  private let limit: Float
  /// By place: the hash of the candidate's id. Neighbours in a block tie often, so these stand side by side.
  private let hashes: [UInt64]

  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - rows: The candidates who may be listed.
  ///   - models: What scores are made of; `nil` where places alone count.
  ///   - dimensions: What the tree is grown by.
  ///   - vectors: By row: where a candidate is.
  ///   - threads: Workers to grow the tree.
  init(
    _ people: RankedPeople, _ rows: [UInt32], models: (space: FeatureSpace, table: ModelTable)?,
    _ dimensions: [TreeDimension], vectors: [UnitVector?], threads: Int
  ) {
    let (candidates, radius) = (people.candidates, people.ranking.radiusInKilometers)
    self.models = models
    let tree = SearchTree(
      rows, dimensions: dimensions,
      space: models?.space ?? .empty(candidates: candidates, users: people.users), positions: candidates,
      vectors: vectors, threads: threads)
    hashes = tree.tree.rows.map { $0 == SearchedCandidates.nobody ? 0 : people.candidateHashes[Int($0)] }
    self.tree = tree
    self.radius = radius ?? .infinity
    limit = radius.map { ChordFloats.surelyBeyond(ChordRadius(radiusInKilometers: $0)).nextDown } ?? .infinity
  }

  /// Lays out the model of `user` for this tree.
  func prepare(_ score: inout UserScore, _ model: ColumnModel, of user: Int) {
    score.prepare(model, user: user, for: tree.candidates, farthest: radius)
  }

  /// Finds the list of `query`.
  ///
  /// - Parameters:
  ///   - query: What is asked; its list is empty.
  ///   - score: What bounds are made of: the user's model, or the order by distance, laid out for `tree`.
  ///   - workspace: Buffers; the exclusions are those of the user.
  func findBest(_ query: inout BlockQuery, _ score: borrowing UserScore, _ workspace: inout TreeWorkspace) {
    workspace.frontier.removeAll()
    guard let root = tree.tree.root else { return }
    workspace.frontier.insert(Frontier.FrontierEntry(bound: .infinity, squaredChord: 0, reference: root))
    // The list fills up while entries wait, so each is looked at again when it is its turn; all behind it are worse.
    while let entry = workspace.frontier.popFirst(), !(entry.bound < query.threshold) {
      if query.isClose(entry.bound) {
        workspace.effort.exactBounds += 1
        if !mayList(entry, &query) { continue }
      }
      if let block = entry.reference.block {
        lookInto(block, &query, score, &workspace)
      } else {
        open(entry.reference.node, &query, score, &workspace)
      }
    }
  }

  private func open(
    _ index: Int, _ query: inout BlockQuery, _ score: borrowing UserScore, _ workspace: inout TreeWorkspace
  ) {
    workspace.effort.nodes += 1
    let children = tree.tree.nodes[index].children
    let bounds = bounds(of: index, &query, score)
    var chosen = bounds.chosen(notBelow: query.threshold, within: limit, count: children.count)
    while chosen != 0 {
      let child = chosen.trailingZeroBitCount
      chosen &= chosen - 1
      workspace.frontier.insert(
        Frontier.FrontierEntry(
          bound: bounds.scores[child], squaredChord: bounds.squaredChords[child],
          reference: tree.tree.children[children.lowerBound + child]))
    }
  }

  /// What is known of each child of a node: for tests.
  func entries(
    below index: Int, _ query: inout BlockQuery, _ score: borrowing UserScore
  ) -> [(entry: Frontier.FrontierEntry, isInReach: Bool)] {
    let children = tree.tree.nodes[index].children
    let bounds = bounds(of: index, &query, score)
    return (0..<children.count).map { child in
      let entry = Frontier.FrontierEntry(
        bound: bounds.scores[child], squaredChord: bounds.squaredChords[child],
        reference: tree.tree.children[children.lowerBound + child])
      return (entry, !(bounds.squaredChords[child] > limit))
    }
  }

  private func bounds(
    of index: Int, _ query: inout BlockQuery, _ score: borrowing UserScore
  ) -> NodeBounds {
    let children = tree.tree.nodes[index].children
    return score.bounds(
      tree.nodes, node: index, count: children.count, center: query.roundedCenter,
      farthest: Float(radius).nextUp
    ) { child, feature in
      tree.mostContribution(
        of: feature, tree.tree.children[children.lowerBound + child], exactBound(&query))
    }
  }

  private func lookInto(
    _ block: Int, _ query: inout BlockQuery, _ score: borrowing UserScore, _ workspace: inout TreeWorkspace
  ) {
    let places = tree.candidates.places(of: block)
    let bounds = score.bounds(tree.candidates, block: block, center: query.roundedCenter)
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
        if isTooFarForATie(places.lowerBound + lane, bounds.squaredChord(lane), query, score) { continue }
        offer(places.lowerBound + lane, &query, score, &workspace)
      }
    }
  }

  /// Whether the candidate at `place` is certainly behind the last one of a full list, as it does not beat its score and
  /// is farther away. Whose tastes do not tell neighbours apart has ties by the thousand: they are spared the distance.
  @inline(__always)
  private func isTooFarForATie(
    _ place: Int, _ squaredChord: Float, _ query: borrowing BlockQuery, _ score: borrowing UserScore
  ) -> Bool {
    guard !score.dependsOnDistance, let last = query.top.last, let lowest = last.score else {
      return false
    }
    // Of an unknown distance nothing is certain here.
    let nearest = ChordFloats.surelyLeastKilometers(squaredChord: squaredChord)
    guard Double(nearest) > last.distance else { return false }
    return score.score(tree.candidates, place: place, distance: .nan) <= lowest
  }

  /// Looks at the candidate at `place` exactly as the scan does it.
  @inline(__always)
  private func offer(
    _ place: Int, _ query: inout BlockQuery, _ score: borrowing UserScore, _ workspace: inout TreeWorkspace
  ) {
    workspace.effort.scored += 1
    let distance = workspace.nearby.distanceInKilometers(to: place, of: tree.candidates, from: query.origin)
    if radius.isFinite, !(distance <= radius) { return }
    var measured = query.constantScore
    if let minimum = query.minimumScore {
      let value = score.score(tree.candidates, place: place, distance: distance)
      if !(value > minimum) { return }
      measured = value
    }
    let row = tree.candidates.rows[place]
    query.offer(
      Recommendation(candidate: Int(row), score: measured, distance: distance), hash: hashes[place],
      isExcluded: workspace.exclusions.contains(row))
  }

  /// Whether somebody below an entry may come onto the list, as its exact bound tells. Who is equal in score and
  /// distance to the last one may: ties are decided by more than that.
  private func mayList(_ entry: Frontier.FrontierEntry, _ query: inout BlockQuery) -> Bool {
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
    guard let models, let model = models.table[query.user] else {
      preconditionFailure("there is no model to bound the scores of")
    }
    let bound = ScoreBound(Scorer(model, of: query.user, in: models.space))
    query.exactBound = bound
    return bound
  }
}

/// The buffers of a search through a tree.
struct TreeWorkspace {
  /// Nodes and blocks that may still hold somebody, a heap with the most promising one in front.
  var frontier = Frontier()
  var nearby = LastDistance()
  /// Those of the user.
  var exclusions = ExclusionSet()
  var effort = SearchEffort()
}

/// What searches through blocks looked at: the same on every machine, unlike their time.
package struct SearchEffort: Sendable {
  /// Nodes whose children were bounded.
  package var nodes = 0
  /// Candidates that were bounded, in whole blocks.
  package var bounded = 0
  /// Candidates whose distances were worked out.
  package var scored = 0
  /// Nodes and blocks that were bounded once more, exactly.
  package var exactBounds = 0

  package init() {}

  package static func += (left: inout SearchEffort, right: SearchEffort) {
    left.nodes += right.nodes
    left.bounded += right.bounded
    left.scored += right.scored
    left.exactBounds += right.exactBounds
  }
}
