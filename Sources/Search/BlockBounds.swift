/// Bounds on the candidates below each child of a node, one SIMD lane per child.
package struct NodeBounds {
  /// Lower bounds on the squared chords from the user; infinite if no candidate below has a position, NaN if
  /// the user has no position.
  package internal(set) var squaredChords: Lanes
  /// Upper bounds on the scores.
  package internal(set) var scores: Lanes

  /// Selects the children that may contain a candidate in reach with a score of at least `threshold`.
  ///
  /// - Parameters:
  ///   - threshold: The lowest bound to accept. A NaN bound does not count as below the threshold.
  ///   - limit: The squared chord above which every candidate is beyond the radius. An unknown chord does not
  ///     count as beyond the limit.
  ///   - count: The number of children.
  /// - Returns: A bit mask of the children. The lowest bit is the first child.
  package func chosen(notBelow threshold: Float, within limit: Float, count: Int) -> UInt32 {
    let isOut = (scores < threshold) | (squaredChords > limit)
    return ~isOut.bits & ((1 << UInt32(count)) - 1)
  }
}

/// Bounds on the candidates of a block. The search computes exact values only for candidates with good
/// bounds.
package struct BlockBounds {
  /// The squared chords from the user; NaN if unknown, and in empty lanes.
  package internal(set) var squaredChords: InlineArray<4, Lanes>
  /// Upper bounds on the scores; undefined in empty lanes.
  package internal(set) var scores: InlineArray<4, Lanes>

  /// Returns the lanes with the highest bound among `lanes`, and this bound. A NaN bound counts as infinite.
  /// `lanes` must not be empty.
  package func best(of lanes: UInt32) -> (lanes: UInt32, score: Float) {
    let quarters = (bounds(0, of: lanes), bounds(1, of: lanes), bounds(2, of: lanes), bounds(3, of: lanes))
    let score = Lanes.greater(
      Lanes.greater(quarters.0, quarters.1), Lanes.greater(quarters.2, quarters.3)
    ).greatest
    let less =
      (quarters.0 < score).bits | (quarters.1 < score).bits << 8 | (quarters.2 < score).bits << 16
      | (quarters.3 < score).bits << 24
    return (lanes & ~less, score)
  }

  /// Returns the bounds of one quarter of the block: infinity instead of NaN, and minus infinity for lanes
  /// that are not in `lanes`.
  @inline(__always)
  private func bounds(_ quarter: Int, of lanes: UInt32) -> Lanes {
    let bounds = scores[quarter]
    let known = Lanes.choose(bounds.isNaN, Lanes(repeating: .infinity), bounds)
    let isOne = LaneMask(bits: lanes >> UInt32(quarter * Lanes.scalarCount))
    return Lanes.choose(isOne, known, Lanes(repeating: -.infinity))
  }

  /// Returns the squared chord to the candidate at `lane`; NaN if unknown.
  package func squaredChord(_ lane: Int) -> Float {
    squaredChords[lane / Lanes.scalarCount][lane % Lanes.scalarCount]
  }

  /// Selects the lanes with bounds of at least `threshold` and candidates that may be within the radius.
  ///
  /// - Parameters:
  ///   - threshold: The lowest bound to accept. A NaN bound does not count as below the threshold.
  ///   - limit: The squared chord above which every candidate is beyond the radius. An unknown chord does not
  ///     count as beyond the limit.
  ///   - count: The number of lanes in use.
  /// - Returns: A bit mask of the lanes. The lowest bit is the first lane.
  package func chosen(notBelow threshold: Float, within limit: Float, count: Int) -> UInt32 {
    var out: UInt32 = 0
    for quarter in 0..<4 {
      let isOut = (scores[quarter] < threshold) | (squaredChords[quarter] > limit)
      out |= isOut.bits << UInt32(quarter * Lanes.scalarCount)
    }
    return ~out & (count < UInt32.bitWidth ? (1 << UInt32(count)) - 1 : ~0)
  }
}

extension SearchedCandidates {
  /// Returns the squared chords from `center` to the candidates of a block; NaN if unknown.
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

  /// Returns bounds on a block for callers that need only distances: the squared chords, and 0 for every
  /// score.
  package func bounds(_ block: Int, center: FloatVector) -> BlockBounds {
    BlockBounds(
      squaredChords: squaredChords(block, center: center), scores: InlineArray(repeating: .zero))
  }
}
