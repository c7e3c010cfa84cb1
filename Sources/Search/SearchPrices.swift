internal import Features

/// Prices of the candidates, in the order of a block search.
///
/// A search with prices lists the candidates with the greatest differences of score and price. A candidate
/// with an infinite price is on no list.
package struct SearchPrices: Sendable {
  /// The prices in the trees by score, one element for each part of the block search.
  let byScore: [TreePrices]
  /// The prices in the trees by distance, for users without a model; empty if every user has a model.
  let byDistance: [TreePrices]
}

/// Prices of the candidates of one tree: the exact price of each candidate, and lower bounds for whole blocks
/// and nodes.
///
/// It is a class because all threads share it: see `BlockSearch`.
final class TreePrices: Sendable {
  /// The price of the candidate at each place; infinite at empty places.
  let places: [Double]
  /// For each block, `SearchedCandidates.quarters` vectors with a lower bound on the price of each lane.
  let lanes: [Lanes]
  /// For each node, a lower bound on the least price below each child.
  let children: [Lanes]
  /// The least price in each block.
  private let blocks: [Double]
  /// The least price below each node.
  private let nodes: [Double]

  /// - Parameters:
  ///   - prices: The price of each candidate, one element per row. A price is not NaN.
  ///   - tree: The tree of the candidates.
  ///   - unit: The number by which the tree's bounds are greater than values: 1 for scores, and the
  ///     kilometers of a `DistanceValue` for distances.
  init(_ prices: [Double], of tree: CandidateTree, unit: Double = 1) {
    let places = tree.rows.map { $0 == SearchedCandidates.noRow ? .infinity : prices[Int($0)] }
    let size = SearchedCandidates.blockSize
    let blocks = (0..<tree.blockCount).map { block in
      places[block * size..<(block + 1) * size].reduce(.infinity) { min($0, $1) }
    }
    lanes = (0..<places.count / Lanes.scalarCount).map { first in
      Lanes.each { Self.lowerBound(places[first * Lanes.scalarCount + $0] * unit) }
    }
    var nodes: [Double] = []
    nodes.reserveCapacity(tree.nodes.count)
    var children: [Lanes] = []
    children.reserveCapacity(tree.nodes.count)
    // A node follows its children.
    for node in tree.nodes {
      let least = tree.children[node.children].map { $0.block.map { blocks[$0] } ?? nodes[$0.node] }
      nodes.append(least.reduce(.infinity) { min($0, $1) })
      children.append(Lanes.each { $0 < least.count ? Self.lowerBound(least[$0] * unit) : .infinity })
    }
    (self.places, self.blocks, self.nodes, self.children) = (places, blocks, nodes, children)
  }

  /// Returns the least price below a node or in a block.
  func least(below reference: CandidateTree.Reference) -> Double {
    reference.block.map { blocks[$0] } ?? nodes[reference.node]
  }

  /// Returns a lower bound in single precision. It also covers the rounding of a difference between a score
  /// and the price: half a unit in the last place of the price.
  private static func lowerBound(_ price: Double) -> Float {
    price == .infinity ? .infinity : Float(price - abs(price) * 0x1p-21).nextDown
  }
}

extension BlockBounds {
  /// Subtracts the prices of the candidates in `block`.
  mutating func subtract(_ prices: TreePrices, block: Int) {
    let quarters = SearchedCandidates.quarters
    for quarter in 0..<quarters { scores[quarter] -= prices.lanes[block * quarters + quarter] }
  }
}
