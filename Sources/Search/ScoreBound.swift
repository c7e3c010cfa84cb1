package import Features

/// At most how much one user's score can be in a group of candidates.
///
/// A score is a sum in a fixed order, and the bound is the sum of the features' greatest contributions in the same order.
/// Addition and multiplication round monotonically (a ≤ b gives a + c ≤ b + c and, for c ≥ 0, a c ≤ b c after rounding
/// as before), so a bound worked out by the score's own operations from extreme values is never below a score: not by
/// one bit. Where the operations differ, the extremes are widened: distances by `ChordBounds`, the products of texts
/// below.
package struct ScoreBound: Sendable {
  /// A feature, without references: this is read for every node.
  fileprivate struct Part: Sendable {
    enum Kind {
      case category, number, distance, same, difference, absoluteDifference, overlap, text, nothing
    }
    var kind: Kind
    /// Of text: the norm of the coefficients, widened.
    var coefficient = 0.0
    /// Of text: the constant. Of a category: the contribution of a missing one.
    var mean = 0.0
    /// The user's value; of overlap the size of the set.
    var user = 0.0
    /// The user's code, or those of several; of overlap all of them.
    var codes: UInt64 = 0
    /// Of a category and of overlap: where 64 numbers of `tables` begin.
    var table = 0
  }

  private let base: Double
  private var parts: [Part] = []
  /// By code modulo 64: of a category the greatest contribution, of overlap how many of the user's codes fall there.
  private var tables: [Double] = []

  package init(_ scorer: Scorer) {
    base = scorer.base
    parts.reserveCapacity(scorer.parts.count)
    for part in scorer.parts { append(part) }
  }

  private mutating func append(_ part: Scorer.Part) {
    switch part {
    case .category(_, let table, let missing):
      parts.append(Part(kind: .category, mean: missing, table: tables.count))
      let start = tables.count
      tables += repeatElement(-.infinity, count: 64)
      for (code, contribution) in table.enumerated() {
        tables[start + code % 64] = max(tables[start + code % 64], contribution)
      }
    case .number(_, let coefficient, let mean):
      parts.append(Part(kind: .number, coefficient: coefficient, mean: mean))
    case .distance(let coefficient, let mean):
      parts.append(Part(kind: .distance, coefficient: coefficient, mean: mean))
    case .same(_, let user, let coefficient, let mean):
      parts.append(
        Part(kind: .same, coefficient: coefficient, mean: mean, codes: FeatureSummary.bit(user)))
    case .difference(_, let user, let isAbsolute, let coefficient, let mean):
      parts.append(
        Part(
          kind: isAbsolute ? .absoluteDifference : .difference, coefficient: coefficient, mean: mean,
          user: user))
    case .overlap(_, let user, let coefficient, let mean):
      parts.append(
        Part(
          kind: .overlap, coefficient: coefficient, mean: mean, user: Double(user.count),
          table: tables.count))
      let start = tables.count
      tables += repeatElement(0, count: 64)
      for code in user { tables[start + Int(code % 64)] += 1 }
    case .follows(let followed, let user, let coefficient, let mean):
      // As a code that is one of several.
      let codes = followed.users[user].reduce(0) { $0 | FeatureSummary.bit($1) }
      parts.append(Part(kind: .same, coefficient: coefficient, mean: mean, codes: codes))
    case .text(let vectors, let coefficients, let constant):
      // The computed sum of n products is off by at most n half units in the last place of the sum of their
      // magnitudes, which Cauchy and Schwarz bound by both norms; norms themselves are off by about n more.
      let slack = 1 + 4 * Double(vectors.dimensions + 8) * Double.ulpOfOne
      let norm = coefficients.reduce(0) { $0 + $1 * $1 }.squareRoot()
      // Products that underflow lose less than the smallest normal number each.
      let lost = Double(vectors.dimensions) * Double.leastNormalMagnitude
      parts.append(Part(kind: .text, coefficient: norm * slack + lost, mean: constant))
    case .nothing:
      parts.append(Part(kind: .nothing))
    }
  }

  /// What the score of everybody in a group is at most.
  ///
  /// - Parameters:
  ///   - summaries: One per feature, from `offset` on.
  ///   - offset: Where those of the group begin.
  ///   - distances: The least and the greatest kilometres of those whose distance is known, both rounded outwards;
  ///     `nil` where there are none. The greatest is asked for only where the score rises with the distance.
  ///   - hasUnknownDistance: Whether some distances are unknown.
  /// - Returns: The bound; infinite where nothing can be said.
  package func upperBound(
    _ summaries: Span<FeatureSummary>, from offset: Int, distances: (least: Double, most: Double)?,
    hasUnknownDistance: Bool
  ) -> Double {
    var bound = base
    for index in parts.indices where parts[index].kind != .nothing {
      bound += mostContribution(
        of: index, summaries[offset + index], distances: distances, hasUnknownDistance: hasUnknownDistance)
    }
    return bound.isNaN ? .infinity : bound
  }

  /// What the feature at `index` adds at most to the score of anybody in a group.
  package func mostContribution(
    of index: Int, _ summary: FeatureSummary, distances: (least: Double, most: Double)? = nil,
    hasUnknownDistance: Bool = true
  ) -> Double {
    let part = parts[index]
    var most = -Double.infinity
    switch part.kind {
    case .category:
      if summary.hasMissing { most = part.mean }
      var rest = summary.codes
      while rest != 0 {
        most = max(most, tables[part.table + rest.trailingZeroBitCount])
        rest &= rest - 1
      }
    case .number:
      if summary.hasValues { most = part.most(summary.low, summary.high) }
      if summary.hasMissing { most = max(most, 0) }
    case .distance:
      if let distances { most = part.most(distances.least, distances.most) }
      if hasUnknownDistance { most = max(most, 0) }
    case .same:
      if summary.codes & part.codes != 0 { most = part.coefficient * (1 - part.mean) }
      // Codes beside the user's own, or one that only shares its place modulo 64.
      if summary.codes != 0 { most = max(most, part.coefficient * (0 - part.mean)) }
      if summary.hasMissing { most = max(most, 0) }
    case .difference:
      if summary.hasValues { most = part.most(summary.low - part.user, summary.high - part.user) }
      if summary.hasMissing { most = max(most, 0) }
    case .absoluteDifference:
      if summary.hasValues {
        let (low, high) = (abs(summary.low - part.user), abs(summary.high - part.user))
        let isInside = summary.low <= part.user && part.user <= summary.high
        most = part.most(isInside ? 0 : min(low, high), max(low, high))
      }
      if summary.hasMissing { most = max(most, 0) }
    case .overlap:
      if summary.hasValues { most = part.most(0, greatestOverlap(part, summary)) }
      if summary.hasMissing { most = max(most, 0) }
    case .text:
      // The norm of a group is that of its longest vector; the widening above covers both roundings.
      if summary.hasValues { most = part.coefficient * summary.high + part.mean }
    case .nothing:
      most = 0
    }
    return most
  }

  /// The greatest share that the user's set can have in common with a set of the group.
  ///
  /// With u and s the sizes of both sets and c codes in common the share is c / (u + s - c): more with more in common,
  /// less with a larger set. At most m of the user's codes occur in the group, so c is at most min(m, s), and the best
  /// size is the one nearest to m. Sizes are small whole numbers: sums are exact and the division rounds monotonically.
  private func greatestOverlap(_ part: Part, _ summary: FeatureSummary) -> Double {
    var inCommon = 0.0
    var rest = summary.codes
    while rest != 0 {
      inCommon += tables[part.table + rest.trailingZeroBitCount]
      rest &= rest - 1
    }
    let size = min(max(inCommon, summary.low), summary.high)
    let common = min(inCommon, size)
    return common / (part.user + size - common)
  }
}

extension ScoreBound.Part {
  /// The greatest contribution of values from `low` to `high`: a straight line is highest at one end.
  @inline(__always)
  fileprivate func most(_ low: Double, _ high: Double) -> Double {
    coefficient * ((coefficient > 0 ? high : low) - mean)
  }
}
