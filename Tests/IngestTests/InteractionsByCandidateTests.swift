import Concurrency
import Testing

@testable import Ingest

@Suite struct InteractionsByCandidateTests {
  /// One bucket of users has more rows than a part may have. There are few or many candidates.
  @Test(arguments: [[70_000, 5, 140_000], [0, 65_536, 65_537], [3]] as [[Int]], [2, 1000])
  func `groups equal a filter for buckets of any size`(counts: [Int], candidates: Int) {
    var random = SplitMix64(seed: UInt64(candidates))
    let all = counts.map { count in
      (0..<count).map { _ in UInt32.random(in: 0..<UInt32(candidates), using: &random) }
    }
    let buckets = KeyBuckets(keys: candidates)
    var parts: [InteractionsByCandidatePart] = []
    var first = 0
    for some in all {
      parts += InteractionsByCandidate.parts(some, from: first, buckets)
      first += some.count
    }
    let groups = InteractionsByCandidate(parts, buckets, count: candidates)
    let members = (0..<buckets.count).flatMap { groups.members($0) }
    var expected = [[UInt32]](repeating: [], count: candidates)
    for (index, candidate) in all.joined().enumerated() { expected[Int(candidate)].append(UInt32(index)) }
    for candidate in 0..<candidates {
      let range = Int(groups.offsets[candidate])..<Int(groups.offsets[candidate + 1])
      #expect(Array(members[range]) == expected[candidate])
    }
  }
}
