import Columns
import Concurrency
import Files
import IngestFixture
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

@Suite struct InteractionsByCandidateTests {
  /// Some buckets of users have more rows than a part may have. There are few or many candidates.
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

  /// A cut or an erasure leaves out entities and interactions.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a subset equals a filter, with one group for each remaining entity`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let noRow = InteractionSubset.noRow
    let likes = (0..<80).map { _ in
      let user = Int.random(in: 0..<9, using: &random)
      let other = (user + Int.random(in: 1..<9, using: &random)) % 9
      return "p\(user),p\(other),\(Int.random(in: 1...9, using: &random)),yes\n"
    }
    let night = try Night(
      people: (0..<9).map { "p\($0),,,,,,,,\n" }.joined(), likes: likes.joined(),
      asOf: Instant(milliseconds: 9))
    let table = try #require(try night.snapshot().interactions["likes"])
    try #require(table.count == 80)
    /// The new rows of the entities. A third of the entities are left out.
    func newRows() -> [UInt32] {
      let isKept = (0..<9).map { $0 % 3 != 0 }.shuffled(using: &random)
      var (rows, next): ([UInt32], UInt32) = ([], 0)
      for keeps in isKept {
        rows.append(keeps ? next : noRow)
        if keeps { next += 1 }
      }
      return rows
    }
    let (users, candidates) = (newRows(), newRows())
    let subset = InteractionSubset(table, users: users, candidates: candidates) { $0 % 5 != 0 }
    var directory = try StageDirectory("subset", in: night.scratch.path)
    try subset.write(to: "likes", in: &directory)
    let written = try InteractionTable(directory.written("likes"))

    let userOfLike = table.user.elements
    let wanted = (0..<80).filter { $0 % 5 != 0 }
    let kept = wanted.filter {
      users[Int(userOfLike[$0])] != noRow && candidates[Int(table.candidate[$0])] != noRow
    }
    #expect(
      subset.counts == SubsetCounts(kept: kept.count, leftOut: 16, withoutEntity: wanted.count - kept.count))
    #expect(written.at.elements == kept.map { table.at[$0] })
    #expect(written.value.elements == kept.map { table.value[$0] })
    let (newUsers, newCandidates) = (
      kept.map { users[Int(userOfLike[$0])] }, kept.map { candidates[Int(table.candidate[$0])] }
    )
    #expect(written.candidate.elements == newCandidates)
    try #require(written.userOffsets.count == 7 && written.candidateOffsets.count == 7)
    for row in 0..<6 {
      let (byUser, byCandidate) = (written.range(ofUser: row), written.range(ofCandidate: row))
      #expect(Array(byUser) == kept.indices.filter { newUsers[$0] == UInt32(row) })
      #expect(
        written.byCandidate.elements[byCandidate].map { Int($0) }
          == kept.indices.filter { newCandidates[$0] == UInt32(row) })
    }
  }
}
