internal import Columns
internal import RunSchemas

/// The cuts between earlier interactions, from which a trial learns, and later interactions, on which the
/// trial compares settings. All interactions are within the learning part.
package enum InnerCut: Sendable {
  /// The same time for all users. The trial then predicts later interactions, as a run does.
  case time
  /// A time for each user, for learning parts that were themselves cut within users or groups.
  case eachUser

  /// The shares of the interactions that are earlier, for the cuts of `time`, the latest first.
  private static let shares = [0.8, 0.7, 0.6]
  /// The share of each user's interactions that is earlier, for `eachUser`.
  private static let ownShare = 0.8

  /// One cut. Interactions after the cut and up to `end` are later ones.
  struct Window: Sendable {
    /// For each user, the time up to which interactions are earlier. `.min` means that no interaction is
    /// earlier.
    var cuts: [Int64]
    var end: Int64
  }

  /// The cuts to try, in this order. The later interactions of each cut end at the cut before it.
  func windows(_ table: InteractionTable) -> [Window] {
    let users = table.userOffsets.count - 1
    switch self {
    case .time:
      let sorted = table.at.elements.sorted()
      guard let last = sorted.last else { return [] }
      let cuts = Self.shares.map { sorted[Int($0 * Double(sorted.count - 1))] }
      return zip(cuts, [last] + cuts).map {
        Window(cuts: [Int64](repeating: $0, count: users), end: $1)
      }
    case .eachUser:
      let cuts = (0..<users).map { user in
        let range = table.range(ofUser: user)
        let earlier = Int(Self.ownShare * Double(range.count))
        return earlier == 0 ? .min : table.at[range.lowerBound + earlier - 1]
      }
      return [Window(cuts: cuts, end: .max)]
    }
  }
}
