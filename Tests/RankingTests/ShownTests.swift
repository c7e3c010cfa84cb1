import Foundation
import StageFixture
import Testing

@testable import Ranking

/// `show` adds fields of candidates to recommendations.
@Suite struct ShownTests {
  @Test func `recommendations can show attributes of every type, the snapped position and the owner`() throws
  {
    let fixture = try StageFixture(
      yaml: #"""
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        reject_limit: 1
        privacy: { snap_positions_to: 3 }
        entities:
          people: { source: { path: people.jsonl }, id: id }
          things:
            source: { path: things.jsonl }
            id: id
            owner: { from: by, entity: people }
            position: { latitude: lat, longitude: lon }
            attributes:
              kind: { type: category }
              size: { type: number }
              sold: { type: flag }
              text: { type: text }
              tags: { type: tags }
              day: { type: date }
              moment: { type: date }
        rankings:
          list:
            users: people
            candidates: things
            show: [text, kind, size, sold, tags, day, moment, position, owner]
        """#,
      files: [
        "people.jsonl": #"{"id":"a\"b"}"# + "\n",
        "things.jsonl": [
          #"{"id":"full","by":"a\"b","lat":1,"lon":1,"kind":"\\k","size":0.5,"sold":true,"text":"é\n\"","#
            + #""tags":["y","x"],"day":"2026-02-03","moment":"2026-02-03T04:05:06Z"}"#,
          #"{"id":"bare","by":"a\"b"}"#, "",
        ].joined(separator: "\n"),
      ])
    try fixture.runStages()
    let line = try #require(
      try String(decoding: fixture.bytes("rankings/list/part-00000.jsonl"), as: UTF8.self)
        .split(separator: "\n").first)
    let full =
      #""shown":{"text":"é\n\"","kind":"\\k","size":0.5,"sold":true,"tags":["x","y"],"day":"2026-02-03","#
      + #""moment":"2026-02-03T04:05:06Z","position":{"latitude":0.703125,"longitude":0.703125},"owner":"a\"b"}}"#
    let bare =
      #""shown":{"text":null,"kind":null,"size":null,"sold":false,"tags":[],"day":null,"#
      + #""moment":null,"position":null,"owner":"a\"b"}}"#
    #expect(line.contains(full), "\(line)")
    #expect(line.contains(bare), "\(line)")
    // The fields do not add columns to the CSV file.
    let rows = try fixture.rows("rankings/list.csv")
    #expect(rows.count == 2 && rows.allSatisfy { $0.count == 5 })
  }

  @Test func `a ranking without shown fields has no such member`() throws {
    let fixture = try StageFixture(
      yaml: "pipeline: p\nentities: { u: { source: { path: u.csv }, id: id } }\n"
        + "rankings: { list: { users: u, candidates: u } }\n",
      files: ["u.csv": "id\na\nb\n"])
    try fixture.runStages()
    #expect(
      try !String(decoding: fixture.bytes("rankings/list/part-00000.jsonl"), as: UTF8.self).contains("shown"))
  }
}
