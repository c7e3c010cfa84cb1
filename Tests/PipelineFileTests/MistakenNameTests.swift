import Geohash
import Testing

@testable import PipelineFile

@Suite struct MistakenNameTests {
  @Test(arguments: [
    ("category: field", "category: age", "category attribute"),
    ("number: age", "number: field", "number attribute"),
    ("- distance", "- position", "repeats an earlier feature"), ("- distance", "- speed", "unknown feature"),
    ("- gone", "- field", "unknown exclusion"), ("- gone", "- Self", "unknown exclusion"),
    ("    users: people", "    users: events", "'events'"),
    ("    candidates: people", "    candidates: events", "'events'"),
    ("mutual: likes", "mutual: like", "unknown kind of interaction"),
    ("- field\n", "- fiel\n", "unknown category"),
    ("candidate:\n      from: b\n      entity: people", "candidate: b", "must name the entity"),
    ("path: events.jsonl", "path: events.txt", "format"), ("path: events.jsonl", "path: events", "format"),
    ("path: events.jsonl", "path: events.firestore", "format"),
    ("path: events.jsonl", "path: [a.jsonl, b.csv]", "'b.csv' is csv"),
    ("path: events.jsonl", "path: events/", "format"), ("path: events.jsonl", "path: \"events/*\"", "format"),
    ("path: events.jsonl", "path: .csv/x", "format"), ("path: events.jsonl", "path: csv", "format"),
    ("path: events.jsonl", "path: events.gz", "format"),
    ("path: events.jsonl", "path: \"-\"", "standard input"),
    ("path: events.jsonl", "path: a.csv.bz2", "format"),
    ("path: events.jsonl", "format: json", "needs 'path'"),
    ("path: events.jsonl", "path: \"-\"\n      format: parquet", "Parquet"),
    ("path: events.jsonl", "path: a.jsonl\n      delimiter: x", "only for csv and tsv"),
    ("path: events.jsonl", "path: a.jsonl\n      columns: [a]", "only for csv and tsv"),
    ("path: events.jsonl", "path: a.parquet\n      encoding: latin1", "only for csv and tsv and jsonl"),
    ("path: events.jsonl", "path: a.csv\n      encoding: utf-7", "utf-7"),
    ("path: events.jsonl", "path: a.csv\n      columns: []", "is empty"),
    ("path: events.jsonl", "path: a.csv\n      columns: [a, b, a]", "names the column 'a' twice"),
    ("path: events.jsonl", "path: a.jsonl\n      table: x", "only for realtime"),
    ("path: events.jsonl", "path: a.jsonl\n      query: x", "only for duckdb"),
    ("path: events.jsonl", "path: a.csv\n      quote: \",\"", "same character"),
    ("path: events.jsonl", "path: a.tsv\n      quote: \"\\t\"", "same character"),
    ("path: events.jsonl", "path: a.csv\n      delimiter: '\"'", "same character"),
    ("      query: SELECT 1 AS id\n", "", "needs 'query'"),
    (
      "table: trees/$id\n    id: id", "table: trees\n    id: id\n    expect: { newest_at_most: 1h }",
      "neither"
    ),
    ("    value:\n", "    expect: { range: { at: [0, 1] } }\n    value:\n", "number attribute"),
    ("    value:\n", "    expect: { unique: [from] }\n    value:\n", "unknown attribute 'from' of 'likes'"),
    ("    value:\n", "    expect: { missing_at_most: { at: 0 } }\n    value:\n", "unknown key"),
    ("type: date", "type: date\n        separator: x", "only for tags"),
    ("separator: \",\"", "separator: \"\"", "must be text"),
    ("overlap: hobbies", "overlap: field", "tags attribute"),
    ("age: born", "age: age", "date attribute"), ("type: date", "type: day", "unknown value"),
    ("- same: field", "- same: hobbies", "category attribute"),
    ("required: true", "required: true\n        optional: true", "required and optional"),
    ("      entity: trees", "      entity: people", "have a 'position' too"),
    ("      - owner\n", "      - host\n", "unknown attribute 'host' of 'events'"),
    ("    created: made\n", "", "has no 'created'"),
    ("- position\n    round", "- owner\n    round", "unknown attribute"),
    ("  moorings:", "  people:", "the name of an entity"),
    ("  likes:\n", "  moorings:\n", "the name of a kind of check-in"),
    ("newest_at_most: 1d", "unique: [harbour]", "unknown key"),
    ("  friends:", "  manifest:", "is reserved"),
    ("  friends:", "  funnel:", "is reserved"), ("  friends:", "  _SUCCESS:", "is reserved"),
  ])
  func `settings that do not fit together are rejected`(old: String, new: String, reason: String) throws {
    let error = try #require(mistake(changed(old, new)), "\(new) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:"))
  }

  @Test func `an entity has one kind of check-ins, whose attributes have separate names`() throws {
    func yaml(_ attribute: String, _ other: String = "") -> String {
      let visits =
        "{ source: { path: c.csv }, id: id, user: who, at: at, position: { latitude: a, longitude: b }"
      return """
        pipeline: p
        entities: { u: { source: { path: u.csv }, id: id, attributes: { name: { type: text } } } }
        check_ins:
          visits: \(visits), attributes: { \(attribute): { type: text } } }
          \(other.isEmpty ? "" : "\(other): \(visits) }")
        """
    }
    let entity = try #require(try pipeline(yaml("place")).entities.first)
    #expect(entity.attributes.map(\.name) == ["name", "place"])
    #expect(entity.ownAttributes.map(\.name) == ["name"])
    #expect(entity.hasPosition && entity.position == nil)
    #expect(mistake(yaml("name"))?.reason == "'u' already has an attribute 'name'")
    let published = "\npublish: { store: \"sqlite:s\", positions: [u] }\n"
    #expect(mistake(yaml("place") + published)?.reason.contains("come from check-ins") == true)
    #expect(mistake(yaml("place", "stays"))?.reason.contains("already comes from 'stays'") == true)
  }

  @Test func `owners are read before their entities, and cycles are rejected`() throws {
    func yaml(_ owners: [String: String]) -> String {
      "pipeline: p\nentities:\n"
        + ["a", "b", "c"].map { name in
          "  \(name): { source: { path: x.csv }, id: id"
            + (owners[name].map { ", owner: { from: o, entity: \($0) }" } ?? "") + " }\n"
        }.joined()
    }
    #expect(try pipeline(yaml(["a": "c", "c": "b"])).entitiesByOwner.map(\.name) == ["b", "c", "a"])
    #expect(try pipeline(yaml([:])).entitiesByOwner.map(\.name) == ["a", "b", "c"])
    #expect(mistake(yaml(["a": "a"]))?.reason.contains("unknown entity 'a'") == true)
    let alone = "pipeline: p\nentities: { a: { source: { path: x.csv }, id: id, owner: o } }\n"
    #expect(mistake(alone)?.reason.contains("the only entity") == true)
    for owners in [["a": "b", "b": "a"], ["a": "b", "b": "c", "c": "a"]] {
      #expect(mistake(yaml(owners))?.reason.contains("directly or indirectly") == true)
    }
  }

  @Test func `an entity and a kind of interaction cannot share a name`() throws {
    let yaml = everyKey.replacing("  likes:", with: "  people:").replacing(": likes", with: ": people")
    #expect(try #require(mistake(yaml)).reason.contains("people"))
  }

  @Test func `interactions between two entities are neither mutual nor vetoes`() throws {
    let across = everyKey.replacing(
      "candidate:\n      from: b\n      entity: people",
      with: "candidate:\n      from: b\n      entity: events")
    let error = try #require(mistake(across))
    #expect(error.reason.contains("'events'"), "\(error)")
    let yaml = """
      pipeline: p
      entities:
        people: { source: { path: p.csv }, id: id }
        events: { source: { path: e.csv }, id: id, attributes: { kind: { type: category } } }
      interactions:
        visits:
          source: { path: v.csv }
          user: { from: a, entity: people }
          candidate: { from: b, entity: events }
          at: t
          value: v
      model: { learns_from: visits, features: [category: kind] }
      rankings:
        next: { users: people, candidates: events, exclude: [interacted] }
      """
    #expect(mistake(yaml) == nil)
    #expect(
      mistake(yaml.replacing("[interacted]", with: "[vetoed]"))?.reason.contains("interactions") == true)
    let reversed = yaml.replacing(
      "users: people, candidates: events", with: "users: events, candidates: people")
    #expect(
      mistake(reversed)?.reason.contains("of 'events' with 'people'") == true,
      "\(String(describing: mistake(reversed)))")
    #expect(mistake(yaml + "\n  m: { mutual: visits }")?.reason.contains("mutual") == true)
    #expect(
      mistake(yaml.replacing("[category: kind]", with: "[position]"))?.reason.contains("position") == true)
    let near = yaml.replacing("[interacted] }", with: "[], within_km: 50 }")
    #expect(mistake(near)?.reason.contains("needs positions") == true, "\(String(describing: mistake(near)))")
  }

  @Test(arguments: 4...7, [0, 1])
  func `a radius is at least five diagonals of the cells`(precision: Int, finer: Int) throws {
    let least = 5 * Geohash.largestDiagonalInKilometers(atPrecision: precision + finer)
    func error(_ radius: Double) -> PipelineFileError? {
      mistake(
        changed("snap_positions_to: 7", "snap_positions_to: \(precision)")
          .replacing("within_km: 100", with: "within_km: \(radius)"))
    }
    if finer == 0 {
      #expect(error(least) == nil)
      let reason = try #require(error(least.nextDown)).reason
      // The message rounds up, so the radius that it names is accepted.
      let named = (least * 10).rounded(.up) / 10
      #expect(
        reason.contains("at least \(named) km, which is five diagonals of a cell of precision \(precision)"))
      #expect(error(named) == nil)
    } else {
      // The advice names the coarsest cells that the radius allows.
      for (radius, allowed) in [(least, precision + 1), (least.nextDown, precision + 2)] {
        #expect(try #require(error(radius)).advice.contains("snap_positions_to to \(allowed)."))
      }
    }
  }

  @Test(arguments: [
    ("1: { type: flag }", "\"1\": { type: flag }"), ("a: { type: flag }", "a: { type: text }"),
    ("true: { type: flag }", "'true': { type: flag }"),
  ])
  func `a name may occur only once, with any quotes`(first: String, second: String) throws {
    let yaml = changed("      name:\n        type: text", "      \(first)\n      \(second)")
    #expect(try #require(mistake(yaml)).reason.contains("more than once"))
  }

  @Test func `a mapped value may occur only once, with any quotes`() throws {
    let yaml = changed("        yes: 1\n        no: -1", "        1: 1\n        \"1\": -1")
    #expect(try #require(mistake(yaml)).reason.contains("more than once"))
  }

  @Test func `a duplicate key is named with its line`() throws {
    let error = try #require(mistake(changed("keep_runs: 5", "seed: 5")))
    #expect(error.reason.contains("'seed'"))
    #expect(error.place.hasPrefix("p.yaml:"))
  }
}
