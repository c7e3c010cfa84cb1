internal import Tables

extension SearchedNodes {
  /// Writes at most and at least the squares of the chords to those below each child of a node; infinite where nobody
  /// has a position.
  package func writeChords(
    _ node: Int, center: FloatVector, least: inout [Float], greatest: inout [Float]
  ) {
    let size = SearchedNodes.fanOut
    let values = columns(of: node)
    let (lowX, lowY, lowZ) = (values.column(0), values.column(1), values.column(2))
    let (highX, highY, highZ) = (values.column(3), values.column(4), values.column(5))
    var least = least.mutableSpan
    var greatest = greatest.mutableSpan
    precondition(least.count == size && greatest.count == size)
    for child in 0..<size {
      let dx = UserScore.outside(center.x, lowX[child], highX[child])
      let dy = UserScore.outside(center.y, lowY[child], highY[child])
      let dz = UserScore.outside(center.z, lowZ[child], highZ[child])
      least[child] = dx * dx + dy * dy + dz * dz
      let fx = UserScore.farther(center.x, lowX[child], highX[child])
      let fy = UserScore.farther(center.y, lowY[child], highY[child])
      let fz = UserScore.farther(center.z, lowZ[child], highZ[child])
      greatest[child] = fx * fx + fy * fy + fz * fz
    }
  }

  @_lifetime(borrow self)
  fileprivate func columns(of node: Int) -> Span<Float> {
    rounded.span.extracting(node * width * Self.fanOut..<(node + 1) * width * Self.fanOut)
  }
}

extension UserScore {
  /// Writes, for each child of a node, at most the squared chord and at least the score of everybody below it.
  ///
  /// As for blocks, column by column; a straight line is highest at one end of an interval.
  ///
  /// - Parameters:
  ///   - nodes: Over candidates for whose layout the model was laid out.
  ///   - node: The node.
  ///   - count: How many children it has.
  ///   - center: Where the user is.
  ///   - farthest: Kilometres that no candidate in question is beyond.
  ///   - squaredChords: Receives, by child, at most the squares of the chords to those below it; infinite where nobody
  ///     has a position.
  ///   - scores: Receives at least their scores.
  ///   - setsAndTexts: The greatest contribution of a feature below a child, for the features that `SearchedNodes` knows
  ///     nothing of.
  package func writeBounds(
    _ nodes: SearchedNodes, node: Int, count: Int, center: FloatVector, farthest: Float,
    squaredChords: inout [Float], scores: inout [Float],
    setsAndTexts: (_ child: Int, _ feature: Int) -> Double
  ) {
    let size = SearchedNodes.fanOut
    let values = nodes.columns(of: node)
    var chords = squaredChords.mutableSpan
    var scores = scores.mutableSpan
    precondition(chords.count == size && scores.count == size)
    let (lowX, lowY, lowZ) = (values.column(0), values.column(1), values.column(2))
    let (highX, highY, highZ) = (values.column(3), values.column(4), values.column(5))
    for child in 0..<size {
      let dx = Self.outside(center.x, lowX[child], highX[child])
      let dy = Self.outside(center.y, lowY[child], highY[child])
      let dz = Self.outside(center.z, lowZ[child], highZ[child])
      chords[child] = dx * dx + dy * dy + dz * dz
      scores[child] = base32
    }
    let parts = parts.span
    for index in parts.indices {
      let part = parts[index]
      let (coefficient, mean, user) = (part.coefficient32, part.mean32, part.user32)
      switch part.kind {
      case .category, .same:
        let first = (node * nodes.layout.codeCount + part.slot) * size
        for child in 0..<count {
          scores[child] += greatestContribution(
            part, codes: nodes.codes[first + child], flags: nodes.codeFlags[first + child])
        }
      case .distance:
        let unpositioned = values.column(6)
        for child in 0..<size {
          var kilometers = ChordFloats.leastKilometers(squaredChord: chords[child])
          if coefficient > 0 {
            let dx = Self.farther(center.x, lowX[child], highX[child])
            let dy = Self.farther(center.y, lowY[child], highY[child])
            let dz = Self.farther(center.z, lowZ[child], highZ[child])
            let squared = dx * dx + dy * dy + dz * dz
            let most = ChordFloats.mostKilometers(squaredChord: squared < 4 ? squared : 4)
            kilometers = most < farthest ? most : farthest
          }
          let known = coefficient * (kilometers - mean)
          // Of a box around nobody, and from nowhere, the distance is not known.
          let unknown = chords[child].isFinite ? unpositioned[child] + part.unknown32 : part.unknown32
          scores[child] += chords[child].isFinite && known > unknown ? known : unknown
        }
      case .number, .difference:
        let first = SearchedNodes.numberColumn(part.slot)
        let ends = values.column(coefficient > 0 ? first + 1 : first)
        let missing = values.column(first + 2)
        for child in 0..<size {
          let most = coefficient * (ends[child] - user - mean)
          scores[child] += most > missing[child] ? most : missing[child]
        }
      case .absoluteDifference:
        let first = SearchedNodes.numberColumn(part.slot)
        let (low, high, missing) = (values.column(first), values.column(first + 1), values.column(first + 2))
        for child in 0..<size {
          let least = Self.outside(user, low[child], high[child])
          let (below, above) = (abs(user - low[child]), abs(high[child] - user))
          let value = coefficient > 0 ? (below > above ? below : above) : least
          let most = low[child] <= high[child] ? coefficient * (value - mean) : -.infinity
          scores[child] += most > missing[child] ? most : missing[child]
        }
      case .overlap, .text:
        for child in 0..<count { scores[child] += Float(setsAndTexts(child, part.feature)) }
      }
    }
  }

  /// How far `value` is outside of an interval; 0 inside.
  @inline(__always)
  fileprivate static func outside(_ value: Float, _ low: Float, _ high: Float) -> Float {
    let (below, above) = (low - value, value - high)
    let most = below > above ? below : above
    // NaN, where the user is nowhere, stays.
    return most < 0 ? 0 : most
  }

  /// How far `value` is from the farther end of an interval.
  @inline(__always)
  fileprivate static func farther(_ value: Float, _ low: Float, _ high: Float) -> Float {
    let (below, above) = (value - low, high - value)
    return below > above ? below : above
  }

  /// The greatest contribution of any of `codes`, which are modulo 64. `flags` as in `SearchedNodes`.
  @inline(__always)
  private func greatestContribution(_ part: Part, codes: UInt64, flags: UInt8) -> Float {
    let hasMissing = flags & 1 != 0
    var most = -Float.infinity
    if part.kind == .category {
      if hasMissing { most = Float(part.missing) }
      // Of many codes the greatest contribution is about that of all.
      if flags & 2 != 0 { return max(most, part.greatest32) }
      var rest = codes
      while rest != 0 {
        let contribution = greatest[part.greatest + rest.trailingZeroBitCount]
        if contribution > most { most = contribution }
        rest &= rest - 1
      }
      return most
    }
    if hasMissing { most = 0 }
    if codes & FeatureSummary.bit(part.code) != 0 { most = max(most, part.coefficient32 * (1 - part.mean32)) }
    // Codes beside the user's own, or one that only shares its place modulo 64.
    if codes != 0 { most = max(most, part.coefficient32 * (0 - part.mean32)) }
    return most
  }
}

extension Span<Float> {
  /// The numbers of one column of a node, by child.
  @inline(__always) @_lifetime(copy self)
  fileprivate func column(_ index: Int) -> Span<Float> {
    extracting(index * SearchedNodes.fanOut..<(index + 1) * SearchedNodes.fanOut)
  }
}
