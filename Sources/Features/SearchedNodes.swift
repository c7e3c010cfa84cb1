package import Geohash
internal import Tables

/// The inner nodes of a search tree: what everybody below each of a node's children can be at most, column by column,
/// so that the bounds of all children are worked out at once.
///
/// Boxes are rounded outwards to single precision, numbers are those of the layout.
package struct SearchedNodes: Sendable {
  /// Children per node at most.
  package static let fanOut = 8
  private static let boxWidth = 7

  let layout: SearchLayout
  /// By node, then by column, then by child: the box's low x, y, z and high x, y, z; 0 where somebody below has no
  /// position, else minus infinity; then, of each number, lowest, highest, and 0 where one is missing, else minus
  /// infinity.
  private(set) var rounded: [Float]
  let width: Int
  /// By node, then by the codes of the layout, then by child: the codes that occur, modulo 64.
  private(set) var codes: [UInt64]
  /// The same: 1 where one is missing, and 2 more where many codes occur, as near the root.
  private(set) var codeFlags: [UInt8]

  package init(count: Int, of candidates: SearchedCandidates) {
    layout = candidates.layout
    width = Self.boxWidth + 3 * layout.numberCount
    rounded = Array(repeating: 0, count: count * width * Self.fanOut)
    codes = Array(repeating: 0, count: count * layout.codeCount * Self.fanOut)
    codeFlags = Array(repeating: 0, count: codes.count)
    for node in 0..<count {
      for child in 0..<Self.fanOut {
        let summaries = [FeatureSummary](repeating: FeatureSummary(), count: layout.slots.count)
        set(node, child: child, box: VectorBox(), hasUnpositioned: false, summaries.span, candidates)
      }
    }
  }

  /// Sets what is known of the child `child` of the node `node`; `summaries` stand by feature.
  package mutating func set(
    _ node: Int, child: Int, box: VectorBox, hasUnpositioned: Bool, _ summaries: Span<FeatureSummary>,
    _ candidates: SearchedCandidates
  ) {
    let first = node * width * Self.fanOut + child
    func place(_ column: Int) -> Int { first + column * Self.fanOut }
    rounded[place(0)] = Float(box.low.x).nextDown
    rounded[place(1)] = Float(box.low.y).nextDown
    rounded[place(2)] = Float(box.low.z).nextDown
    rounded[place(3)] = Float(box.high.x).nextUp
    rounded[place(4)] = Float(box.high.y).nextUp
    rounded[place(5)] = Float(box.high.z).nextUp
    rounded[place(6)] = hasUnpositioned ? 0 : -.infinity
    for (index, feature) in candidates.space.features.enumerated() {
      let (slot, summary) = (layout.slots[index], summaries[index])
      switch feature.values {
      case .number, .received, .difference:
        let column = Self.boxWidth + 3 * slot.index
        rounded[place(column)] = Float(summary.low - slot.center)
        rounded[place(column + 1)] = Float(summary.high - slot.center)
        rounded[place(column + 2)] = summary.hasMissing ? 0 : -.infinity
      case .category, .same:
        let at = (node * layout.codeCount + slot.index) * Self.fanOut + child
        codes[at] = summary.codes
        codeFlags[at] = (summary.hasMissing ? 1 : 0) | (summary.codes.nonzeroBitCount > 8 ? 2 : 0)
      case .distance, .overlap, .text: break
      }
    }
  }

  static func numberColumn(_ slot: Int) -> Int { boxWidth + 3 * slot }
}
