import Concurrency
import Testing

@testable import Models

struct ConcordanceTests {
  /// Counts all pairs one by one.
  private static func twin(_ rows: [(prediction: Double, value: Double)]) -> Double? {
    var (pairs, agreeing) = (0.0, 0.0)
    for (place, first) in rows.enumerated() {
      for second in rows[..<place] where first.value != second.value {
        pairs += 1
        if first.prediction == second.prediction {
          agreeing += 0.5
        } else if (first.prediction > second.prediction) == (first.value > second.value) {
          agreeing += 1
        }
      }
    }
    return pairs > 0 ? agreeing / pairs : nil
  }

  @Test func `concordance equals a calculation by hand`() {
    #expect(concordance([]) == nil)
    #expect(concordance([(1, 1)]) == nil)
    #expect(concordance([(1, 5), (2, 5)]) == nil)
    #expect(concordance([(1, -1), (2, 1)]) == 1)
    #expect(concordance([(2, -1), (1, 1)]) == 0)
    #expect(concordance([(0, -1), (-0.0, 1)]) == 0.5)
    // The pairs (1, 2) and (1, 3) are concordant, and the pair (2, 3) is not.
    #expect(concordance([(1, 1), (3, 2), (2, 3)]) == 2.0 / 3)
    #expect(concordance([(-.infinity, 1), (.infinity, 2), (.infinity, 3)]) == 2.5 / 3)
  }

  /// The results are equal to the last bit, because counts are integers.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `sorting gives the same count as comparing all pairs`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 0...80, using: &random)
    let predictions = Int.random(in: 1...40, using: &random)
    let values = Int.random(in: 1...6, using: &random)
    let hasTies = seed % 3 > 0
    let rows = (0..<count).map { _ in
      (
        prediction: hasTies ? Double(Int.random(in: 0..<predictions, using: &random)) : random.nextUnit(),
        value: Double(Int.random(in: -1..<values, using: &random))
      )
    }
    #expect(concordance(rows) == Self.twin(rows))
  }
}
