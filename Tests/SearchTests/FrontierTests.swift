import Concurrency
import Testing

@testable import Search

struct FrontierTests {
  /// An entry of the heap with its sort key.
  private struct Waiting: Equatable {
    var bound: Float
    var squaredChord: Float
    var reference: CandidateTree.Reference

    /// Entries with unknown bounds come first, then entries with higher bounds, then nearer
    /// entries. Unknown distances come last.
    var rank: (Float, Float) {
      (bound.isNaN ? .infinity : bound, squaredChord.isFinite ? -squaredChord : -.infinity)
    }
  }

  /// Finds the best entry of the heap by a linear scan.
  private static func best(of waiting: [Waiting]) -> (Float, Float)? {
    waiting.map(\.rank).max { $0 < $1 }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the heap always returns the best of the waiting entries`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var frontier = Frontier()
    var waiting: [Waiting] = []
    // There are few different bounds and chords, so many are equal. The share of insertions differs
    // between seeds.
    let share = [0.3, 0.5, 0.7, 0.9].randomElement(using: &random) ?? 0.5
    for number in 0..<400 {
      if Int.random(in: 0..<150, using: &random) == 0 {
        frontier.removeAll()
        waiting = []
      }
      if Double.random(in: 0..<1, using: &random) < share {
        let bound = [-1, 0, 0.5, 2, .infinity, -.infinity, .nan].randomElement(using: &random) ?? 0
        let chord = [0, 1e-6, 0.25, 4, .infinity, .nan].randomElement(using: &random) ?? 0
        let new = Waiting(bound: Float(bound), squaredChord: Float(chord), reference: .node(number))
        frontier.insert(
          Frontier.FrontierEntry(bound: new.bound, squaredChord: new.squaredChord, reference: new.reference))
        waiting.append(new)
      } else if let found = frontier.popFirst() {
        let place = try #require(waiting.firstIndex { $0.reference == found.reference })
        let best = try #require(Self.best(of: waiting))
        #expect(waiting[place].rank == best)
        #expect(found.bound == best.0)
        waiting.remove(at: place)
      } else {
        #expect(waiting.isEmpty)
      }
    }
    var left = 0
    while frontier.popFirst() != nil { left += 1 }
    #expect(left == waiting.count)
    #expect(frontier.popFirst() == nil)
  }
}
