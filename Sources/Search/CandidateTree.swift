internal import Geohash

/// A shallow tree whose leaves are blocks of similar candidates.
struct CandidateTree: Sendable {
  /// The index of a node or of a block, in one 32-bit number.
  struct Reference: Hashable, Sendable {
    private var number: Int32

    static func node(_ index: Int) -> Reference { Reference(number: Int32(index)) }
    static func block(_ index: Int) -> Reference { Reference(number: ~Int32(index)) }

    /// The index of the block; `nil` for a node.
    var block: Int? { number < 0 ? Int(~number) : nil }
    /// The index of the node; undefined for a block.
    var node: Int { Int(number) }
  }

  struct TreeNode: Sendable {
    /// The blocks below the node. They are adjacent.
    var blocks: Range<Int>
    /// The range of the node's children in `children`.
    var children: Range<Int>
  }

  /// The row of the candidate at each place. Incomplete blocks are padded with `SearchedCandidates.noRow`.
  private(set) var rows: [UInt32] = []
  /// The nodes in post-order: each node after its descendants.
  private(set) var nodes: [TreeNode] = []
  private(set) var children: [Reference] = []
  /// The root; `nil` if there are no candidates.
  private(set) var root: Reference?

  var blockCount: Int { rows.count / SearchedCandidates.blockSize }

  /// Appends a block with the candidates `members`, at most `SearchedCandidates.blockSize` rows.
  mutating func appendBlock(_ members: ArraySlice<UInt32>) -> Reference {
    let block = blockCount
    rows += members
    let empty = SearchedCandidates.blockSize - members.count
    rows += repeatElement(SearchedCandidates.noRow, count: empty)
    root = .block(block)
    return .block(block)
  }

  /// Appends a node with the children `below`. Its blocks range from `firstBlock` to the current end.
  mutating func appendNode(over below: [Reference], firstBlock: Int) -> Reference {
    let first = children.count
    children += below
    nodes.append(TreeNode(blocks: firstBlock..<blockCount, children: first..<children.count))
    root = .node(nodes.count - 1)
    return .node(nodes.count - 1)
  }

  /// Appends all nodes and blocks of another tree. The root stays the same.
  ///
  /// - Returns: The reference in this tree to the root of `other`; `nil` if `other` is empty.
  mutating func append(_ other: CandidateTree) -> Reference? {
    let (blocks, nodes, children) = (blockCount, nodes.count, children.count)
    func moved(_ reference: Reference) -> Reference {
      reference.block.map { .block($0 + blocks) } ?? .node(reference.node + nodes)
    }
    rows += other.rows
    self.children += other.children.map(moved)
    self.nodes += other.nodes.map { node in
      TreeNode(
        blocks: node.blocks.lowerBound + blocks..<node.blocks.upperBound + blocks,
        children: node.children.lowerBound + children..<node.children.upperBound + children)
    }
    return other.root.map(moved)
  }
}
