/// The lists of many users, side by side in a few arrays: those of a million people fit into memory.
struct RankedLists: Sendable {
  /// The users' lists one after the other.
  private(set) var candidates: [UInt32] = []
  /// NaN where there is no score.
  private(set) var scores: [Double] = []
  private(set) var distances: [Double] = []
  private var ends: [UInt32] = []
  private var shortfalls: [UInt8] = []

  /// What stands for no shortfall.
  private static let full = UInt8.max

  /// Appends the list of the next user.
  mutating func append(_ result: SearchResult) {
    for found in result.best {
      candidates.append(UInt32(found.candidate))
      scores.append(found.score ?? .nan)
      distances.append(found.distance)
    }
    ends.append(UInt32(candidates.count))
    let shortfall = result.shortfall.flatMap { Shortfall.allCases.firstIndex(of: $0) }
    shortfalls.append(shortfall.map { UInt8($0) } ?? Self.full)
  }

  /// Where the list of the user with the number `index` stands, best first.
  func range(_ index: Int) -> Range<Int> {
    Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
  }

  func shortfall(_ index: Int) -> Shortfall? {
    shortfalls[index] == Self.full ? nil : Shortfall.allCases[Int(shortfalls[index])]
  }
}
