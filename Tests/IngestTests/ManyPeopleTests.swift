import Columns
import Concurrency
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// With enough people to fill every bucket, ingest must keep the same interactions as a slow
/// reference implementation.
@Suite struct ManyPeopleTests {
  private struct Like {
    var user: Int
    var candidate: Int
    var at: Int64
    var value: Double
  }

  private let asOf: Int64 = 1_000_000

  private func pipeline(isCoded: Bool) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      people: { source: { path: people.csv }, id: id, created: created }
    interactions:
      likes:
        source: { path: likes.csv }
        user: a
        candidate: b
        at: t
        value: { from: v\(isCoded ? ", map: { \"3\": 1, \"-7\": -1, \"0\": 0.5 }" : "") }
    """
  }

  @Test(arguments: 0..<8 as Range<UInt64>, [true, false])
  func `interactions are in (user, time, row) order, with or without later rows`(
    seed: UInt64, isCoded: Bool
  ) throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 600...2500, using: &random)
    // Some ids are found by their number, with or without gaps between the numbers. Other ids are
    // found by all of their bytes.
    let ids = (0..<count).map { number in
      switch seed % 3 {
      case 0: "u\(10_000 + number)"
      case 1: "u\(10_000 + 3 * number)"
      default: "somebody-\(10_000 + number)"
      }
    }
    // In some cases, a share of the people or the rows is later than the as-of time.
    let laterPeople = seed % 2 == 0 ? 0 : 0.2
    let laterRows = seed % 4 < 2 ? 0 : 0.1
    let isLater = ids.map { _ in random.nextUnit() < laterPeople }
    let rowOfPerson = isLater.indices.map { person in isLater[..<person].count { !$0 } }
    let people = zip(ids, isLater).map { "\($0),\($1 ? asOf + 1 : 5)\n" }.shuffled(using: &random)

    var likes: [Like] = []
    for _ in 0..<6000 {
      let user = Int(random.nextUnit() * random.nextUnit() * Double(count))
      let candidate = Int.random(in: 0..<count, using: &random)
      guard user != candidate else { continue }
      // Some users have rows in the order of time. Others have many rows at the same time.
      let at =
        user % 3 == 0
        ? Int64(likes.count) : Int64.random(in: 0...(user % 5 == 0 ? 3 : 900_000), using: &random)
      let value =
        isCoded
        ? [3.0, -7, 0][Int(random.next() % 3)] : Double(Int.random(in: -900...900, using: &random)) / 8
      likes.append(
        Like(
          user: user, candidate: candidate, at: random.nextUnit() < laterRows ? asOf + 1 : at, value: value))
    }
    let text = likes.map { like in
      "\(ids[like.user]),\(ids[like.candidate]),\(like.at),\(isCoded ? "\(Int(like.value))" : "\(like.value)")\n"
    }

    let scratch = try ScratchDirectory()
    try scratch.write("id,created\n" + people.joined(), to: "people.csv")
    try scratch.write("a,b,t,v\n" + text.joined(), to: "likes.csv")
    let pipeline = try Pipeline(yaml: pipeline(isCoded: isCoded), file: scratch("p.yaml"))
    _ = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: Instant(milliseconds: asOf), clock: Night.clock,
      threads: 1 + Int(seed % 3), blockSize: 5000, tool: "test")
    let snapshot = try Snapshot(
      scratch("run/snapshot"), entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))

    let expected = likes.indices.filter { index in
      likes[index].at <= asOf && !isLater[likes[index].user] && !isLater[likes[index].candidate]
    }.sorted { one, other in
      (likes[one].user, likes[one].at, one) < (likes[other].user, likes[other].at, other)
    }.map { likes[$0] }
    let found = try #require(snapshot.interactions["likes"])
    let values: [Double: Double] = [3: 1, -7: -1, 0: 0.5]
    #expect(found.user.elements.map(Int.init) == expected.map { rowOfPerson[$0.user] })
    #expect(found.candidate.elements.map(Int.init) == expected.map { rowOfPerson[$0.candidate] })
    #expect(found.at.elements == expected.map(\.at))
    #expect(found.value.elements == expected.map { isCoded ? values[$0.value] ?? .nan : $0.value })

    let kept = isLater.count { !$0 }
    #expect(found.userOffsets.count == kept + 1)
    #expect(found.candidateOffsets.count == kept + 1)
    var groups = [[UInt32]](repeating: [], count: kept)
    for (index, like) in expected.enumerated() { groups[rowOfPerson[like.candidate]].append(UInt32(index)) }
    for person in 0..<kept {
      #expect(found.range(ofUser: person).count == expected.count { rowOfPerson[$0.user] == person })
      #expect(found.range(ofCandidate: person).map { found.byCandidate[$0] } == groups[person])
    }
  }
}
