import Foundation
import GRDB
import Testing

@testable import ServingStore
import TestSupport

/// The SQL views must return the same values as the documents.
@Suite struct `The SQLite store's views` {
  private struct Document: Codable {
    struct Recommendation: Codable {
      var rank: Int
      var candidate: String
      var score: Double?
      var distance_km: Double?
    }
    var user: String
    var recommendations: [Recommendation]
    var shortfall: String?
  }

  private let directory: ScratchDirectory
  private let store: any ServingStore
  private let path: String

  init() throws {
    directory = try ScratchDirectory()
    path = directory.path + "/serving.sqlite"
    store = try StoreAddress(sqlitePath: path).open(for: .publishing)
  }

  private func rows(_ sql: String) throws -> [Row] {
    try DatabaseQueue(path: path).read { try Row.fetchAll($0, sql: sql) }
  }

  @Test func `contain the served recommendations in long form`() throws {
    let documents = hostileIDs.enumerated().map { index, id in
      Document(
        user: id.text,
        recommendations: (0..<(index == 0 ? hostileIDs.count : index % 5)).map { place in
          .init(
            rank: place + 1, candidate: hostileIDs[(index * 7 + place) % hostileIDs.count].text,
            score: place == 2 ? nil : 1 / Double(index + place + 1),
            distance_km: place == 1 ? nil : Double(index) / 10)
        }, shortfall: nil)
    }
    for run in 1...2 {
      try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 2) { loader in
        try loader.beginList("partners")
        for document in documents.dropLast(run == 1 ? 0 : 3) {
          let json = try JSONEncoder().encode(document)
          try loader.addDocument(String(decoding: json, as: UTF8.self), user: StoredID(document.user))
        }
      }
    }
    let expected = documents.dropLast(3).sorted { StoredID($0.user) < StoredID($1.user) }.flatMap {
      document in
      document.recommendations.map { entry in
        "\(Array(document.user.utf8)) \(entry.rank) "
          + (entry.candidate.utf8.contains(0) ? "cut" : "\(Array(entry.candidate.utf8))")
          + " \(entry.score.map { "\($0)" } ?? "null") \(entry.distance_km.map { "\($0)" } ?? "null")"
      }
    }
    let found = try rows(
      """
      SELECT CAST(user_id AS BLOB), rank, CAST(candidate_id AS BLOB), score, distance_km, pipeline, list
      FROM recommendations ORDER BY user_id, rank
      """
    ).map { row -> String in
      let (user, candidate): (Data, Data?) = (row[0], row[2])
      let (rank, score, distance): (Int, Double?, Double?) = (row[1], row[3], row[4])
      #expect(row[5] == "fusion")
      #expect(row[6] == "partners")
      return "\(Array(user)) \(rank) \(candidate.map { "\(Array($0))" } ?? "cut")"
        + " \(score.map { "\($0)" } ?? "null") \(distance.map { "\($0)" } ?? "null")"
    }
    #expect(found == expected)
    #expect(found.contains { $0.contains(" cut ") })
    // The id contains these six characters, which must not be decoded as U+0000.
    #expect(found.contains { $0.contains(" \(Array("\\u0000".utf8)) ") })
    #expect(found.count > 50)
  }

  @Test func `find one user's list by an index`() throws {
    try store.publishPartners(["a": "{}"])
    let plan = try rows(
      """
      EXPLAIN QUERY PLAN SELECT * FROM recommendations
      WHERE pipeline = 'fusion' AND list = 'partners' AND user_id = 'a'
      """
    ).map { row -> String in row["detail"] }
    #expect(plan.contains { $0.contains("(content_id=? AND user_id=?)") }, "\(plan)")
    #expect(!plan.contains { $0.contains("SCAN lists") || $0.contains("SCAN contents") }, "\(plan)")
  }

  @Test func `contain matches from both sides, lists and people of only the served generation`() throws {
    for run in 1...2 {
      try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 2) { loader in
        try loader.beginList("partners")
        try loader.addDocument("{\"run\":\(run)}", user: "a")
        try loader.beginMatches("matches")
        try loader.addMatch("a", StoredID("b\(run)"), at: "2026")
        try loader.addMatch(StoredID("b\(run)"), "a", at: "2026")
        try loader.addMatch("a", "c", at: "")
        try loader.beginPeople("users")
        try loader.addPerson("{\"run\":\(run)}", id: "a")
      }
    }
    #expect(
      try rows("SELECT * FROM served_matches ORDER BY user_id, other_user_id").map { "\($0.databaseValues)" }
        == [("a", "b2", "2026"), ("a", "c", nil), ("b2", "a", "2026"), ("c", "a", nil)].map {
          (user: String, other: String, at: String?) in
          "\(["fusion", "matches", user, other, at].map { $0.databaseValue })"
        })
    #expect(
      try rows("SELECT * FROM served_lists").map { "\($0.databaseValues)" }
        == ["\(["fusion", "partners", "a", "{\"run\":2}"].map { $0.databaseValue })"])
    #expect(
      try rows("SELECT * FROM served_people").map { "\($0.databaseValues)" }
        == ["\(["fusion", "users", "a", "{\"run\":2}"].map { $0.databaseValue })"])
  }
}

extension Row {
  fileprivate var databaseValues: [DatabaseValue] { map { $0.1 } }
}
