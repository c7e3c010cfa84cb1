import Foundation
import System
import Testing
import Text

@testable import Publishing
@testable import ServingStore

/// The list of the generations in a store.
@Suite struct GenerationTextTests {
  private static let generations: [GenerationSummary] = {
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "near", rows: 1200)]
    tables.matches = [NamedCount(name: "pairs", rows: 2)]
    tables.people = [NamedCount(name: "users", rows: 5)]
    tables.positions = [NamedCount(name: "users", rows: 4)]
    tables.buckets = [NamedCount(name: "users", rows: 6)]
    tables.catalogs = [NamedCount(name: "rooms", rows: 3)]
    var few = GenerationTables()
    few.lists = [NamedCount(name: "near", rows: 1)]
    return [
      GenerationSummary(
        number: 12, run: 7, asOf: 2000, isServed: false, note: GenerationNote(overridden: ["a", "b"]),
        tables: tables),
      GenerationSummary(number: 3, run: 1, asOf: 1000, isServed: true, note: GenerationNote(), tables: few),
    ]
  }()

  @Test func `text and CSV have a row for each generation, and mark the served one`() {
    let list = Self.generations
    #expect(
      list.lines(.text(width: nil)) == [
        "   generation  run  as of                 rows",
        "           12    7  1970-01-01T00:00:02Z  near 1 200, rooms 3, pairs 2, users 5, overridden guards: a, b",
        "*           3    1  1970-01-01T00:00:01Z  near 1",
      ])
    #expect(
      list.lines(.csv) == [
        "generation,served,run,as_of,rows,overridden",
        #"12,false,7,1970-01-01T00:00:02Z,"near 1 200, rooms 3, pairs 2, users 5","a, b""#,
        "3,true,1,1970-01-01T00:00:01Z,near 1,",
      ])
  }

  @Test func `JSON has the rows of every kind of table`() throws {
    let lines = Self.generations.lines(.json)
    #expect(lines.count == 1)
    let found = try JSONDecoder().decode(JSONValue.self, from: Data(lines.joined().utf8))
    let first: JSONValue = [
      "generation": 12, "run": 7, "as_of": "1970-01-01T00:00:02Z", "served": .boolean(false),
      "overridden": .array([.string("a"), .string("b")]), "lists": ["near": 1200], "matches": ["pairs": 2],
      "people": ["users": 5], "positions": ["users": 4], "buckets": ["users": 6], "catalogs": ["rooms": 3],
    ]
    let second: JSONValue = [
      "generation": 3, "run": 1, "as_of": "1970-01-01T00:00:01Z", "served": .boolean(true),
      "overridden": .array([]), "lists": ["near": 1], "matches": [:], "people": [:], "positions": [:],
      "buckets": [:], "catalogs": [:],
    ]
    #expect(found == .array([first, second]))
  }

  @Test(arguments: [
    (["a"], ["b"], "a already serves this run, but b does not. "),
    (["a", "b"], ["c", "d"], "a, b already serve this run, but c, d do not. "),
  ])
  func `a partial publication names the stores on both sides`(
    serving: [String], notServing: [String], words: String
  ) {
    let cause = ServingStoreError(.busy, address: "x", found: "it is locked", nextStep: "Wait")
    let error = PartialPublication(serving: serving, notServing: notServing, cause: cause)
    #expect("\(error)" == "\(cause). \(words)Publish again to finish")
    #expect(error.exitStatus == cause.exitStatus)
  }
}
