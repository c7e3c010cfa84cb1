import Testing

@testable import PipelineFile

/// A key of the fixture with the line that it stands on.
private struct Key: CustomTestStringConvertible, Sendable {
  var line: Int
  var indentation: String
  var name: String
  /// What follows the colon; empty where a mapping or list follows.
  var value: String
  var testDescription: String { "line \(line), \(name)" }

  /// Whether the author chose the name, so that it cannot be misspelt.
  var isChosen: Bool {
    [
      "people", "events", "trees", "answers", "likes", "friends", "mutuals", "field", "age", "gone", "name",
      "yes", "no", "hobbies", "born", "moorings", "harbour", "ships", "parties", "kind", "asks",
      "friendships", "waiting", "board",
    ].contains(
      name)
      && !["category", "number"].contains(name)
  }

  static let all: [Key] = everyKey.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    .compactMap {
      index, line in
      guard let match = line.wholeMatch(of: #/( *(?:- )?)([a-z_]+):(?: (.*))?/#) else { return nil }
      return Key(
        line: index + 1, indentation: String(match.1), name: String(match.2),
        value: match.3.map(String.init) ?? "")
    }
}

/// The fixture with its line `number` replaced by `text`.
private func replacingLine(_ number: Int, _ text: String) -> String {
  var lines = everyKey.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  lines[number - 1] = text
  return lines.joined(separator: "\n")
}

/// The fixture with what stands under the key at line `number` replaced by `value`, on the key's own line.
private func replacingValue(_ key: Key, _ value: String) -> String {
  var lines = everyKey.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  let next = key.line
  while next < lines.count, lines[next].prefix(while: { $0 == " " }).count > key.indentation.count {
    lines.remove(at: next)
  }
  lines[key.line - 1] = "\(key.indentation)\(key.name): \(value)"
  return lines.joined(separator: "\n")
}

@Suite struct MisspeltKeyTests {
  @Test(arguments: Key.all.filter { !$0.isChosen })
  private func `a misspelt key names its line and the nearest key`(key: Key) throws {
    let misspelt = key.name.dropLast() + "q"
    let line = "\(key.indentation)\(misspelt):\(key.value.isEmpty ? "" : " " + key.value)"
    let error = try #require(mistake(replacingLine(key.line, line)))
    #expect(error.place == "p.yaml:\(key.line):\(key.indentation.count + 1)")
    #expect(error.reason.contains("'\(misspelt)'"))
    // Two letters are too few for a nearest one: `at`, `id`.
    if key.name.count > 2 { #expect(error.advice.contains("'\(key.name)'"), "\(error)") }
    #expect(error.advice.contains(key.name), "the valid keys are listed")
  }

  @Test(arguments: ["field", "people", "likes", "gone"])
  func `a misspelt name is met where it is used`(name: String) throws {
    let lines = everyKey.split(separator: "\n").map(String.init)
    let use = try #require(lines.lastIndex { $0.hasSuffix(" \(name)") })
    let error = try #require(mistake(replacingLine(use + 1, lines[use] + "x")))
    #expect(error.place.hasPrefix("p.yaml:\(use + 1):"))
    #expect(error.advice.contains("'\(name)'"), "\(error)")
  }
}

@Suite struct WrongTypeTests {
  @Test(arguments: Key.all)
  private func `a value of any other kind gives a value or a mistake on its line`(key: Key) {
    for value in [
      "[a, b]", "{ a: b }", "[]", "{}", "", "~", "text", "-1", "0", "1e400", "nan", "true", "\"\"", "'5'",
      "[[[1]]]",
      "{ [a]: b }", "99999999999999999999", "0.5", "!!int x", "|\n      text",
    ] {
      let yaml = replacingValue(key, value)
      if let error = mistake(yaml) {
        #expect(
          error.place.hasPrefix("p.yaml:") || error.place == "p.yaml", "\(key.name): \(value) gave \(error)")
        #expect(!error.reason.isEmpty)
      }
    }
  }

  @Test(arguments: [
    ("pipeline", "[a]"), ("pipeline", "a/b"), ("pipeline", "\"\""), ("pipeline", "../x"), ("seed", "-1"),
    ("seed", "1.5"),
    ("seed", "[1]"), ("keep_runs", "0"), ("keep_runs", "10001"), ("snap_positions_to", "0"),
    ("snap_positions_to", "13"),
    ("snap_positions_to", "6.5"), ("path", "{}"), ("format", "xml"), ("format", "CSV"), ("unit", "minutes"),
    ("latitude", "[lat]"), ("type", "integer"), ("optional", "yes"), ("optional", "'true'"),
    ("entity", "nobody"),
    ("learns_from", "people"), ("features", "[]"), ("features", "position"), ("compat", "sklearn"),
    ("within_km", "0"),
    ("within_km", "-5"), ("within_km", "20039"), ("within_km", "far"), ("order_by", "[scores]"), ("top", "0"),
    ("top", "1001"), ("top", "3.5"), ("minimum_score", "high"), ("mutual", "[likes]"), ("cut", "0"),
    ("cut", "1.5"),
    ("keep", "0"), ("store", "[]"), ("map", "{}"), ("map", "{ right: up }"), ("map", "{ right: .inf }"),
    ("exclude", "self"),
    ("delimiter", "\"\""), ("delimiter", ";;"), ("delimiter", "é"), ("delimiter", "\"\\n\""),
    ("delimiter", "\"'\""), ("quote", "\"\\0\""), ("quote", "\"\\r\""), ("quote", ";"), ("missing", "NA"),
    ("missing", "[[NA]]"), ("max_expanded", "0"), ("max_expanded", "-5"), ("max_expanded", "2.5 GiB"),
    ("max_expanded", "2 gib"), ("max_expanded", "8388608 TiB"), ("max_expanded", "99999999999999999999"),
    ("max_expanded", "GiB"), ("max_ratio", "0"), ("max_ratio", "1.5"), ("table", "[a]"), ("query", "[a]"),
    ("rows", "5"), ("rows", "{ at_least: 3, at_most: 2 }"), ("at_least", "-1"), ("at_most", "1.5"),
    ("drop_at_most", "101 %"), ("grow_at_most", "-1 %"), ("newest_at_most", "36"), ("newest_at_most", "h"),
    ("newest_at_most", "0h"), ("newest_at_most", "-1h"), ("newest_at_most", "36 fortnights"),
    ("newest_at_most", "9999999999999 w"), ("unique", "name"), ("unique", "[[]]"),
    ("unique", "[[name, name]]"),
    ("unique", "[name, [name]]"), ("unique", "[nam]"), ("unique", "[id]"), ("range", "{ age: [0] }"),
    ("range", "{ age: [1, 0] }"), ("range", "{ age: [0, .inf] }"), ("range", "{ age: 5 }"),
    ("range", "{ field: [0, 1] }"), ("range", "{ position: [0, 1] }"), ("missing_at_most", "{ nam: 0 }"),
    ("missing_at_most", "{ id: 0 }"), ("missing_at_most", "{ name: 2 }"), ("path", "[]"),
    ("path", "[a, \"-\"]"),
    ("path", "[\"-\", a]"), ("path", "[a, [b]]"), ("path", "\"a\\0b\""),
    ("expires_after", "24"), ("expires_after", "0h"), ("expires_after", "[1h]"), ("round_distance", "down"),
    ("show", "position"), ("show", "[mast]"), ("show", "[harbour, harbour]"), ("required", "yes"),
    ("where", "{}"), ("where", "kind"), ("where", "{ kind: [] }"), ("where", "{ kind: [a, a] }"),
    ("where", "{ kind: { a: b } }"), ("names", "{}"), ("names", "[]"), ("names", "Art"),
    ("names", "{ Art: [Kunst], Law: [KUNST] }"), ("names", "{ Art: [law], Law: ~ }"), ("names", "[Art, ART]"),
    ("names", "{ Straße: ~, STRASSE: ~ }"), ("minimum_age", "-1"), ("minimum_age", "17.5"),
    ("status", "{ from: s }"), ("status", "{ from: s, map: { x: maybe } }"), ("pending", "people"),
    ("catalog", "houses"), ("by", "[]"), ("by", "[age]"), ("by", "[field, field]"),
    ("owner", "[people]"), ("owner", "{ from: host, entity: events }"),
    ("attributes", "[name]"), ("entities", "{}"), ("entities", "{ \"a b\": {} }"),
  ])
  func `a value out of its range is refused on its line`(name: String, value: String) throws {
    let key = try #require(Key.all.first { $0.name == name })
    let error = try #require(mistake(replacingValue(key, value)), "\(name): \(value) was accepted")
    let line = error.place.split(separator: ":").dropFirst().first.flatMap { Int($0) }
    #expect(line.map { abs($0 - key.line) <= 1 } == true || name == "entities", "\(error)")
  }

  @Test(arguments: [
    "{ directory: people, by: [field] }", "{ by: [field], catalog: people, directory: people }",
  ])
  func `the key directory is refused with the word for it now`(list: String) throws {
    let text = everyKey.replacing("rankings:\n", with: "rankings:\n  old: \(list)\n")
    let error = try #require(mistake(text))
    #expect(error.reason == "the key 'directory' in 'rankings.old' is called 'catalog' now")
    #expect(error.advice == "Write 'catalog' in its place.")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("old:") }) + 1
    #expect(error.place.hasPrefix("p.yaml:\(line):"))
  }

  @Test(arguments: [
    "pipeline", "entities", "source", "path", "id", "latitude", "longitude", "type", "user", "candidate",
    "at", "value",
    "learns_from", "features", "users", "candidates", "store",
  ])
  func `a required key that is missing is named`(name: String) throws {
    let key = try #require(Key.all.first { $0.name == name })
    var lines = replacingValue(key, "x").split(separator: "\n", omittingEmptySubsequences: false)
    lines.remove(at: key.line - 1)
    let error = try #require(mistake(lines.joined(separator: "\n")))
    #expect(error.reason.contains("no '\(name)'"), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:"))
  }
}

@Suite struct ReferenceTests {
  @Test(arguments: [
    ("category: field", "category: age", "category attribute"),
    ("number: age", "number: field", "number attribute"),
    ("- distance", "- position", "twice"), ("- distance", "- speed", "unknown feature"),
    ("- gone", "- field", "unknown exclusion"), ("- gone", "- Self", "unknown exclusion"),
    ("    users: people", "    users: events", "no"),
    ("    candidates: people", "    candidates: events", "no"),
    ("mutual: likes", "mutual: like", "unknown kind of interaction"),
    ("- field\n", "- fiel\n", "unknown category"),
    ("candidate:\n      from: b\n      entity: people", "candidate: b", "must say which"),
    ("path: events.jsonl", "path: events.txt", "format"), ("path: events.jsonl", "path: events", "format"),
    ("path: events.jsonl", "path: events.firestore", "format"),
    ("path: events.jsonl", "path: [a.jsonl, b.csv]", "'b.csv' is csv"),
    ("path: events.jsonl", "path: events/", "format"), ("path: events.jsonl", "path: \"events/*\"", "format"),
    ("path: events.jsonl", "path: .csv/x", "format"), ("path: events.jsonl", "path: csv", "format"),
    ("path: events.jsonl", "path: events.gz", "format"),
    ("path: events.jsonl", "path: \"-\"", "standard input"),
    ("path: events.jsonl", "path: a.csv.bz2", "format"), ("path: events.jsonl", "format: json", "no 'path'"),
    ("path: events.jsonl", "path: \"-\"\n      format: parquet", "Parquet"),
    ("path: events.jsonl", "path: a.jsonl\n      delimiter: x", "only for csv and tsv"),
    ("path: events.jsonl", "path: a.jsonl\n      table: x", "only for realtime"),
    ("path: events.jsonl", "path: a.jsonl\n      query: x", "only for duckdb"),
    ("path: events.jsonl", "path: a.csv\n      quote: \",\"", "same character"),
    ("path: events.jsonl", "path: a.tsv\n      quote: \"\\t\"", "same character"),
    ("path: events.jsonl", "path: a.csv\n      delimiter: '\"'", "same character"),
    ("      query: SELECT 1 AS id\n", "", "no 'query'"),
    (
      "table: trees/$id\n    id: id", "table: trees\n    id: id\n    expect: { newest_at_most: 1h }",
      "neither"
    ),
    ("    value:\n", "    expect: { range: { at: [0, 1] } }\n    value:\n", "number attribute"),
    ("    value:\n", "    expect: { unique: [from] }\n    value:\n", "unknown attribute of 'likes'"),
    ("    value:\n", "    expect: { missing_at_most: { at: 0 } }\n    value:\n", "unknown key"),
    ("type: date", "type: date\n        separator: x", "only for tags"),
    ("separator: \",\"", "separator: \"\"", "must be a text"),
    ("overlap: hobbies", "overlap: field", "tags attribute"),
    ("age: born", "age: age", "date attribute"), ("type: date", "type: day", "unknown value"),
    ("- same: field", "- same: hobbies", "category attribute"),
    ("required: true", "required: true\n        optional: true", "required and optional"),
    ("      entity: trees", "      entity: people", "its own rows tell one too"),
    ("      - owner\n", "      - host\n", "unknown attribute of 'events'"),
    ("    created: made\n", "", "newest first"),
    ("- position\n    round", "- owner\n    round", "unknown attribute"),
    ("  moorings:", "  people:", "the name of an entity"),
    ("  likes:\n", "  moorings:\n", "the name of check-ins"),
    ("newest_at_most: 1d", "unique: [harbour]", "unknown key"),
    ("  friends:", "  manifest:", "name"),
    ("  friends:", "  funnel:", "name"), ("  friends:", "  _SUCCESS:", "name"),
  ])
  func `what does not fit together is refused`(old: String, new: String, reason: String) throws {
    let error = try #require(mistake(changed(old, new)), "\(new) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:"))
  }

  @Test func `an entity has check-ins of one kind, and their attributes have names of their own`() throws {
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
    #expect(mistake(yaml("name"))?.reason == "'name' is an attribute of 'u' already")
    let published = "\npublish: { store: \"sqlite:s\", positions: [u] }\n"
    #expect(mistake(yaml("place") + published)?.reason.contains("come from check-ins") == true)
    #expect(mistake(yaml("place", "stays"))?.reason.contains("comes from 'stays' already") == true)
  }

  @Test func `owners are read before what they own, and nothing owns itself`() throws {
    func yaml(_ owners: [String: String]) -> String {
      "pipeline: p\nentities:\n"
        + ["a", "b", "c"].map { name in
          "  \(name): { source: { path: x.csv }, id: id"
            + (owners[name].map { ", owner: { from: o, entity: \($0) }" } ?? "") + " }\n"
        }.joined()
    }
    #expect(try pipeline(yaml(["a": "c", "c": "b"])).entitiesByOwner.map(\.name) == ["b", "c", "a"])
    #expect(try pipeline(yaml([:])).entitiesByOwner.map(\.name) == ["a", "b", "c"])
    #expect(mistake(yaml(["a": "a"])) != nil)
    let alone = "pipeline: p\nentities: { a: { source: { path: x.csv }, id: id, owner: o } }\n"
    #expect(mistake(alone)?.reason.contains("the only entity") == true)
    for owners in [["a": "b", "b": "a"], ["a": "b", "b": "c", "c": "a"]] {
      #expect(mistake(yaml(owners))?.reason.contains("in turn") == true)
    }
  }

  @Test func `one name cannot stand for an entity and a kind of interaction`() throws {
    let yaml = everyKey.replacing("  likes:", with: "  people:").replacing(": likes", with: ": people")
    #expect(try #require(mistake(yaml)).reason.contains("people"))
  }

  @Test func `interactions between two kinds are neither mutual nor vetoes of themselves`() throws {
    let across = everyKey.replacing(
      "candidate:\n      from: b\n      entity: people",
      with: "candidate:\n      from: b\n      entity: events")
    #expect(mistake(across) != nil)
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
    #expect(
      mistake(yaml.replacing("users: people, candidates: events", with: "users: events, candidates: people"))
        != nil)
    #expect(mistake(yaml + "\n  m: { mutual: visits }")?.reason.contains("mutual") == true)
    #expect(
      mistake(yaml.replacing("[category: kind]", with: "[position]"))?.reason.contains("position") == true)
    #expect(mistake(yaml.replacing("[interacted]", with: "[]\n    within_km: 50")) != nil)
  }

  @Test(arguments: [
    (6, 6.5, false), (6, 7.5, true), (7, 1.0, false), (7, 1.2, true), (4, 100.0, false), (4, 300.0, true),
  ])
  func `a radius is at least five diagonals of the cells`(precision: Int, radius: Double, isAccepted: Bool)
    throws
  {
    let yaml = changed("snap_positions_to: 7", "snap_positions_to: \(precision)")
      .replacing("within_km: 100", with: "within_km: \(radius)")
    let error = mistake(yaml)
    #expect((error == nil) == isAccepted, "\(error?.description ?? "accepted")")
    if let error {
      #expect(error.reason.contains("diagonals"))
      #expect(error.advice.contains("snap_positions_to to \(precision + 1)"))
    }
  }

  @Test(arguments: [
    ("1: { type: flag }", "\"1\": { type: flag }"), ("a: { type: flag }", "a: { type: text }"),
    ("true: { type: flag }", "'true': { type: flag }"),
  ])
  func `a name stands once, however it is quoted`(first: String, second: String) throws {
    let yaml = changed("      name:\n        type: text", "      \(first)\n      \(second)")
    #expect(try #require(mistake(yaml)).reason.contains("twice"))
  }

  @Test func `a mapped value stands once, however it is quoted`() throws {
    let yaml = changed("        yes: 1\n        no: -1", "        1: 1\n        \"1\": -1")
    #expect(try #require(mistake(yaml)).reason.contains("twice"))
  }

  @Test func `a key that stands twice is named with its line`() throws {
    let error = try #require(mistake(changed("keep_runs: 5", "seed: 5")))
    #expect(error.reason.contains("'seed'"))
    #expect(error.place.hasPrefix("p.yaml:"))
  }
}
