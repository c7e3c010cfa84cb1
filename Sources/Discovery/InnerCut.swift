internal import Columns
package import RunSchemas

/// The cut between the earlier interactions, from which a trial learns, and the later interactions, on which
/// the trial compares settings. Both are within the learning part.
package enum InnerCut: Sendable {
  /// One time for all users. The trial then predicts later interactions, as a run does.
  case time
  /// A time for each user, for learning parts that were themselves cut within users or groups.
  case eachUser

  /// The share of the interactions before the cut.
  private static let share = 0.8

  /// For each user, the time up to which interactions are earlier. `.min` means that no interaction is
  /// earlier.
  func times(_ table: InteractionTable) -> [Int64] {
    let users = table.userOffsets.count - 1
    switch self {
    case .time:
      let sorted = table.at.elements.sorted()
      let cut = sorted.isEmpty ? .min : sorted[Int(Self.share * Double(sorted.count - 1))]
      return [Int64](repeating: cut, count: users)
    case .eachUser:
      return (0..<users).map { user in
        let range = table.range(ofUser: user)
        let earlier = Int(Self.share * Double(range.count))
        return earlier == 0 ? .min : table.at[range.lowerBound + earlier - 1]
      }
    }
  }
}
