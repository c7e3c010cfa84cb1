import Files
import Foundation
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// Tests friendships, lists of people who wait for an answer, and the exclusion of candidates that
/// friends own.
@Suite struct FriendsTests {
  @Test(arguments: [30, 300], 0..<4 as Range<UInt64>)
  func `entities that friends own are on no list`(rooms: Int, seed: UInt64) throws {
    let world = try RequestWorld(
      seed: seed,
      rankings: """
          rooms: { users: seekers, candidates: rooms, exclude: [friends, not free], top: 1000, order_by: distance }
          near: { users: seekers, candidates: rooms, within_km: 30, exclude: [friends], top: 1000, order_by: distance }
          hosts: { users: seekers, candidates: hosts, exclude: [friends], top: 1000, order_by: distance }
          seekers: { users: hosts, candidates: seekers, exclude: [friends], top: 1000, order_by: distance }
        """, rooms: rooms)
    let manifest = try #require(try world.run()["rankings"])
    #expect(manifest.counts["search"]?["rooms"] == (rooms == 30 ? "scan" : "block"))
    let friends = world.friends
    #expect(friends.count > 5)
    let free = world.owners.indices.filter { $0 % 3 != 0 }
    for line in try world.fixture.list("rooms") {
      let seeker = try #require(Int(line.user.dropFirst()))
      let expected = free.filter { friends[[seeker, world.owners[$0]]] == nil }.map { "r\($0)" }
      #expect(line.recommendations.map(\.candidate).sorted() == expected.sorted())
    }
    for line in try world.fixture.list("near") {
      let seeker = try #require(Int(line.user.dropFirst()))
      for found in line.recommendations {
        let room = try #require(Int(found.candidate.dropFirst()))
        #expect(friends[[seeker, world.owners[room]]] == nil)
      }
    }
    for line in try world.fixture.list("hosts") {
      let seeker = try #require(Int(line.user.dropFirst()))
      let expected = (0..<world.hosts).filter { friends[[seeker, $0]] == nil }.map { "h\($0)" }
      #expect(line.recommendations.map(\.candidate).sorted() == expected.sorted())
    }
    for line in try world.fixture.list("seekers") {
      let host = try #require(Int(line.user.dropFirst()))
      let expected = (0..<world.seekers).filter { friends[[$0, host]] == nil }.map { "s\($0)" }
      #expect(line.recommendations.map(\.candidate).sorted() == expected.sorted())
    }
    let excluded = manifest.counts["lists"]?["hosts"]?["candidates"]?["excluded"]?["friends"]
    #expect(excluded == .integer(friends.count))
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `every search gives the same lists and counts`(seed: UInt64) throws {
    let world = try RequestWorld(
      seed: seed,
      rankings:
        "  near: { users: seekers, candidates: rooms, within_km: 40, exclude: [friends, not free], top: 9, order_by: distance }",
      rooms: 200)
    _ = try world.run()
    let pipeline = world.fixture.pipeline
    let snapshot = try Snapshot(
      world.fixture.run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema), requests: pipeline.requests.map(\.schema))
    let results = try [Recommender.Method.scan, .block].map { method in
      let recommender = try Recommender(
        pipeline.rankings[0], pipeline, snapshot, run: world.fixture.run, scoring: .distance, method: method)
      let found = recommender.searchAll(threads: 2)
      #expect(found == (0..<recommender.userCount).map { recommender.search(user: $0) })
      return found
    }
    #expect(results[0] == results[1])
    let lost = results[0].compactMap(\.counts?.excluded[0]).reduce(0, +)
    #expect(lost > 10, "the world must contain candidates of friends")
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `friendships have both ids and the time`(seed: UInt64) throws {
    let world = try RequestWorld(seed: seed, rankings: "  friends: { friends: asks }", rooms: 30)
    let manifest = try #require(try world.run()["rankings"])
    let expected = world.friends.map { key, since in
      ["s\(key[0])", "h\(key[1])", Instant(milliseconds: Int64(since)).description]
    }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try world.fixture.rows("rankings/friends.csv") == expected)
    #expect(manifest.counts["matches"] == ["friends": .integer(expected.count)])
    #expect(manifest.outputs.first { $0.path == "friends.csv" }?.rows == expected.count)
  }

  @Test func `two people who accepted each other's requests are friends once`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
        requests:
          asks:
            source: { path: asks.csv }
            user: { from: s, entity: people }
            candidate: { from: r, entity: people }
            at: t
            status: status
            changed: c
        rankings:
          friends: { friends: asks }
          strangers: { users: people, candidates: people, exclude: [self, friends] }
        """,
      files: [
        "people.csv": "id\na\nb\nc\nd\n",
        "asks.csv": """
        s,r,t,status,c
        a,b,1,accepted,9
        b,a,2,accepted,5
        b,c,3,accepted,4
        c,b,3,accepted,4
        d,a,3,accepted,6
        a,d,3,pending,3

        """,
      ])
    try fixture.runStages()
    // The request of b was accepted first; for equal times the smaller id comes first.
    #expect(
      try fixture.rows("rankings/friends.csv").map { $0.prefix(2).joined(separator: ",") }
        == ["b,a", "b,c", "d,a"])
    // Both sides of an accepted request are friends.
    #expect(
      try fixture.list("strangers").map { [$0.user] + $0.recommendations.map(\.candidate).sorted() }
        == [["a", "c"], ["b", "d"], ["c", "a", "d"], ["d", "b", "c"]])
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `people who wait for an answer are listed, best first`(seed: UInt64) throws {
    let world = try RequestWorld(
      seed: seed,
      rankings: """
          waiting: { users: hosts, candidates: seekers, pending: asks, top: 1000, show: [{ age: born }] }
          first: { users: hosts, candidates: seekers, pending: asks, top: 1 }
          all: { users: hosts, candidates: seekers, top: 1000 }
        """, rooms: 30)
    let manifest = try #require(try world.run(threads: 3)["rankings"])
    #expect(manifest.counts["search"]?["waiting"] == "scan")
    let pending = world.pending
    #expect(pending.values.reduce(0) { $0 + $1.count } > 10)
    let first = try world.fixture.list("first")
    for (index, line) in try world.fixture.list("waiting").enumerated() {
      let host = try #require(Int(line.user.dropFirst()))
      let waiting = (pending[host] ?? []).map { "s\($0)" }
      #expect(line.recommendations.map(\.candidate).sorted() == waiting.sorted())
      // Order and scores are the same as in the list of all candidates.
      let all = try #require(try world.fixture.list("all").first { $0.user == line.user })
      let expected = all.recommendations.filter { waiting.contains($0.candidate) }
      #expect(line.recommendations.map(\.candidate) == expected.map(\.candidate))
      #expect(line.recommendations.map(\.score) == expected.map(\.score))
      #expect(line.recommendations.allSatisfy { $0.score != nil })
      #expect(first[index].recommendations.first?.candidate == expected.first?.candidate)
      #expect(line.shortfall == "none_left")
    }
    let text = String(decoding: try world.fixture.bytes("rankings/waiting/part-00000.jsonl"), as: UTF8.self)
    // The as-of time is one second after the start of 1970, before every birth date.
    #expect(text.contains("\"shown\":{\"age\":null}"))
  }

  @Test func `without requests or people there are no lists`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          hosts: { source: { path: hosts.csv }, id: id }
          seekers: { source: { path: seekers.csv }, id: id, expect: { rows: { at_least: 0 } } }
          rooms: { source: { path: rooms.csv }, id: id, expect: { rows: { at_least: 0 } }, created: at, owner: { from: h, entity: hosts }, attributes: { town: { type: category } } }
        requests:
          asks:
            source: { path: asks.csv }
            user: { from: s, entity: seekers }
            candidate: { from: r, entity: rooms }
            at: t
            status: status
            changed: c
        rankings:
          waiting: { users: hosts, candidates: seekers, pending: asks }
          rooms: { users: seekers, candidates: rooms, exclude: [friends] }
          friends: { friends: asks }
          towns: { catalog: rooms, by: town }
        """,
      files: [
        "hosts.csv": "id\nh\n", "seekers.csv": "id\n", "rooms.csv": "id,at,h,town\n",
        "asks.csv": "s,r,t,status,c\n",
      ])
    let manifests = try fixture.runStages()
    #expect(try fixture.list("waiting").map(\.user) == ["h"])
    #expect(try fixture.rows("rankings/friends.csv").isEmpty && fixture.rows("rankings/towns.csv").isEmpty)
    #expect(try fixture.bytes("rankings/towns/part-00000.jsonl").isEmpty)
    #expect(manifests["rankings"]?.counts["catalogs"] == ["towns": 0])
  }

  /// The room r2 has no owner, so no host can answer a request for it.
  @Test func `a request for a room without an owner makes no friends and no waiting people`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          hosts: { source: { path: hosts.csv }, id: id }
          seekers: { source: { path: seekers.csv }, id: id }
          rooms: { source: { path: rooms.csv }, id: id, owner: { from: h, entity: hosts, optional: true } }
        requests:
          asks:
            source: { path: asks.csv }
            user: { from: s, entity: seekers }
            candidate: { from: r, entity: rooms }
            at: t
            status: status
            changed: c
        rankings:
          waiting: { users: hosts, candidates: seekers, pending: asks }
          rooms: { users: seekers, candidates: rooms, exclude: [friends] }
          friends: { friends: asks }
        """,
      files: [
        "hosts.csv": "id\nh\ni\n", "seekers.csv": "id\ns\nt\n", "rooms.csv": "id,h\nr1,h\nr2,\nr3,i\n",
        "asks.csv":
          "s,r,t,status,c\ns,r1,1,pending,1\ns,r2,1,pending,1\nt,r2,1,accepted,2\nt,r3,1,accepted,3\n",
      ])
    try fixture.runStages()
    func lists(_ name: String) throws -> [[String]] {
      try fixture.list(name).map { [$0.user] + $0.recommendations.map(\.candidate).sorted() }
    }
    #expect(try lists("waiting") == [["h", "s"], ["i"]])
    #expect(try lists("rooms") == [["s", "r1", "r2", "r3"], ["t", "r1", "r2"]])
    #expect(try fixture.rows("rankings/friends.csv").map { Array($0.prefix(2)) } == [["t", "i"]])
  }
}
