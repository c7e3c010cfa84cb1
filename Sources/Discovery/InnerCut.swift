internal import Columns
internal import RunSchemas

/// A method of dividing the learning interactions. A trial learns from the earlier interactions, and compares
/// settings on the later ones.
package enum InnerCut: Sendable {
  /// All users have the same cut time. The trial then predicts later interactions, as a run does.
  case time
  /// Each user has a separate cut time. This suits evaluations that split the interactions of each user or
  /// group separately.
  case eachUser

  /// The share of the interactions up to each cut of `time`, the latest cut first.
  private static let shares = [0.8, 0.7, 0.6]
  /// The share of each user's interactions up to the cut, for `eachUser`.
  private static let ownShare = 0.8

  /// One cut. The later interactions are those after the cut and up to `end`, a time in milliseconds since
  /// 1970 UTC.
  struct Window: Sendable {
    /// The time of each user's cut, in milliseconds since 1970 UTC. The earlier interactions are those up to
    /// this time. With `.min`, the user has no earlier interactions.
    var cuts: [Int64]
    var end: Int64
  }

  /// Returns the cuts to compare, latest first. The later interactions of a cut end at the next later cut;
  /// for the latest cut, they end at the last interaction.
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
