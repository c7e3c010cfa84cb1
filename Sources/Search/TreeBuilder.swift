internal import Concurrency

/// Grows a tree by splitting candidates recursively along the dimension with the greatest effect on scores.
///
/// The tree is a k-d tree with weighted axes, so the bounds of its blocks are close to the scores in them.
/// The lists do not depend on the shape of the tree.
///
/// Source: Bentley 1975, doi:10.1145/361002.361007; the choice of the widest axis: Friedman, Bentley and
/// Finkel 1977, doi:10.1145/355744.355745.
struct TreeBuilder: Sendable {
  private let dimensions: [TreeDimension]

  init(_ dimensions: [TreeDimension]) {
    self.dimensions = dimensions
  }

  /// Builds the tree of the candidates in `rows`. The tree does not depend on the number of workers,
  /// `threads`.
  func grow(_ rows: [UInt32], threads: Int) -> CandidateTree {
    var tree = CandidateTree()
    var members = rows
    if members.count <= SearchedCandidates.blockSize {
      if !members.isEmpty { _ = tree.appendBlock(members[...]) }
      return tree
    }
    let parts = cut(&members, members.indices)
    let whole = members
    let subtrees = parallelMap(count: parts.count, chunkSize: 1, threads: threads) { chunk in
      var part = Array(whole[parts[chunk.lowerBound]])
      var subtree = CandidateTree()
      _ = grow(&part, part.indices, &subtree)
      return subtree
    }
    let below = subtrees.compactMap { tree.append($0) }
    _ = tree.appendNode(over: below, firstBlock: 0)
    return tree
  }

  private func grow(
    _ members: inout [UInt32], _ range: Range<Int>, _ tree: inout CandidateTree
  ) -> CandidateTree.Reference {
    if range.count <= SearchedCandidates.blockSize { return tree.appendBlock(members[range]) }
    let firstBlock = tree.blockCount
    let parts = cut(&members, range)
    var below: [CandidateTree.Reference] = []
    for part in parts { below.append(grow(&members, part, &tree)) }
    return tree.appendNode(over: below, firstBlock: firstBlock)
  }

  /// Divides `range` into the children of one node by repeated halving.
  private func cut(_ members: inout [UInt32], _ range: Range<Int>) -> [Range<Int>] {
    var parts = [range]
    while 2 * parts.count <= SearchedNodes.fanOut {
      var finer: [Range<Int>] = []
      for part in parts {
        if part.count <= SearchedCandidates.blockSize {
          finer.append(part)
        } else {
          let middle = split(&members, part)
          finer += [part.lowerBound..<middle, middle..<part.upperBound]
        }
      }
      if finer.count == parts.count { break }
      parts = finer
    }
    return parts
  }

  /// Partitions the members of `range` by their keys in the dimension with the greatest spread, lower keys
  /// first.
  ///
  /// - Returns: The start of the second part. Neither part is empty.
  private func split(_ members: inout [UInt32], _ range: Range<Int>) -> Int {
    var (widest, most) = (dimensions.count - 1, -Float.infinity)
    for (index, dimension) in dimensions.enumerated() {
      let spread = dimension.spread(members[range])
      if spread > most { (widest, most) = (index, spread) }
    }
    let dimension = dimensions[widest]
    // The first part consists of whole blocks, so that few places stay empty.
    let size = SearchedCandidates.blockSize
    var middle = (range.count + size - 1) / size / 2 * size
    var keyed = members[range].map { OrderedKey(key: dimension.keys[Int($0)], row: $0) }
    keyed.partition(around: middle)
    if dimension.isCode {
      // Equal codes stay together: the cut moves to the nearer end of the run of the middle code.
      let code = keyed[middle].key
      let below = keyed.count { $0.key < code }
      let upTo = keyed.count { $0.key <= code }
      let (begin, end) = (below > 0 ? below : nil, upTo < keyed.count ? upTo : nil)
      if let nearest = [begin, end].compactMap({ $0 }).min(by: { abs($0 - middle) < abs($1 - middle) }) {
        middle = nearest
        keyed.partition(around: middle)
      }
    }
    for (offset, key) in keyed.enumerated() { members[range.lowerBound + offset] = key.row }
    return range.lowerBound + middle
  }
}

/// A key and a row, packed into one number that compares like the pair.
private struct OrderedKey: Comparable {
  private var bits: UInt64

  init(key: Float, row: UInt32) {
    bits = UInt64(key.orderedBits) << 32 | UInt64(row)
  }

  var key: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
  var row: UInt32 { UInt32(truncatingIfNeeded: bits) }

  static func < (left: OrderedKey, right: OrderedKey) -> Bool { left.bits < right.bits }
}

extension [OrderedKey] {
  /// Moves the `middle` smallest elements to the front, followed by the next smallest element.
  ///
  /// Source: Hoare's quickselect, 1961, doi:10.1145/366622.366647, with the median of three as the pivot.
  fileprivate mutating func partition(around middle: Int) {
    var (low, high) = (0, count - 1)
    while low < high {
      let (first, last, between) = (self[low], self[high], self[(low + high) / 2])
      let pivot = Swift.max(Swift.min(first, last), Swift.min(Swift.max(first, last), between))
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if middle <= right { high = right } else if middle >= left { low = left } else { return }
    }
  }
}
