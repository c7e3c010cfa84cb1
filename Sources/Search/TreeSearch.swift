internal import Features
internal import Geohash
internal import PipelineFile
internal import RunSchemas

/// A best-first search in a tree of blocks.
///
/// A bound is an upper bound on the scores below a node or in a block. The search opens nodes in descending
/// order of their bounds, until no remaining node can contain a candidate for the list. Bounds are computed
/// in single precision, many at once, and rounded up. If a bound is too close to the list's last score, the
/// exact bound decides. If the exact bound equals that score, the distance decides.
///
/// This type is a class because all threads share it. Copying a struct with many arrays would update their
/// reference counts for each user.
///
/// Source: best-first (incremental) search, Hjaltason and Samet 1999, doi:10.1145/320248.320255.
final class TreeSearch: Sendable {
  let tree: SearchTree
  /// The radius in kilometers; infinite if there is none.
  let radius: Double
  private let models: (space: FeatureSpace, table: ModelTable)?
  /// The squared chord above which a candidate is certainly beyond the radius; infinite without a radius.
  private let limit: Float
  /// The hash of the id of the candidate at each place. Candidates in one block often tie, so their hashes
  /// are stored next to each other.
  private let hashes: [UInt64]

  /// Builds the tree of the candidates in `rows`.
  ///
  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - rows: The rows of the candidates that may be listed.
  ///   - models: The features and models behind the scores; `nil` for the order by distance.
  ///   - dimensions: The dimensions on which to split the tree.
  ///   - vectors: The position of each candidate, by row; `nil` if unknown.
  ///   - threads: The number of workers that build the tree.
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
    hashes = tree.tree.rows.map { $0 == SearchedCandidates.noRow ? 0 : people.candidateHashes[Int($0)] }
    self.tree = tree
    self.radius = radius ?? .infinity
    limit = radius.map { ChordFloats.surelyBeyond(ChordRadius(radiusInKilometers: $0)).nextDown } ?? .infinity
  }

  /// Prepares the model of `user` for this tree.
  func prepare(_ score: inout UserScore, _ model: ColumnModel, of user: Int) {
    score.prepare(model, user: user, for: tree.candidates, farthest: radius)
  }

  /// Fills the list of `query` with the best candidates.
  ///
  /// - Parameters:
  ///   - query: The query, with an empty list.
  ///   - score: The source of bounds: the user's model, or the order by distance, prepared for `tree`.
  ///   - workspace: The buffers, with the user's exclusions.
  func findBest(_ query: inout BlockQuery, _ score: borrowing UserScore, _ workspace: inout TreeWorkspace) {
    workspace.frontier.removeAll()
    guard let root = tree.tree.root else { return }
    workspace.frontier.insert(Frontier.FrontierEntry(bound: .infinity, squaredChord: 0, reference: root))
    // The threshold rises while entries wait in the queue, so each entry is compared again when it is popped.
    // No later entry has a higher bound, so the first entry below the threshold ends the search.
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
    var bounds = bounds(of: index, &query, score)
    if let prices = query.prices { bounds.scores -= prices.children[index] }
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

  /// Returns the frontier entry of each child of a node, for tests.
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
    var bounds = score.bounds(tree.candidates, block: block, center: query.roundedCenter)
    if let prices = query.prices { bounds.subtract(prices, block: block) }
    workspace.effort.bounded += places.count
    var lanes = bounds.chosen(notBelow: query.threshold, within: limit, count: places.count)
    // Unless the list has free entries for all lanes, the candidates with the highest bounds come first. The
    // list then fills with good candidates early, and the search skips many of the remaining candidates.
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

  /// Returns whether the candidate at `place` certainly ranks behind the last entry of a full list. This is
  /// certain if its score is not higher and its distance is greater. If thousands of candidates have the same
  /// score, this check avoids computing their exact distances.
  @inline(__always)
  private func isTooFarForATie(
    _ place: Int, _ squaredChord: Float, _ query: borrowing BlockQuery, _ score: borrowing UserScore
  ) -> Bool {
    guard !score.dependsOnDistance, let last = query.top.last, let lowest = last.score else {
      return false
    }
    // If either distance is unknown, this check cannot decide.
    let nearest = ChordFloats.surelyLeastKilometers(squaredChord: squaredChord)
    guard Double(nearest) > last.distance else { return false }
    let price = query.prices?.places[place] ?? 0
    return score.score(tree.candidates, place: place, distance: .nan) - price <= lowest
  }

  /// Computes the exact distance and score of the candidate at `place`, and offers the candidate to the list.
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
      if let prices = query.prices {
        let difference = value - prices.places[place]
        if !(difference > query.leastDifference) { return }
        measured = difference
      }
    } else if let value = query.distanceValue?.value(distance), let prices = query.prices {
      let difference = value - prices.places[place]
      if !(difference > query.leastDifference) { return }
      measured = difference
    }
    let row = tree.candidates.rows[place]
    query.offer(
      Recommendation(candidate: Int(row), score: measured, distance: distance), hash: hashes[place],
      isExcluded: workspace.exclusions.contains(row))
  }

  /// Returns whether a candidate below `entry` may enter the list, according to the entry's exact bound. A
  /// candidate with the same score and distance as the last entry may enter, because the tie-breaker decides.
  private func mayList(_ entry: Frontier.FrontierEntry, _ query: inout BlockQuery) -> Bool {
    guard let minimum = query.minimumScore else { return true }
    var bound = exactBound(of: entry.reference, &query)
    if !(bound > minimum) { return false }
    bound -= query.prices?.least(below: entry.reference) ?? 0
    guard let last = query.top.last else { return true }
    let lowest = last.score ?? 0
    if bound != lowest { return bound > lowest }
    // An unknown distance comes last, like an infinite one.
    return last.distance.isNaN || Double(entry.nearestInKilometers) <= last.distance
  }

  /// Returns an exact upper bound on the scores below a node or in a block.
  func exactBound(of reference: CandidateTree.Reference, _ query: inout BlockQuery) -> Double {
    tree.upperBound(reference, exactBound(&query), center: query.center)
  }

  private func exactBound(_ query: inout BlockQuery) -> ScoreBound {
    if let bound = query.exactBound { return bound }
    guard let models, let model = models.table[query.user] else {
      preconditionFailure("the exact bound on scores needs a model of the user")
    }
    let bound = ScoreBound(Scorer(model, of: query.user, in: models.space))
    query.exactBound = bound
    return bound
  }
}

/// The buffers of a tree search.
struct TreeWorkspace {
  /// A priority queue of the nodes and blocks that may still contain a candidate for the list, highest bound
  /// first.
  var frontier = Frontier()
  var nearby = LastDistance()
  /// The user's exclusions.
  var exclusions = ExclusionSet()
  var effort = SearchEffort()
}

/// The amount of work of block searches. Unlike the elapsed time, it is the same on every machine.
package struct SearchEffort: Sendable {
  /// The number of nodes for which bounds on the children were computed.
  package var nodes = 0
  /// The number of candidates for which bounds were computed. The search computes bounds for all candidates
  /// of a block at once.
  package var bounded = 0
  /// The number of candidates whose distances were computed.
  package var scored = 0
  /// The number of nodes and blocks for which exact bounds were also computed.
  package var exactBounds = 0

  package init() {}

  package static func += (left: inout SearchEffort, right: SearchEffort) {
    left.nodes += right.nodes
    left.bounded += right.bounded
    left.scored += right.scored
    left.exactBounds += right.exactBounds
  }
}
