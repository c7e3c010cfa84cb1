internal import Features
internal import Search

/// The lists of many users in a few flat arrays, so that the lists of a million people fit into memory.
struct RankedLists: Sendable {
  /// The candidates of all lists, concatenated.
  private(set) var candidates: [UInt32] = []
  /// The score of each candidate; NaN for a candidate without a score.
  private(set) var scores: [Double] = []
  /// The distance of each candidate in kilometers; NaN if unknown.
  private(set) var distances: [Double] = []
  /// The numbers of the reason texts in `ReasonLabels`: `reasonsEach` per recommendation, best first, padded
  /// with `noReason`. Empty if there are no reasons.
  private(set) var labels: [UInt32] = []
  /// The contribution of each of these reasons to the score; 0 for `noReason`.
  private(set) var contributions: [Double] = []
  private var ends: [UInt32] = []
  private var shortfalls: [UInt8] = []

  static let reasonsEach = UserScore.publishedReasons
  static let noReason = UInt32.max

  /// The code of a list without a shortfall.
  private static let full = UInt8.max

  /// Creates empty arrays, and reserves memory for the lists.
  ///
  /// - Parameters:
  ///   - lists: The number of lists to come: one per user, or one per user and word.
  ///   - top: The greatest length of a list.
  ///   - hasReasons: Whether recommendations have reasons.
  init(lists: Int, top: Int, hasReasons: Bool) {
    // With a large `top`, most lists stay short, so less memory is reserved.
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

  /// Appends the next list. If the list has reasons, the caller appends them first.
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

  /// Appends the reasons `found` of the next recommendation, best first.
  mutating func append(_ found: [Contribution], _ labels: ReasonLabels) {
    for place in 0..<Self.reasonsEach {
      let isReason = place < found.count
      self.labels.append(isReason ? labels.number(of: found[place]) : Self.noReason)
      contributions.append(isReason ? found[place].amount : 0)
    }
  }

  /// The number of lists.
  var count: Int { ends.count }

  /// Returns the range of the recommendations of the list with the number `index`.
  func range(_ index: Int) -> Range<Int> {
    Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
  }

  /// Calls `body` with the candidates of each list in `numbers`, best first.
  func forEachCandidates(of numbers: Range<Int>, _ body: (Span<UInt32>) -> Void) {
    for number in numbers { body(candidates.span.extracting(range(number))) }
  }

  func shortfall(_ index: Int) -> Shortfall? {
    shortfalls[index] == Self.full ? nil : Shortfall.allCases[Int(shortfalls[index])]
  }
}
