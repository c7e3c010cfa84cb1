package import Columns

/// What candidates received of one kind of interaction: how many, and the sum of the values.
///
/// Sums are made in the order of the table, so they are the same everywhere.
package struct ReceivedSums: Sendable {
  /// By candidate.
  package private(set) var counts: [Double]
  package private(set) var sums: [Double]

  package init(_ table: InteractionTable) {
    let candidates = table.candidateOffsets.count - 1
    var (counts, sums) = (
      [Double](repeating: 0, count: candidates), [Double](repeating: 0, count: candidates)
    )
    let (candidate, value) = (table.candidate.span, table.value.span)
    for index in candidate.indices {
      let row = Int(candidate[index])
      counts[row] += 1
      sums[row] += value[index]
    }
    (self.counts, self.sums) = (counts, sums)
  }
}

/// Means of what candidates received, each drawn towards the mean of its group:
///
///     (sum + k m) / (n + k)
///
/// with n values received, the strength k, and m the mean of all values that the candidates of the same group received;
/// without any, or without a group, that of all candidates. NaN where nobody received any.
package struct ShrunkenMeans: Sendable {
  package let strength: Double
  private let received: ReceivedSums
  /// By candidate: the group, `CategoryColumn.missing` without one.
  private let groups: [UInt32]
  /// By group, and of all.
  private var ofGroup: [(count: Double, sum: Double)]
  private var ofAll: (count: Double, sum: Double) = (0, 0)

  /// - Parameters:
  ///   - received: What candidates received.
  ///   - strength: How many values the mean of the group counts for; at least 0.
  ///   - groups: By candidate; `nil` where all are one group.
  package init(_ received: ReceivedSums, strength: Double, groups: CategoryColumn?) {
    self.received = received
    self.strength = strength
    let codes =
      groups?.codes.elements
      ?? [UInt32](repeating: CategoryColumn.missing, count: received.counts.count)
    self.groups = codes
    ofGroup = Array(repeating: (0, 0), count: groups?.vocabulary.count ?? 0)
    for (row, code) in codes.enumerated() {
      let (count, sum) = (received.counts[row], received.sums[row])
      ofAll = (ofAll.count + count, ofAll.sum + sum)
      guard code != CategoryColumn.missing else { continue }
      ofGroup[Int(code)].count += count
      ofGroup[Int(code)].sum += sum
    }
  }

  /// By candidate.
  package var values: [Double] {
    received.counts.indices.map { value(of: $0) }
  }

  /// The mean of `candidate` as if `count` of the values that it received, which add up to `sum`, had not been.
  ///
  /// - Parameters:
  ///   - candidate: Its row.
  ///   - count: How many values are left out: those of one user.
  ///   - sum: What they add up to.
  /// - Returns: NaN where values are left out and nothing is left: m without them falls where they rise, and would tell
  ///   whoever learns from them what they were.
  package func value(of candidate: Int, leavingOut count: Double = 0, sum: Double = 0) -> Double {
    let own = (count: received.counts[candidate] - count, sum: received.sums[candidate] - sum)
    let code = groups[candidate]
    var all = code == CategoryColumn.missing ? ofAll : ofGroup[Int(code)]
    if all.count <= count { all = ofAll }
    guard all.count > count else { return .nan }
    let mean = (all.sum - sum) / (all.count - count)
    guard own.count > 0 else { return count > 0 ? .nan : mean }
    return (own.sum + strength * mean) / (own.count + strength)
  }
}
