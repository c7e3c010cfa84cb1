import Concurrency
import Testing

@testable import Search

/// The set of candidates that are excluded for one user.
struct ExclusionSetTests {
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `a set equals a dictionary, also after it is emptied`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var set = ExclusionSet()
    for size in [0, 3, 31, 32, 33, 400, 5] {
      var expected: [UInt32: (rule: Int, hasInteracted: Bool)] = [:]
      for _ in 0..<size {
        // There are few candidates, so several rules exclude the same candidate.
        let candidate = UInt32.random(in: 0..<300, using: &random) &* 65_537
        let (rule, hasInteracted) = (Int.random(in: 0..<5, using: &random), Bool.random(using: &random))
        set.insert(candidate, rule: rule, hasInteracted: hasInteracted)
        let known = expected[candidate]
        expected[candidate] = (min(known?.rule ?? rule, rule), known?.hasInteracted == true || hasInteracted)
      }
      let found = Dictionary(uniqueKeysWithValues: set.entries.map { ($0.candidate, $0) })
      #expect(found.keys.sorted() == expected.keys.sorted())
      for (candidate, entry) in expected {
        #expect(found[candidate].map { Int($0.rule) } == entry.rule)
        #expect(found[candidate]?.hasInteracted == entry.hasInteracted)
      }
      for candidate in 0..<300 as Range<UInt32> {
        #expect(set.contains(candidate &* 65_537) == (expected[candidate &* 65_537] != nil))
      }
      set.removeAll()
      #expect(Array(set.entries).isEmpty && expected.keys.allSatisfy { !set.contains($0) })
    }
  }
}
