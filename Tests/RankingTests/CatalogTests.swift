import Concurrency
import Files
import Foundation
import StageFixture
import Testing
import Text

@testable import Ranking

/// Catalogs are lists that belong to a key.
@Suite struct CatalogTests {
  private static func yaml(_ catalog: String) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      dogs:
        source: { path: dogs.jsonl }
        id: id
        created: at
        attributes:
          town: { type: category, optional: true }
          size: { type: category, optional: true }
          sold: { type: flag, optional: true }
          ready: { type: flag, optional: true }
          name: { type: text, optional: true }
          coat: { type: category, optional: true }
          origin: { type: category, optional: true }
    rankings:
      list: { \(catalog) }
    """
  }

  private func lines(_ catalog: String, _ dogs: [String]) throws -> (
    lines: [String], funnel: JSONValue?, csv: [[String]]
  ) {
    let fixture = try StageFixture(
      yaml: Self.yaml(catalog), files: ["dogs.jsonl": dogs.map { $0 + "\n" }.joined()])
    let manifest = try fixture.runStages()["rankings"]
    let text = String(decoding: try fixture.bytes("rankings/list/part-00000.jsonl"), as: UTF8.self)
    return (
      text.split(separator: "\n").map(String.init), manifest?.counts["lists"]?["list"],
      try fixture.rows("rankings/list.csv")
    )
  }

  @Test func `keys are in byte order, with the newest entries first`() throws {
    let (lines, funnel, csv) = try lines(
      "catalog: dogs, by: [town, size], exclude: [sold, not ready], order_by: newest, show: [name]",
      [
        #"{"id":"a","at":1,"town":"b","size":"x","ready":true,"name":"A\"A"}"#,
        #"{"id":"b","at":3,"town":"b","size":"x","ready":true}"#,
        #"{"id":"c","at":2,"town":"b","size":"x","ready":true,"sold":true}"#,
        #"{"id":"d","town":"b","size":"x","ready":true}"#,
        #"{"id":"e","at":3,"town":"b","size":"x","ready":true}"#,
        #"{"id":"f","at":3,"town":"B","size":"x","ready":true}"#,
        #"{"id":"g","at":3,"town":"b","size":"w","ready":true}"#,
        #"{"id":"h","at":3,"town":"b","ready":true}"#, #"{"id":"i","at":3,"size":"w","ready":true}"#,
        #"{"id":"j","at":3,"ready":true}"#, #"{"id":"k","at":3,"town":"b","size":"x"}"#,
        #"{"id":"l","at":1,"town":"100%/é","size":"/","ready":true}"#,
      ])
    #expect(
      lines == [
        #"{"key":"100%25%2Fé/%2F","by":{"town":"100%/é","size":"/"},"rank":1,"candidate":"l","shown":{"name":null}}"#,
        #"{"key":"B/x","by":{"town":"B","size":"x"},"rank":1,"candidate":"f","shown":{"name":null}}"#,
        #"{"key":"b/w","by":{"town":"b","size":"w"},"rank":1,"candidate":"g","shown":{"name":null}}"#,
        #"{"key":"b/x","by":{"town":"b","size":"x"},"rank":1,"candidate":"b","shown":{"name":null}}"#,
        #"{"key":"b/x","by":{"town":"b","size":"x"},"rank":2,"candidate":"e","shown":{"name":null}}"#,
        #"{"key":"b/x","by":{"town":"b","size":"x"},"rank":3,"candidate":"a","shown":{"name":"A\"A"}}"#,
        #"{"key":"b/x","by":{"town":"b","size":"x"},"rank":4,"candidate":"d","shown":{"name":null}}"#,
      ])
    #expect(csv.map { $0.joined(separator: ",") }.suffix(2) == ["b/x,3,a", "b/x,4,d"])
    #expect(
      funnel == [
        "keys": 4,
        "candidates": [
          "total": 12, "excluded": ["sold": 1, "not ready": 1], "without": ["town": 2, "size": 1],
          "beyond_top": 0, "listed": 7,
        ],
      ])
  }

  @Test func `keys have a maximum of entries, and may show nothing`() throws {
    let dogs = (0..<9).map { "{\"id\":\"d\($0)\",\"at\":\($0),\"town\":\"t\($0 % 2)\"}" }
    let (lines, funnel, _) = try lines("catalog: dogs, by: town, top: 3", dogs)
    #expect(lines.first == #"{"key":"t0","by":{"town":"t0"},"rank":1,"candidate":"d8"}"#)
    #expect(lines.count == 6)
    #expect(funnel?["candidates"]?["beyond_top"] == 3)
  }

  /// Stores limit the length of keys. A word can have 256 bytes, and each slash takes three bytes in a key.
  @Test func `an entry with a key that is too long is left out`() throws {
    func dog(_ id: String, _ word: String) -> String {
      let words = ["town", "size", "coat", "origin"].map { ",\"\($0)\":\"\(word)\"" }
      return "{\"id\":\"\(id)\",\"at\":1\(words.joined())}"
    }
    let dogs = [
      dog("a", String(repeating: "/", count: 256)), dog("b", "x"),
      dog("c", String(repeating: "y", count: 256)),
    ]
    let (lines, funnel, _) = try lines("catalog: dogs, by: [town, size, coat, origin]", dogs)
    #expect(lines.count == 2 && lines.first?.hasPrefix(#"{"key":"x/x/x/x","#) == true)
    #expect(funnel?["keys"] == 2 && funnel?["candidates"]?["key_too_long"] == 1)
    #expect(funnel?["candidates"]?["listed"] == 2)
  }

  @Test func `an attribute without values gives no entries`() throws {
    let (lines, funnel, _) = try lines("catalog: dogs, by: town", [#"{"id":"a","at":1}"#])
    #expect(lines.isEmpty)
    #expect(funnel?["keys"] == 0 && funnel?["candidates"]?["without"] == ["town": 1])
  }

  @Test(arguments: 0..<5 as Range<UInt64>) func `random worlds equal a slow sort`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let words = ["a", "b", "b/a", "b%2Fa", "é", "e\u{301}", "日"]
    let dogs = (0..<200).map { index in
      (
        id: "d\(index)", at: Int.random(in: 0..<20, using: &random),
        town: words.randomElement(using: &random) ?? "",
        size: words.randomElement(using: &random) ?? ""
      )
    }
    let (lines, _, csv) = try lines(
      "catalog: dogs, by: [town, size]",
      dogs.map { #"{"id":"\#($0.id)","at":\#($0.at),"town":"\#($0.town)","size":"\#($0.size)"}"# })
    func escaped(_ word: String) -> String {
      word.replacing("%", with: "%25").replacing("/", with: "%2F")
    }
    let expected = dogs.map { (key: escaped($0.town) + "/" + escaped($0.size), at: $0.at, id: $0.id) }
      .sorted { left, right in
        if !left.key.utf8.elementsEqual(right.key.utf8) {
          return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
        }
        return left.at == right.at
          ? left.id.utf8.lexicographicallyPrecedes(right.id.utf8) : left.at > right.at
      }
    #expect(csv.map { $0[2] } == expected.map(\.id))
    #expect(lines.count == 200)
    for (row, entry) in zip(csv, expected) { #expect(row[0].utf8.elementsEqual(entry.key.utf8)) }
  }
}
