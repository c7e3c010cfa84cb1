import Columns
import Concurrency
import Files
import Foundation
import Index
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// The exact bytes of lists, matches and catalogs, and the candidates from which an evaluation draws.
@Suite struct ListTextTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `one list is one line of JSON, and a row of CSV per recommendation`() {
    let ids = StringColumn(inMemory: [Self.bytes("x"), Self.bytes("y")])
    var text = ListText()
    text.beginList(user: Self.bytes("a").span)
    text.begin(ListText.ListedEntry(rank: 1, candidate: 1, score: 0.5, distance: 1.26), ids: ids)
    text.append(reason: Self.bytes("{\"feature\":\"f\",\"contribution\":").span, 0.25, isFirst: true)
    text.append(reason: Self.bytes("{\"feature\":\"g\",\"contribution\":").span, 0.125, isFirst: false)
    text.end(1, nil)
    text.begin(ListText.ListedEntry(rank: 2, candidate: 0, score: .nan, distance: .nan), ids: ids)
    text.end(0, nil)
    text.endList(.noneLeft)
    text.beginList(user: Self.bytes("b").span)
    text.begin(ListText.ListedEntry(rank: 1, candidate: 0, score: -2, distance: 0), ids: ids)
    text.end(0, nil)
    text.endList(nil)
    let lines = [
      #"{"user":"a","recommendations":[{"rank":1,"candidate":"y","score":0.5,"distance_km":1.3,"reasons":["#
        + #"{"feature":"f","contribution":0.25},{"feature":"g","contribution":0.125}]},"#
        + #"{"rank":2,"candidate":"x","score":null,"distance_km":null,"reasons":[]}],"shortfall":"none_left"}"#,
      #"{"user":"b","recommendations":[{"rank":1,"candidate":"x","score":-2.0,"distance_km":0.0,"reasons":[]}],"#
        + #""shortfall":null}"#, "",
    ]
    let json = String(decoding: text.json.bytes, as: UTF8.self)
    #expect(json == lines.joined(separator: "\n"))
    let csv = String(decoding: text.csv.bytes, as: UTF8.self)
    #expect(csv == "a,1,y,0.5,1.3\na,2,x,,\nb,1,x,-2.0,0.0\n")
  }

  @Test func `the CSV file has the recommendations of the JSON file`() throws {
    let world = RandomExport(seed: 4, people: 40, swipes: 400)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ category: field }, distance]",
        ranking: "    within_km: 300\n    exclude: [self]\n    minimum_score: -100\n    top: 4"),
      files: world.files)
    let manifests = try fixture.runStages()
    let text = String(decoding: try fixture.bytes("rankings/near.csv"), as: UTF8.self)
    #expect(text.hasPrefix("user_id,rank,candidate_id,score,distance_km\n"))
    let lists = try fixture.list("near")
    let expected = lists.flatMap { line in line.recommendations.map { (user: line.user, found: $0) } }
    let rows = try fixture.rows("rankings/near.csv")
    try #require(rows.count == expected.count && rows.count > 50)
    for (row, entry) in zip(rows, expected) {
      #expect(row[0] == entry.user && row[1] == String(entry.found.rank) && row[2] == entry.found.candidate)
      #expect(Double(row[3]) == entry.found.score && Double(row[4]) == entry.found.distance_km)
    }
    // The funnel counts users whose first recommendation has a score.
    let counts = manifests["rankings"]?.counts["lists"]?["near"]
    let scored = lists.count { $0.recommendations.first?.score != nil }
    #expect(scored > 10 && counts?["users"]?["ranked_by_score"] == .integer(scored))
    #expect(counts?["users"]?["empty_lists"] == .integer(lists.count { $0.recommendations.isEmpty }))
  }

  @Test func `matches have a header and one row each, with ids of both sides`() {
    let ids = StringColumn(inMemory: [Self.bytes("a"), Self.bytes("b,c")])
    let others = StringColumn(inMemory: [Self.bytes("x"), Self.bytes("y")])
    let matches = [
      Match(first: 1, second: 0, since: Instant(milliseconds: 5)),
      Match(first: 0, second: 1, since: Instant(milliseconds: 86_400_000)),
    ]
    #expect(
      String(decoding: matches.csv(ids, others), as: UTF8.self)
        == "user_id,other_user_id,matched_at\n\"b,c\",x,1970-01-01T00:00:00.005Z\na,y,1970-01-02T00:00:00Z\n")
    #expect(
      String(decoding: [Match]().csv(ids, others), as: UTF8.self) == "user_id,other_user_id,matched_at\n")
  }

  @Test(
    arguments: [
      ([], [[]]), ([[1, 2]], [[1], [2]]), ([[1, 2], [3]], [[1, 3], [2, 3]]),
      ([[1, 2], [3, 4]], [[1, 3], [1, 4], [2, 3], [2, 4]]), ([[1], []], []),
    ] as [([[UInt32]], [[UInt32]])])
  func `a candidate has a key for each combination of its words`(words: [[UInt32]], expected: [[UInt32]]) {
    #expect(CatalogWords.combinations(words) == expected)
  }

  @Test(
    arguments: [
      (["a"], "a"), (["a", "b"], "a/b"), (["a/b", "c%"], "a%2Fb/c%25"), (["%2F", ""], "%252F/"),
      (["/", "é"], "%2F/é"),
    ] as [([String], String)])
  func `a key joins the words with slashes`(words: [String], expected: String) {
    let key = CatalogRanker.key(words.map(Self.bytes))
    #expect(String(decoding: key, as: UTF8.self) == expected)
  }

  @Test func `a catalog by tags lists a candidate under each of its tags`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          items:
            source: { path: items.csv }
            id: id
            attributes: { kind: { type: category }, labels: { type: tags }, size: { type: number } }
        rankings:
          list: { catalog: items, by: [kind, labels], order_by: [size desc], top: 1 }
        """,
      files: [
        "items.csv": "id,kind,labels,size\na,x,u;t,1\nb,x,u,2\nc,,t,3\nd,y,,4\n"
      ])
    let manifest = try #require(try fixture.runStages()["rankings"])
    let json = String(decoding: try fixture.bytes("rankings/list/part-00000.jsonl"), as: UTF8.self)
    #expect(
      json == #"{"key":"x/t","by":{"kind":"x","labels":"t"},"rank":1,"candidate":"a"}"# + "\n"
        + #"{"key":"x/u","by":{"kind":"x","labels":"u"},"rank":1,"candidate":"b"}"# + "\n")
    let csv = String(decoding: try fixture.bytes("rankings/list.csv"), as: UTF8.self)
    #expect(csv == "key,rank,candidate_id\nx/t,1,a\nx/u,1,b\n")
    let expected: JSONValue = [
      "keys": 2,
      "candidates": [
        "total": 4, "excluded": [:], "without": ["kind": 1, "labels": 1], "beyond_top": 1, "listed": 2,
      ],
    ]
    #expect(manifest.counts["lists"]?["list"] == expected)
    #expect(manifest.counts["catalogs"] == ["list": 2])
    #expect(manifest.counts["search"] == [:] && manifest.counts["matches"] == [:])
  }

  @Test func `the numbers of a pool run through all its ranges`() {
    let pool = CandidatePool(rows: [9, 8, 7, 6, 5, 4], ranges: [1..<3, 3..<3, 4..<6])
    #expect(pool.count == 4 && (0..<4).map { pool[$0] } == [8, 7, 5, 4])
    let plain = CandidatePool(rows: nil, ranges: [2..<4, 7..<8])
    #expect(plain.count == 3 && (0..<3).map { plain[$0] } == [2, 3, 7])
    #expect(CandidatePool(rows: nil, ranges: []).count == 0)
  }

  @Test func `the pool of a user contains all candidates in reach`() throws {
    let world = FlatWorld(seed: 3)
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml(
        "  list: { users: seekers, candidates: rooms, within_km: 9, order_by: distance }"), files: world.files
    )
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    let recommender = try Recommender(
      fixture.pipeline.rankings[0], fixture.pipeline, snapshot, run: fixture.run, scoring: .distance)
    let index = try SpatialIndex(fixture.run + "/index", entity: "rooms", count: world.rooms.count)
    var (inReach, smaller) = (0, 0)
    for (user, seeker) in world.seekers.enumerated() {
      let everybody = recommender.pool(of: user, in: nil)
      #expect(
        everybody.count == world.rooms.count && everybody[world.rooms.count - 1] == world.rooms.count - 1)
      let pool = recommender.pool(of: user, in: index)
      guard seeker.place != nil else {
        #expect(pool.count == 0)
        continue
      }
      let members = (0..<pool.count).map { pool[$0] }
      #expect(Set(members).count == members.count)
      let view = recommender.view(of: user)
      let near = world.rooms.indices.filter { view.isInReach(candidate: $0) }
      #expect(Set(near).isSubset(of: members))
      inReach += near.count
      if pool.count < world.rooms.count { smaller += 1 }
    }
    #expect(inReach > 20 && smaller > 10)
  }

  /// The as-of times are the day before and the day after a birthday in a year without a leap day.
  @Test(arguments: [(1_519_819_200_000, "17"), (1_519_862_400_000, "18")] as [(Int64, String)])
  func `a list shows ages, and null for what is missing`(asOf: Int64, age: String) throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          things:
            source: { path: things.csv }
            id: id
            owner: { from: by, entity: people, optional: true }
            attributes: { born: { type: date } }
        rankings:
          list: { users: people, candidates: things, show: [{ age: born }, owner] }
        """,
      files: [
        "people.csv": "id\nann\nben\n",
        "things.csv": "id,by,born\na,ben,2000-02-29\nb,,\nc,ann,2100-01-01\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: asOf))
    let text = String(decoding: try fixture.bytes("rankings/list/part-00000.jsonl"), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first)
    for (candidate, shown) in [
      ("a", "{\"age\":\(age),\"owner\":\"ben\"}"), ("b", "{\"age\":null,\"owner\":null}"),
      ("c", "{\"age\":null,\"owner\":\"ann\"}"),
    ] {
      let entry =
        "\"candidate\":\"\(candidate)\",\"score\":null,\"distance_km\":null,\"reasons\":[],\"shown\":\(shown)}"
      #expect(line.contains(entry), "\(line)")
    }
  }

  @Test func `a list among the belongings of liked owners has only these`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          posts: { source: { path: posts.csv }, id: id, owner: { from: by, entity: people, optional: true } }
        interactions:
          follows: { source: { path: follows.csv }, user: { from: u, entity: people }, candidate: { from: c, entity: people }, at: t, value: v }
        rankings:
          feed: { users: people, candidates: posts, among: { owner: follows }, order_by: distance }
          people: { users: people, candidates: people, among: follows, order_by: distance }
        """,
      files: [
        "people.csv": "id\na\nb\nc\n", "posts.csv": "id,by\np1,b\np2,c\np3,\np4,b\n",
        "follows.csv": "u,c,t,v\na,b,1,1\na,c,1,1\na,c,2,-1\nb,a,1,-1\nb,a,2,1\nb,c,1,1\n",
      ])
    let manifest = try #require(try fixture.runStages()["rankings"])
    func lists(_ name: String) throws -> [[String]] {
      try fixture.list(name).map { [$0.user] + $0.recommendations.map(\.candidate).sorted() }
    }
    #expect(try lists("feed") == [["a", "p1", "p4"], ["b", "p2"], ["c"]])
    #expect(try lists("people") == [["a", "b"], ["b", "a", "c"], ["c"]])
    let candidates = manifest.counts["lists"]?["feed"]?["candidates"]
    #expect(candidates?["pairs"] == 12 && candidates?["out_of_reach"] == 9 && candidates?["listed"] == 3)
  }

  /// A scan is best for up to two blocks of 32 candidates per list.
  @Test(arguments: [(64, false, "scan"), (65, false, "block"), (128, true, "scan"), (129, true, "block")])
  func `the number of candidates per list decides the method`(
    count: Int, isPerWord: Bool, method: String
  ) throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id, attributes: { kind: { type: category } } }
        rankings:
          list: { users: people, candidates: people, exclude: [self], order_by: distance\(isPerWord ? ", per: kind" : "") }
        """,
      files: ["people.csv": "id,kind\n" + (0..<count).map { "p\(1000 + $0),k\($0 % 2)\n" }.joined()])
    let manifest = try #require(try fixture.runStages()["rankings"])
    #expect(manifest.counts["search"] == ["list": .string(method)])
  }

  @Test func `ranking ends with all users of all rankings done`() throws {
    let world = FlatWorld(seed: 5)
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml(
        """
          list: { users: seekers, candidates: rooms, order_by: distance }
          some: { users: seekers, candidates: rooms, for: quiet, order_by: distance }
        seed: 9
        """), files: world.files)
    let first = try #require(try fixture.runStages()["rankings"])
    try Directories.remove(fixture.run + "/rankings")
    let progress = WorkProgress()
    let manifest = try RankStage.run(
      fixture.pipeline, in: fixture.run, threads: 1, progress: progress, tool: "other")
    #expect(progress.state == WorkProgress.State(unit: "users", done: 80, total: 80))
    #expect(manifest.tool == "other" && manifest.stage == "rankings" && manifest.pipeline == "flats")
    #expect(manifest.counts == first.counts && manifest.parents == first.parents)
    #expect(manifest.asOf == first.asOf && manifest.configuration == first.configuration)
    let snapshot = try Manifest(of: fixture.run + "/snapshot")
    #expect(manifest.asOf == snapshot.asOf && manifest.seed == 9)
    #expect(manifest.configuration == fixture.pipeline.configuration)
    // Only a pipeline with catalogs counts their entries.
    #expect(manifest.counts.members.keys.sorted() == ["lists", "matches", "search", "shown"])
    #expect(manifest.parents.keys.sorted() == ["index", "snapshot"] && manifest.seed == first.seed)
    #expect(Directories.exists(fixture.run + "/rankings/_SUCCESS"))
  }
}
