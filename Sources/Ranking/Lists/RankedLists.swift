internal import Features
internal import Search

/// Lists of many users in a few flat arrays, so that the lists of a million people fit into memory.
struct RankedLists: Sendable {
  /// The users' lists one after the other.
  private(set) var candidates: [UInt32] = []
  /// NaN where there is no score.
  private(set) var scores: [Double] = []
  /// Kilometers; NaN where unknown.
  private(set) var distances: [Double] = []
  /// From `ReasonLabels`: `reasonsEach` per recommendation, best first, `noReason` at the end. Empty if there are no reasons.
  private(set) var labels: [UInt32] = []
  /// What the same reasons add to scores.
  private(set) var contributions: [Double] = []
  private var ends: [UInt32] = []
  private var shortfalls: [UInt8] = []

  static let reasonsEach = UserScore.publishedReasons
  static let noReason = UInt32.max

  /// The code for no shortfall.
  private static let full = UInt8.max

  /// - Parameters:
  ///   - lists: How many there will be: of each user one, or one for each word.
  ///   - top: How long their lists are at most.
  ///   - hasReasons: Whether there will be any.
  init(lists: Int, top: Int, hasReasons: Bool) {
    // Of long lists most are shorter.
    let count = lists * min(top, 32)
    candidates.reserveCapacity(count)
    scores.reserveCapacity(count)
    distances.reserveCapacity(count)
    if hasReasons {
      labels.reserveCapacity(count * Self.reasonsEach)
      contributions.reserveCapacity(count * Self.reasonsEach)
    }
    ends.reserveCapacity(lists)
    shortfalls.reserveCapacity(lists)
  }

  /// Appends the next list; before it come its `reasons`.
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

  /// Appends the reasons of the next recommendation.
  mutating func append(_ found: [Contribution], _ labels: ReasonLabels) {
    for place in 0..<Self.reasonsEach {
      let isReason = place < found.count
      self.labels.append(isReason ? labels.number(of: found[place]) : Self.noReason)
      contributions.append(isReason ? found[place].amount : 0)
    }
  }

  /// The range of the list with the number `index`, best first.
  func range(_ index: Int) -> Range<Int> {
    Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
  }

  /// Calls `body` with the candidates of each of the lists with these numbers, best first.
  func forEachCandidates(of numbers: Range<Int>, _ body: (Span<UInt32>) -> Void) {
    for number in numbers { body(candidates.span.extracting(range(number))) }
  }

  func shortfall(_ index: Int) -> Shortfall? {
    shortfalls[index] == Self.full ? nil : Shortfall.allCases[Int(shortfalls[index])]
  }
}
