internal import Features
internal import Geohash

/// A tree of candidates with the bounds of its nodes and blocks. Approximate bounds are computed for all
/// children of a node at once. Exact bounds are computed one by one, for close cases.
struct SearchTree: ~Copyable, Sendable {
  let tree: CandidateTree
  let candidates: SearchedCandidates
  let nodes: SearchedNodes

  /// The bounding box of the positions in a node or block, and whether a candidate has no position.
  private struct Extent {
    var box = VectorBox()
    var hasUnpositioned = false

    mutating func formUnion(_ other: Extent) {
      box.formUnion(other.box)
      hasUnpositioned = hasUnpositioned || other.hasUnpositioned
    }
  }

  /// The extents of all blocks, followed by the extents of all nodes.
  private let extents: [Extent]
  /// The summaries of all blocks, followed by the summaries of all nodes. Each block or node has one summary
  /// per feature.
  private let summaries: [FeatureSummary]

  /// Builds the tree, and computes the bounds of its blocks and nodes.
  ///
  /// - Parameters:
  ///   - rows: The rows of the candidates in the tree.
  ///   - dimensions: The dimensions on which to split the tree.
  ///   - space: The features behind the scores.
  ///   - positions: The position of each row.
  ///   - vectors: The same positions as points on the unit sphere.
  ///   - threads: The number of workers that build the tree.
  init(
    _ rows: [UInt32], dimensions: [TreeDimension], space: FeatureSpace, positions: Positions,
    vectors: [UnitVector?], threads: Int
  ) {
    let tree = TreeBuilder(dimensions).grow(rows, threads: threads)
    let candidates = SearchedCandidates(
      rows: tree.rows, space: space, positions: positions, vectors: vectors)
    let width = space.features.count
    var extents: [Extent] = []
    var summaries: [FeatureSummary] = []
    for block in 0..<tree.blockCount {
      var extent = Extent()
      for place in candidates.places(of: block) {
        if let vector = vectors[Int(tree.rows[place])] {
          extent.box.formUnion(vector)
        } else {
          extent.hasUnpositioned = true
        }
      }
      extents.append(extent)
      for feature in space.features {
        var summary = FeatureSummary()
        for place in candidates.places(of: block) {
          summary.formUnion(feature.shape.summary(of: Int(tree.rows[place])))
        }
        summaries.append(summary)
      }
    }
    var nodes = SearchedNodes(count: tree.nodes.count, of: candidates)
    for (index, node) in tree.nodes.enumerated() {
      var extent = Extent()
      var own = [FeatureSummary](repeating: FeatureSummary(), count: width)
      for (number, child) in tree.children[node.children].enumerated() {
        let below = child.block ?? tree.blockCount + child.node
        extent.formUnion(extents[below])
        let known = summaries[below * width..<(below + 1) * width]
        for (feature, summary) in known.enumerated() { own[feature].formUnion(summary) }
        nodes.set(
          index, child: number, box: extents[below].box, hasUnpositioned: extents[below].hasUnpositioned,
          known.span, candidates)
      }
      extents.append(extent)
      summaries += own
    }
    self.tree = tree
    self.candidates = candidates
    self.nodes = nodes
    self.extents = extents
    self.summaries = summaries
  }

  /// Returns an upper bound in double precision on the scores in a node or block. Despite rounding, the bound
  /// is never below any of these scores.
  func upperBound(_ reference: CandidateTree.Reference, _ bound: ScoreBound, center: UnitVector?) -> Double {
    let index = index(of: reference)
    let extent = extents[index]
    var distances: (least: Double, most: Double)?
    if let center, !extent.box.isEmpty {
      distances = (
        ChordBounds.leastKilometers(squaredChord: extent.box.leastSquaredChord(to: center)),
        ChordBounds.mostKilometers(squaredChord: extent.box.mostSquaredChord(to: center))
      )
    }
    return bound.upperBound(
      summaries.span, from: index * candidates.featureCount,
      GroupDistances(known: distances, hasUnknown: center == nil || extent.hasUnpositioned))
  }

  /// Returns an upper bound on the contribution of a feature in a node or block.
  func mostContribution(
    of feature: Int, _ reference: CandidateTree.Reference, _ bound: ScoreBound
  ) -> Double {
    bound.mostContribution(of: feature, summaries[index(of: reference) * candidates.featureCount + feature])
  }

  private func index(of reference: CandidateTree.Reference) -> Int {
    reference.block ?? tree.blockCount + reference.node
  }
}
