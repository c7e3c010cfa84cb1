import Files
import Foundation
import StageFixture
import Testing
import Text

@testable import Ranking

/// Lists for each tag of the candidates, for all words or for the words that a user asks for.
@Suite struct TagListsTests {
  private static func fixture() throws -> StageFixture {
    let rules =
      "users: people, candidates: people, per: plays, exclude: [self], order_by: [number asc], top: 2"
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people:
            source: { path: people.csv }
            id: id
            attributes: { plays: { type: tags }, wants: { type: tags }, number: { type: number } }
        rankings:
          every: { \(rules) }
          asked: { \(rules), asked: wants }
        """,
      files: [
        "people.csv": """
        id,plays,wants,number
        ann,jazz;folk,folk;jazz,1
        bob,jazz,tango,2
        cid,folk;jazz;rock,,3
        dee,,jazz;rock,4
        eve,folk,jazz,5

        """
      ])
    try fixture.runStages(threads: 3)
    return fixture
  }

  /// The line of a user whose lists hold these candidates. A list of two candidates is full.
  private static func line(_ user: String, _ lists: [(word: String, candidates: [String])]) -> String {
    let texts = lists.map { word, candidates in
      let entries = candidates.enumerated().map {
        "{\"rank\":\($0 + 1),\"candidate\":\"\($1)\",\"score\":null,\"distance_km\":null,\"reasons\":[]}"
      }
      let shortfall = candidates.count == 2 ? "null" : "\"none_left\""
      return
        "\"\(word)\":{\"recommendations\":[\(entries.joined(separator: ","))],\"shortfall\":\(shortfall)}"
    }
    return "{\"user\":\"\(user)\",\"lists\":{\(texts.joined(separator: ","))}}"
  }

  private static func csv(_ lists: [(user: String, word: String, candidates: [String])]) -> [String] {
    ["user_id,word,rank,candidate_id,score,distance_km"]
      + lists.flatMap { list in
        list.candidates.enumerated().map { "\(list.user),\(list.word),\($0 + 1),\($1),," }
      }
  }

  private static func lines(_ fixture: StageFixture, _ path: String) throws -> [String] {
    String(decoding: try fixture.bytes("rankings/" + path), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  @Test func `a candidate is on the list of each of its tags`() throws {
    let fixture = try Self.fixture()
    let lists: [(user: String, lists: [(word: String, candidates: [String])])] = [
      ("ann", [("folk", ["cid", "eve"]), ("jazz", ["bob", "cid"]), ("rock", ["cid"])]),
      ("bob", [("folk", ["ann", "cid"]), ("jazz", ["ann", "cid"]), ("rock", ["cid"])]),
      ("cid", [("folk", ["ann", "eve"]), ("jazz", ["ann", "bob"]), ("rock", [])]),
      ("dee", [("folk", ["ann", "cid"]), ("jazz", ["ann", "bob"]), ("rock", ["cid"])]),
      ("eve", [("folk", ["ann", "cid"]), ("jazz", ["ann", "bob"]), ("rock", ["cid"])]),
    ]
    #expect(
      try Self.lines(fixture, "every/part-00000.jsonl") == lists.map { Self.line($0.user, $0.lists) })
    let flat = lists.flatMap { line in
      line.lists.map { (user: line.user, word: $0.word, candidates: $0.candidates) }
    }
    #expect(try Self.lines(fixture, "every.csv") == Self.csv(flat))
    // A candidate with several tags counts once per tag: ann twice and cid three times. dee has no tag.
    let counts = try Manifest(of: fixture.run + "/rankings").counts
    let expected: JSONValue = [
      "users": [
        "total": 5, "full_lists": 0, "short_lists": 5, "empty_lists": 0, "ranked_by_score": 0,
        "shortfall": ["none_left": 5],
      ],
      "candidates": [
        "counted_users": 5, "pairs": 40, "out_of_reach": 0, "excluded": ["no plays": 5, "self": 7],
        "not_above_minimum": 0, "beyond_top": 4, "listed": 24,
      ],
    ]
    #expect(counts["lists"]?["every"] == expected)
    #expect(counts["search"] == ["every": "scan", "asked": "scan"])
    let funnel = try JSONDecoder().decode(JSONValue.self, from: fixture.bytes("rankings/funnel.json"))
    #expect(funnel == counts["lists"])
  }

  @Test func `a user has a list for each requested tag, and none without a request`() throws {
    let fixture = try Self.fixture()
    let lists: [(user: String, lists: [(word: String, candidates: [String])])] = [
      ("ann", [("folk", ["cid", "eve"]), ("jazz", ["bob", "cid"])]), ("bob", [("tango", [])]),
      ("dee", [("jazz", ["ann", "bob"]), ("rock", ["cid"])]), ("eve", [("jazz", ["ann", "bob"])]),
    ]
    #expect(
      try Self.lines(fixture, "asked/part-00000.jsonl") == lists.map { Self.line($0.user, $0.lists) })
    let flat = lists.flatMap { line in
      line.lists.map { (user: line.user, word: $0.word, candidates: $0.candidates) }
    }
    #expect(try Self.lines(fixture, "asked.csv") == Self.csv(flat))
    let counts = try Manifest(of: fixture.run + "/rankings").counts
    let expected: JSONValue = [
      "users": [
        "total": 4, "full_lists": 2, "short_lists": 2, "empty_lists": 1, "ranked_by_score": 0,
        "shortfall": ["none_left": 2],
      ],
      "candidates": [
        "counted_users": 4, "pairs": 23, "out_of_reach": 0,
        "excluded": ["no plays": 4, "self": 4, "none of wants": 4], "not_above_minimum": 0, "beyond_top": 2,
        "listed": 9,
      ],
    ]
    #expect(counts["lists"]?["asked"] == expected)
  }

  /// The word and its candidates, from the lines of a list.
  private struct ListsOfWords: Decodable {
    struct Candidates: Decodable {
      struct Named: Decodable { var candidate: String }

      var recommendations: [Named]
      var shortfall: String?
    }

    var user: String
    var lists: [String: Candidates]

    var candidates: [String: [String]] { lists.mapValues { $0.recommendations.map(\.candidate) } }
  }

  /// There are two words, and more than 64 candidates for each. Each person has one of the words, both as a
  /// category and as a tag.
  @Test func `requested lists and lists of tags equal the lists of a category`() throws {
    let rules = "users: people, candidates: people, exclude: [self], order_by: distance, top: 3"
    let wants = ["", "k1", "k0;k1"]
    let rows = (0..<140).map { "p\(1000 + $0),k\($0 % 2),k\($0 % 2),\(wants[$0 % 3])\n" }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people:
            source: { path: people.csv }
            id: id
            attributes: { kind: { type: category }, plays: { type: tags }, wants: { type: tags } }
        rankings:
          every: { \(rules), per: kind }
          tagged: { \(rules), per: plays }
          asked: { \(rules), per: kind, asked: wants }
        """,
      files: [
        "people.csv": "id,kind,plays,wants\n" + rows.joined()
      ])
    let manifest = try #require(try fixture.runStages()["rankings"])
    #expect(manifest.counts["search"] == ["every": "block", "tagged": "scan", "asked": "scan"])
    func lines(_ name: String) throws -> [ListsOfWords] {
      try fixture.bytes("rankings/\(name)/part-00000.jsonl").split(separator: UInt8(ascii: "\n"))
        .map { try JSONDecoder().decode(ListsOfWords.self, from: $0) }
    }
    let every = try lines("every")
    #expect(every.count == 140 && every.allSatisfy { $0.lists.keys.sorted() == ["k0", "k1"] })
    #expect(every.allSatisfy { $0.lists.values.allSatisfy { $0.recommendations.count == 3 } })
    #expect(try lines("tagged").map(\.candidates) == every.map(\.candidates))
    let asking = every.indices.filter { $0 % 3 != 0 }
    let asked = try lines("asked")
    #expect(asked.map(\.user) == asking.map { "p\(1000 + $0)" })
    for (line, user) in zip(asked, asking) {
      let words = user % 3 == 1 ? ["k1"] : ["k0", "k1"]
      #expect(line.candidates == every[user].candidates.filter { words.contains($0.key) }, "\(line.user)")
    }
  }
}
