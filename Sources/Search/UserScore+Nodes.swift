internal import Features

extension SearchedNodes {
  /// Returns bounds on the squared chords to the candidates below each child of a node. The lower bound is
  /// infinite if no candidate below has a position.
  package func squaredChords(_ node: Int, center: FloatVector) -> (least: Lanes, greatest: Lanes) {
    let values = columns(of: node)
    return (UserScore.leastChords(values, center), UserScore.greatestChords(values, center))
  }

  @inline(__always) @_lifetime(borrow self)
  fileprivate func columns(of node: Int) -> Span<Lanes> {
    rounded.span.extracting(node * width..<(node + 1) * width)
  }
}

extension UserScore {
  /// Returns bounds on the candidates below each child of a node: a lower bound on their squared chords, and
  /// an upper bound on their scores. The lower bound is infinite if all these candidates lack positions.
  ///
  /// The bounds are computed column by column, as for blocks. A linear function has its maximum at an end of
  /// an interval.
  ///
  /// - Parameters:
  ///   - nodes: The nodes above the candidates for which the model was prepared.
  ///   - node: The node.
  ///   - count: The number of children.
  ///   - center: The user's position.
  ///   - farthest: An upper bound on the distance in kilometers of the relevant candidates.
  ///   - unkept: Returns the greatest contribution of a feature to the scores below a child. It is called for
  ///     the features that `SearchedNodes` does not store.
  /// - Returns: The bounds by child; undefined from index `count`.
  package func bounds(
    _ nodes: SearchedNodes, node: Int, count: Int, center: FloatVector, farthest: Float,
    unkept: (_ child: Int, _ feature: Int) -> Double
  ) -> NodeBounds {
    let values = nodes.columns(of: node)
    let chords = Self.leastChords(values, center)
    var scores = Lanes(repeating: base32)
    let parts = parts.span
    for index in parts.indices {
      let part = parts[index]
      let (coefficient, mean, user) = (part.coefficient32, part.mean32, part.user32)
      switch part.form {
      case .code, .sameCode:
        let first = (node * nodes.layout.codeCount + part.slot) * SearchedNodes.fanOut
        scores += Lanes.each { child in
          greatestContribution(
            part, codes: nodes.codes[first + child], flags: nodes.codeFlags[first + child])
        }
      case .distance:
        var kilometers = ChordFloats.leastKilometers(squaredChords: chords)
        if coefficient > 0 {
          let squared = Self.greatestChords(values, center)
          let within = Lanes.choose(squared > 4, Lanes(repeating: 4), squared)
          let most = ChordFloats.mostKilometers(squaredChords: within)
          kilometers = Lanes.choose(most > farthest, Lanes(repeating: farthest), most)
        }
        let known = coefficient * (part.distanceValues(kilometers) - mean)
        // An empty bounding box, or a user without a position, has no known distance.
        let isKnown = chords < .infinity
        let unknown = Lanes.choose(isKnown, values[6] + part.unknown32, Lanes(repeating: part.unknown32))
        scores += Lanes.choose(isKnown & (unknown < known), known, unknown)
      case .number, .difference:
        let first = SearchedNodes.numberColumn(part.slot)
        let ends = values[coefficient > 0 ? first + 1 : first]
        scores += Lanes.greater(coefficient * (ends - user - mean), values[first + 2])
      case .absoluteDifference:
        let first = SearchedNodes.numberColumn(part.slot)
        let (low, high, missing) = (values[first], values[first + 1], values[first + 2])
        let value = coefficient > 0 ? Lanes.farther(user, low, high) : Lanes.outside(user, low, high)
        // A child without values has an empty interval.
        let most = Lanes.choose(high < low, Lanes(repeating: -.infinity), coefficient * (value - mean))
        scores += Lanes.greater(most, missing)
      case .pair, .vector:
        for child in 0..<count { scores[child] += Float(unkept(child, part.feature)) }
      }
    }
    return NodeBounds(squaredChords: chords, scores: scores)
  }

  @inline(__always)
  fileprivate static func leastChords(_ values: Span<Lanes>, _ center: FloatVector) -> Lanes {
    let dx = Lanes.outside(center.x, values[0], values[3])
    let dy = Lanes.outside(center.y, values[1], values[4])
    let dz = Lanes.outside(center.z, values[2], values[5])
    return dx * dx + dy * dy + dz * dz
  }

  @inline(__always)
  fileprivate static func greatestChords(_ values: Span<Lanes>, _ center: FloatVector) -> Lanes {
    let dx = Lanes.farther(center.x, values[0], values[3])
    let dy = Lanes.farther(center.y, values[1], values[4])
    let dz = Lanes.farther(center.z, values[2], values[5])
    return dx * dx + dy * dy + dz * dz
  }

  /// Returns the greatest contribution of any code in `codes`, a bit set of codes modulo 64. `flags` is an
  /// element of `SearchedNodes.codeFlags`.
  @inline(__always)
  private func greatestContribution(_ part: ScoredFeature, codes: UInt64, flags: UInt8) -> Float {
    let hasMissing = flags & 1 != 0
    var most = -Float.infinity
    if part.form.isCode {
      if hasMissing { most = Float(part.missing) }
      // With many codes, the greatest contribution is close to the maximum over all codes.
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
    // The child may contain codes other than the user's, including a code that equals the user's only modulo
    // 64.
    if codes != 0 { most = max(most, part.coefficient32 * (0 - part.mean32)) }
    return most
  }
}
