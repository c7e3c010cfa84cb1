internal import Features
internal import Geohash

/// Candidates in an order in which neighbours are alike, cut into blocks under a shallow tree.
///
/// A node is a range of places in that order; its children are cut from it. Nodes stand level by level, blocks first, the
/// root last.
struct CandidateTree: Sendable {
  struct Node: Sendable {
    var places: Range<Int>
    /// Around those with a position.
    var box = VectorBox()
    /// Whether somebody in it has no position.
    var hasUnpositioned = false
    /// Nodes; empty for a block.
    var children: Range<Int> = 0..<0

    var isBlock: Bool { children.isEmpty }
  }

  /// The row of the candidate at each place.
  let rows: [Int]
  /// Unit vectors by place; NaN without a position.
  let x: [Double]
  let y: [Double]
  let z: [Double]
  private(set) var nodes: [Node] = []

  /// The root; `nil` where there is nobody.
  var root: Int? { nodes.isEmpty ? nil : nodes.count - 1 }

  /// - Parameters:
  ///   - rows: The candidates that may be found.
  ///   - groups: By row: candidates of different groups share no block, nor a node until their group is one.
  ///   - positions: By row.
  ///   - blockSize: At most so many candidates per block.
  ///   - fanOut: At most so many children per node; 2 or more.
  init(_ rows: [Int], groups: [UInt32]?, positions: Positions, blockSize: Int, fanOut: Int) {
    let keyed = rows.map { row in
      Key(
        group: groups?[row] ?? 0,
        // Those without a position last, beside each other.
        cell: positions[row].map { Geohash($0, precision: 12).bits } ?? .max, row: row)
    }.sorted()
    self.rows = keyed.map(\.row)
    let vectors = self.rows.map { positions[$0].map(UnitVector.init) }
    x = vectors.map { $0?.x ?? .nan }
    y = vectors.map { $0?.y ?? .nan }
    z = vectors.map { $0?.z ?? .nan }
    var level: [(group: UInt32, node: Int)] = []
    for range in Self.cut(keyed.map(\.group), into: blockSize) {
      var node = Node(places: range)
      for place in range {
        if let vector = vectors[place] { node.box.formUnion(vector) } else { node.hasUnpositioned = true }
      }
      level.append((keyed[range.lowerBound].group, nodes.count))
      nodes.append(node)
    }
    while level.count > 1 {
      var ranges = Self.cut(level.map(\.group), into: fanOut)
      // Every group is one node by now: from here on they are put together as they come.
      if ranges.count == level.count { ranges = Self.cut(level.map { _ in 0 }, into: fanOut) }
      let first = level[0].node
      level = ranges.map { range in
        let children = first + range.lowerBound..<first + range.upperBound
        nodes.append(parent(of: children))
        return (level[range.lowerBound].group, nodes.count - 1)
      }
    }
  }

  private struct Key: Comparable {
    var group: UInt32
    var cell: UInt64
    var row: Int

    static func < (left: Key, right: Key) -> Bool {
      (left.group, left.cell, left.row) < (right.group, right.cell, right.row)
    }
  }

  /// Ranges of at most `size` neighbours of one group, as equal as can be.
  private static func cut(_ groups: [UInt32], into size: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0 != groups[start] } ?? groups.count
      let pieces = (end - start + size - 1) / size
      for piece in 0..<pieces {
        ranges.append(
          start + piece * (end - start) / pieces..<start + (piece + 1) * (end - start) / pieces)
      }
      start = end
    }
    return ranges
  }

  private func parent(of children: Range<Int>) -> Node {
    var node = Node(
      places: nodes[children.lowerBound].places.lowerBound..<nodes[children.upperBound - 1].places.upperBound,
      children: children)
    for child in children {
      node.box.formUnion(nodes[child].box)
      node.hasUnpositioned = node.hasUnpositioned || nodes[child].hasUnpositioned
    }
    return node
  }
}
