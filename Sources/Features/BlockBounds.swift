/// What is known of everybody below each child of a node.
package struct NodeBounds {
  /// At least the squares of the chords; infinite where nobody has a position, NaN from nowhere.
  package internal(set) var squaredChords: Lanes
  /// At least the scores.
  package internal(set) var scores: Lanes

  /// The children, as bits, below whom somebody may be in reach and have a score of `threshold`.
  ///
  /// - Parameters:
  ///   - threshold: A bound that is not comparable is not below it.
  ///   - limit: The squared chord above which everybody is beyond the radius; one that is unknown is not.
  ///   - count: How many children there are.
  /// - Returns: The children; the first is the lowest bit.
  package func chosen(notBelow threshold: Float, within limit: Float, count: Int) -> UInt32 {
    let isOut = (scores .< Lanes(repeating: threshold)) .| (squaredChords .> Lanes(repeating: limit))
    return ~isOut.bits & ((1 << UInt32(count)) - 1)
  }
}

/// What is known of the candidates of a block before anything is worked out exactly.
package struct BlockBounds {
  /// The squares of the chords; NaN where unknown, and of empty places.
  package internal(set) var squaredChords: InlineArray<4, Lanes>
  /// At least the scores. Of empty places nothing of meaning.
  package internal(set) var scores: InlineArray<4, Lanes>

  /// Those among `lanes`, which are not empty, that have the highest bound, and the bound. One that is not a number is
  /// infinite.
  package func best(of lanes: UInt32) -> (lanes: UInt32, score: Float) {
    var (best, most) = (0 as UInt32, -Float.infinity)
    var rest = lanes
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      let bit = rest & (~rest &+ 1)
      rest &= rest - 1
      let bound = scores[lane / Lanes.scalarCount][lane % Lanes.scalarCount]
      let score = bound.isNaN ? .infinity : bound
      if score > most { (best, most) = (0, score) }
      if score == most { best |= bit }
    }
    return (best, most)
  }

  /// The squared chord to the candidate at `lane`.
  package func squaredChord(_ lane: Int) -> Float {
    squaredChords[lane / Lanes.scalarCount][lane % Lanes.scalarCount]
  }

  /// The lanes, as bits, of those whose bound is not below `threshold`, and who are not beyond the radius.
  ///
  /// - Parameters:
  ///   - threshold: A bound that is not comparable is not below it.
  ///   - limit: The squared chord above which everybody is beyond the radius; one that is unknown is not.
  ///   - count: Lanes that are taken.
  /// - Returns: The lanes; the first is the lowest bit.
  package func chosen(notBelow threshold: Float, within limit: Float, count: Int) -> UInt32 {
    let (threshold, limit) = (Lanes(repeating: threshold), Lanes(repeating: limit))
    var out: UInt32 = 0
    for quarter in 0..<4 {
      let isOut = (scores[quarter] .< threshold) .| (squaredChords[quarter] .> limit)
      out |= isOut.bits << UInt32(quarter * Lanes.scalarCount)
    }
    return ~out & (count < UInt32.bitWidth ? (1 << UInt32(count)) - 1 : ~0)
  }
}

extension SearchedCandidates {
  /// The squares of the chords from `center` to the candidates of a block; NaN where unknown.
  @inline(__always)
  func squaredChords(_ block: Int, center: FloatVector) -> InlineArray<4, Lanes> {
    let first = block * roundedWidth * Self.quarters
    let values = rounded.span.extracting(first..<first + 3 * Self.quarters)
    return InlineArray { quarter in
      let dx = values[quarter] - center.x
      let dy = values[4 + quarter] - center.y
      let dz = values[8 + quarter] - center.z
      return dx * dx + dy * dy + dz * dz
    }
  }

  /// What is known of a block when only distances matter.
  package func bounds(_ block: Int, center: FloatVector) -> BlockBounds {
    BlockBounds(
      squaredChords: squaredChords(block, center: center), scores: InlineArray(repeating: .zero))
  }
}
