package import Features
package import Geohash

/// The inner nodes of a search tree, with bounds on the candidates below each child. The bounds are stored in
/// columns, so that one SIMD computation covers all children.
///
/// Bounding boxes are rounded outward to single precision. Numbers have the same order as in the layout.
package struct SearchedNodes: Sendable {
  /// The maximum number of children per node.
  package static let fanOut = Lanes.scalarCount
  private static let boxWidth = 7

  let layout: SearchLayout
  /// The vectors of each node, with one lane per child. The first six are the lowest x, y and z and the
  /// highest x, y and z of the bounding box. The seventh is 0 if a candidate below the child has no position,
  /// else minus infinity. Three more follow for each number: the lowest value, the highest value, and 0 if a
  /// value is missing, else minus infinity.
  private(set) var rounded: [Lanes]
  let width: Int
  /// The codes below each child, modulo 64, as bit sets. They are ordered by node, then by code column of the
  /// layout, then by child.
  private(set) var codes: [UInt64]
  /// The flags of each bit set in `codes`: 1 if a code is missing, plus 2 if more than eight bits are set,
  /// which is common near the root.
  private(set) var codeFlags: [UInt8]

  package init(count: Int, of candidates: borrowing SearchedCandidates) {
    layout = candidates.layout
    width = Self.boxWidth + 3 * layout.numberCount
    rounded = Array(repeating: .zero, count: count * width)
    codes = Array(repeating: 0, count: count * layout.codeCount * Self.fanOut)
    codeFlags = Array(repeating: 0, count: codes.count)
    for node in 0..<count {
      for child in 0..<Self.fanOut {
        let summaries = [FeatureSummary](repeating: FeatureSummary(), count: layout.slots.count)
        set(node, child: child, box: VectorBox(), hasUnpositioned: false, summaries.span, candidates)
      }
    }
  }

  /// Sets the bounds of one child of a node. `summaries` contains one element per feature.
  package mutating func set(
    _ node: Int, child: Int, box: VectorBox, hasUnpositioned: Bool, _ summaries: Span<FeatureSummary>,
    _ candidates: borrowing SearchedCandidates
  ) {
    let first = node * width
    rounded[first + 0][child] = Float(box.low.x).nextDown
    rounded[first + 1][child] = Float(box.low.y).nextDown
    rounded[first + 2][child] = Float(box.low.z).nextDown
    rounded[first + 3][child] = Float(box.high.x).nextUp
    rounded[first + 4][child] = Float(box.high.y).nextUp
    rounded[first + 5][child] = Float(box.high.z).nextUp
    rounded[first + 6][child] = hasUnpositioned ? 0 : -.infinity
    for (index, slot) in layout.slots.enumerated() {
      let summary = summaries[index]
      switch slot.form {
      case .number, .difference, .absoluteDifference:
        let column = Self.boxWidth + 3 * slot.index
        rounded[first + column][child] = Float(summary.low - slot.center)
        rounded[first + column + 1][child] = Float(summary.high - slot.center)
        rounded[first + column + 2][child] = summary.hasMissing ? 0 : -.infinity
      case .code, .sameCode:
        let at = (node * layout.codeCount + slot.index) * Self.fanOut + child
        codes[at] = summary.codes
        codeFlags[at] = (summary.hasMissing ? 1 : 0) | (summary.codes.nonzeroBitCount > 8 ? 2 : 0)
      case .distance, .pair, .vector: break
      }
    }
  }

  static func numberColumn(_ slot: Int) -> Int { boxWidth + 3 * slot }
}
