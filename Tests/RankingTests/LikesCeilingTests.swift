import Concurrency
import Testing

@testable import Ranking

/// Choices under a ceiling of expected likes, against all choices of small random worlds.
@Suite struct LikesCeilingTests {
  private static let (lists, candidates, top) = (5, 6, 2)

  private static func pools(seed: UInt64) -> AssignmentEntries {
    var random = SplitMix64(seed: seed)
    var pools = AssignmentEntries()
    // Some candidates are liked by most users.
    let appeal = (0..<candidates).map { _ in random.nextUnit() - 0.5 }
    for _ in 0..<lists {
      for candidate in 0..<candidates where random.nextUnit() < 0.85 {
        let score = max(-1, min(1, appeal[candidate] + 1.2 * random.nextUnit() - 0.6))
        pools.candidates.append(UInt32(candidate))
        pools.values.append(score)
        pools.chances.append((score + 1) / 2)
      }
      pools.firsts.append(pools.candidates.count)
    }
    return pools
  }

  /// The best number of filled places and the highest total value among all choices within the ceiling.
  private static func best(_ pools: AssignmentEntries, likes: Double) -> (filled: Int, total: Double) {
    var best = (filled: -1, total: -Double.infinity)
    var expected = [Double](repeating: 0, count: candidates)
    var rest = [Double](repeating: 0, count: lists + 1)
    for list in (0..<lists).reversed() {
      rest[list] = rest[list + 1] + pools.values[pools.range(list)].sorted(by: >).prefix(top).reduce(0, +)
    }
    func choose(_ list: Int, _ filled: Int, _ total: Double) {
      guard list < lists else {
        if (filled, total) > best { best = (filled, total) }
        return
      }
      // Each later list has at most `top` entries, and at most the total of its two highest values.
      if (filled + (lists - list) * top, total + rest[list]) <= best { return }
      func add(_ entries: [Int]) {
        for entry in entries { expected[Int(pools.candidates[entry])] += pools.chances[entry] }
        if expected.allSatisfy({ $0 <= likes }) {
          choose(list + 1, filled + entries.count, total + entries.reduce(0) { $0 + pools.values[$1] })
        }
        for entry in entries { expected[Int(pools.candidates[entry])] -= pools.chances[entry] }
      }
      let range = pools.range(list)
      for first in range {
        for second in (first + 1)..<max(range.upperBound, first + 1) { add([first, second]) }
      }
      for first in range { add([first]) }
      add([])
    }
    choose(0, 0, 0)
    return best
  }

  @Test(arguments: [1.5, 2.5])
  func `choices are nearly as full and as good as possible`(likes: Double) {
    var (filled, full, lost, worth) = (0, 0, 0.0, 0.0)
    for seed in 0..<100 as Range<UInt64> {
      let pools = Self.pools(seed: seed)
      var ceiling = LikesCeiling(likes, candidates: Self.candidates)
      let least = [Int](repeating: 0, count: Self.candidates)
      let first = ceiling.assignment(pools, top: Self.top, least: least) { most, _ in
        ListAssignment(pools, candidates: Self.candidates, top: Self.top, most: most, least: least)
      }
      var exchange = LikesExchange(first, pools, top: Self.top, least: least, ceiling)
      exchange.run()
      let choice = exchange.assignment
      #expect(choice.lengths.reduce(0, +) >= first.lengths.reduce(0, +))
      var expected = [Double](repeating: 0, count: Self.candidates)
      for entry in pools.candidates.indices where choice.isChosen[entry] {
        expected[Int(pools.candidates[entry])] += pools.chances[entry]
      }
      #expect(expected.allSatisfy { $0 <= likes })
      let best = Self.best(pools, likes: likes)
      filled += choice.lengths.reduce(0, +)
      full += best.filled
      if choice.lengths.reduce(0, +) == best.filled {
        lost += best.total - choice.total
        worth += abs(best.total)
      }
    }
    #expect(Double(filled) >= 0.99 * Double(full), "\(filled) of \(full)")
    #expect(lost <= 0.02 * worth, "\(lost) of \(worth)")
  }
}
