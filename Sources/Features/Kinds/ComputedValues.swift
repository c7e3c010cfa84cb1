internal import Columns
internal import Concurrency
internal import PipelineFile
internal import RunSchemas

/// A feature with the values of a computed attribute: one per candidate for predictions, and one per learning
/// row.
///
/// The value of a learning row excludes the interactions of the row's own user with the candidate. Otherwise,
/// the outcome of the row would leak into the feature.
package struct ComputedValues: Sendable {
  /// One value per candidate, from all received interactions; NaN means a missing value.
  package private(set) var values: [Double]
  /// One value per learning row.
  package private(set) var learned: [Double]

  /// Computes the values of the learning rows.
  ///
  /// - Parameters:
  ///   - values: One value per candidate.
  ///   - attribute: The definition of the attribute.
  ///   - received: The interactions from which `values` are computed.
  ///   - learning: The learning rows.
  ///   - groups: The group of each candidate, for means; `nil` if all candidates are one group.
  ///   - isOfUsers: Whether the users of `received` and of `learning` are the same entity. If not, no
  ///     interaction is left out.
  ///   - threads: The number of workers; the result does not depend on it.
  init(
    _ values: [Double], of attribute: Pipeline.ComputedAttribute, received: InteractionTable,
    learning: InteractionTable, groups: CategoryColumn?, isOfUsers: Bool, threads: Int
  ) {
    self.values = values
    let sums = ReceivedSums(received)
    var means: ShrunkenMeans?
    if case .shrunkenMean(let strength, _) = attribute.measure {
      means = ShrunkenMeans(sums, strength: strength, groups: groups)
    }
    let users = learning.userOffsets.count - 1
    let parts = parallelMap(count: users, chunkSize: 4096, threads: threads) { [means] chunk in
      var part: [Double] = []
      let candidates = learning.candidate.span
      for user in chunk {
        let rows = learning.range(ofUser: user)
        if rows.isEmpty { continue }
        let own = isOfUsers ? received.given(by: user) : [:]
        for row in rows {
          let candidate = Int(candidates[row])
          let (count, sum) = own[candidates[row]] ?? (0, 0)
          part.append(
            means?.value(of: candidate, leavingOut: count, sum: sum) ?? (sums.counts[candidate] - count))
        }
      }
      return part
    }
    learned = parts.flatMap { $0 }
  }

  /// Returns the values limited to `bounds`. The value of a learning row becomes NaN if its candidate's value
  /// is beyond a bound.
  func bounded(by bounds: NumberBounds, _ learning: InteractionTable) -> ComputedValues {
    let ordinary = bounds.withoutBeyond(values)
    var bounded = self
    bounded.values = bounds(values)
    for row in learned.indices where ordinary[Int(learning.candidate[row])].isNaN {
      bounded.learned[row] = .nan
    }
    return bounded
  }
}

extension ComputedValues {
  /// A copy with the `SignedLogarithm` of each value.
  var logarithms: ComputedValues {
    var logarithms = self
    logarithms.values = values.map(SignedLogarithm.of)
    logarithms.learned = learned.map(SignedLogarithm.of)
    return logarithms
  }
}

extension ComputedValues: CandidateNumbers {
  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double { learned[interaction] }
}

extension InteractionTable {
  /// Returns, for each candidate, the number of interactions that `user` gave, and the sum of their values.
  fileprivate func given(by user: Int) -> [UInt32: (count: Double, sum: Double)] {
    var given: [UInt32: (count: Double, sum: Double)] = [:]
    for row in range(ofUser: user) {
      let before = given[candidate[row]] ?? (0, 0)
      given[candidate[row]] = (before.count + 1, before.sum + value[row])
    }
    return given
  }
}
