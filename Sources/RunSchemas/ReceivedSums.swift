package import Columns

/// The number and the sum of the values that each candidate received in one kind of interaction.
///
/// Values are added in table order, so sums are the same on every machine.
package struct ReceivedSums: Sendable {
  /// The number of received values of each candidate, one element per row.
  package private(set) var counts: [Double]
  /// The sum of the received values of each candidate, one element per row.
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

/// Means of the received values per candidate, each shrunk toward the mean of its group:
///
///     (sum + k m) / (n + k)
///
/// where n is the number of received values, k the strength, and m the mean of all values that candidates of
/// the same group received. If the group received no value, or if the candidate has no group, m is the mean
/// over all candidates. The result is NaN if no candidate received any value.
package struct ShrunkenMeans: Sendable {
  package let strength: Double
  private let received: ReceivedSums
  /// The group of each candidate, by row; `CategoryColumn.missing` for a candidate without a group.
  private let groups: [UInt32]
  /// The number and the sum of the received values of each group.
  private var ofGroup: [(count: Double, sum: Double)]
  /// The number and the sum of the received values of all candidates.
  private var ofAll: (count: Double, sum: Double) = (0, 0)

  /// - Parameters:
  ///   - received: The received values.
  ///   - strength: The weight of the group's mean, as a number of values; at least 0.
  ///   - groups: The group of each candidate; `nil` if all candidates form one group.
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

  /// The shrunken mean of each candidate, one element per row.
  package var values: [Double] {
    received.counts.indices.map { value(of: $0) }
  }

  /// Returns the shrunken mean of `candidate`, computed without `count` of its received values, whose sum is
  /// `sum`.
  ///
  /// - Parameters:
  ///   - candidate: The row of the candidate.
  ///   - count: The number of values to leave out, all by one user.
  ///   - sum: The sum of these values.
  /// - Returns: The mean. NaN if all values of the candidate are left out, or if no value of any candidate
  ///   remains. In the first case, the mean of the remaining group would leak the left-out values, because a
  ///   higher left-out value means a lower remaining mean.
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
