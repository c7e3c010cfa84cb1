import Testing

@testable import PipelineFile

/// A key of the fixture and its line.
private struct Key: CustomTestStringConvertible, Sendable {
  var line: Int
  var indentation: String
  var name: String
  /// The text after the colon. It is empty if a mapping or a list follows.
  var value: String
  var testDescription: String { "line \(line), \(name)" }

  /// Whether the author of the file chose the name. Such a name cannot be misspelled.
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

/// Returns the fixture with line `number` replaced by `text`.
private func replacingLine(_ number: Int, _ text: String) -> String {
  var lines = everyKey.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  lines[number - 1] = text
  return lines.joined(separator: "\n")
}

/// Returns the fixture with the value of `key` replaced by `value`. The new value is on the key's
/// own line.
private func replacingValue(_ key: Key, _ value: String) -> String {
  var lines = everyKey.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  let next = key.line
  while next < lines.count, lines[next].prefix(while: { $0 == " " }).count > key.indentation.count {
    lines.remove(at: next)
  }
  lines[key.line - 1] = "\(key.indentation)\(key.name): \(value)"
  return lines.joined(separator: "\n")
}

@Suite struct MisspelledKeyTests {
  @Test(arguments: Key.all.filter { !$0.isChosen })
  private func `an error for a misspelled key has its line and the nearest key`(key: Key) throws {
    let misspelt = key.name.dropLast() + "q"
    let line = "\(key.indentation)\(misspelt):\(key.value.isEmpty ? "" : " " + key.value)"
    let error = try #require(mistake(replacingLine(key.line, line)))
    #expect(error.place == "p.yaml:\(key.line):\(key.indentation.count + 1)")
    #expect(error.reason.contains("'\(misspelt)'"))
    // Two letters, such as `at` and `id`, are too few to suggest a similar key.
    if key.name.count > 2 { #expect(error.advice.contains("'\(key.name)'"), "\(error)") }
    #expect(error.advice.contains(key.name), "the error must list the valid keys")
  }

  @Test(arguments: ["field", "people", "likes", "gone"])
  func `a misspelled name is reported where it is used`(name: String) throws {
    let lines = everyKey.split(separator: "\n").map(String.init)
    let use = try #require(lines.lastIndex { $0.hasSuffix(" \(name)") })
    let error = try #require(mistake(replacingLine(use + 1, lines[use] + "x")))
    #expect(error.place.hasPrefix("p.yaml:\(use + 1):"))
    #expect(error.advice.contains("'\(name)'"), "\(error)")
  }
}

@Suite struct WrongTypeTests {
  /// Whether the error is about the key. The error may be on another line if it contains the key, a
  /// name that the key defines, or a conflict with neighboring keys.
  private func isAbout(_ key: Key, _ error: PipelineFileError) -> Bool {
    error.place.hasPrefix("p.yaml:\(key.line):")
      || ["'", "."].contains {
        error.reason.contains($0 + key.name + "'") || error.reason.contains($0 + key.name + ".")
      }
      || error.reason.hasPrefix("unknown ")
      || error.reason.contains("' is only for ")
      || error.reason.contains(/expects at least \d+ and at most \d+ rows/)
  }

  @Test(arguments: Key.all)
  private func `a value of another type is accepted, or the error is about its key`(key: Key) {
    var refused = 0
    for value in [
      "[a, b]", "{ a: b }", "[]", "{}", "", "~", "text", "-1", "0", "1e400", "nan", "true", "\"\"", "'5'",
      "[[[1]]]",
      "{ [a]: b }", "99999999999999999999", "0.5", "!!int x", "|\n\(key.indentation)      text",
    ] {
      guard let error = mistake(replacingValue(key, value)) else { continue }
      refused += 1
      #expect(isAbout(key, error), "\(key.name): \(value) gave \(error)")
      #expect(!error.reason.contains("not YAML"), "\(key.name): \(value) gave \(error)")
    }
    #expect(refused >= 3)
    // No key accepts three nested lists, or a mapping whose key is a list.
    for value in ["[[[1]]]", "{ [a]: b }"] {
      #expect(mistake(replacingValue(key, value)).map { isAbout(key, $0) } == true, "\(key.name): \(value)")
    }
  }

  @Test(arguments: [
    ("pipeline", "[a]", "must be text, not a list"),
    ("pipeline", "a/b", "is 'a/b', which is not a name"),
    ("pipeline", "\"\"", "must be text, not ''"),
    ("pipeline", "../x", "is '../x', which is not a name"),
    ("seed", "-1", "is -1, but must be from 0 to 9223372036854775807"),
    ("seed", "1.5", "must be a whole number, not '1.5'"),
    ("seed", "[1]", "must be a whole number, not a list"),
    ("keep_runs", "0", "is 0, but must be from 1 to 10000"),
    ("keep_runs", "10001", "is 10001, but must be from 1 to 10000"),
    ("snap_positions_to", "0", "is 0, but must be from 1 to 12"),
    ("snap_positions_to", "13", "is 13, but must be from 1 to 12"),
    ("snap_positions_to", "6.5", "must be a whole number, not '6.5'"),
    ("path", "{}", "must be text, not a mapping"),
    ("format", "xml", "unknown value 'xml'"),
    ("format", "CSV", "unknown value 'CSV'"),
    ("unit", "minutes", "unknown value 'minutes'"),
    ("latitude", "[lat]", "must be text, not a list"),
    ("type", "integer", "unknown value 'integer'"),
    ("optional", "yes", "must be true or false, not 'yes'"),
    ("optional", "'true'", "must be true or false, not 'true'"),
    ("entity", "nobody", "unknown entity 'nobody'"),
    ("learns_from", "people", "unknown kind of interaction 'people'"),
    ("features", "[]", "names no feature"),
    ("features", "position", "must be a list such as [a, b], not 'position'"),
    ("compat", "sklearn", "unknown value 'sklearn'"),
    ("within_km", "0", "is 0.0, but must be above 0.0 and at most 20038.0"),
    ("within_km", "-5", "is -5.0, but must be above 0.0 and at most 20038.0"),
    ("within_km", "20039", "is 20039.0, but must be above 0.0 and at most 20038.0"),
    ("within_km", "far", "must be a number, not 'far'"),
    ("order_by", "[scores]", "unknown order key 'scores'"),
    ("top", "0", "is 0, but must be from 1 to 1000"),
    ("top", "1001", "is 1001, but must be from 1 to 1000"),
    ("top", "3.5", "must be a whole number, not '3.5'"),
    ("minimum_score", "high", "must be a number, not 'high'"),
    ("mutual", "[likes]", "must be text, not a list"),
    ("cut", "0", "is 0.0, but must be above 0 and below 1, or a date such as 2026-11-01"),
    ("cut", "1.5", "is 1.5, but must be above 0 and below 1, or a date such as 2026-11-01"),
    ("keep", "0", "is 0, but must be from 1 to 1000"),
    ("store", "[]", "names no store"),
    ("map", "{}", "is empty"),
    (
      "map", "{ right: up }",
      "must be a number, 'ignore', 'taken_back', or the field that holds the number: { from: FIELD }"
    ),
    (
      "map", "{ right: .inf }",
      "must be a number, 'ignore', 'taken_back', or the field that holds the number: { from: FIELD }"
    ),
    ("exclude", "self", "must be a list such as [a, b], not 'self'"),
    ("delimiter", "\"\"", "must be one ASCII character other than a line break"),
    ("delimiter", ";;", "must be one ASCII character other than a line break"),
    ("delimiter", "é", "must be one ASCII character other than a line break"),
    ("delimiter", "\"\\n\"", "must be one ASCII character other than a line break"),
    ("delimiter", "\"'\"", "and 'quote' are the same character"),
    ("quote", "\"\\0\"", "must be one ASCII character other than a line break"),
    ("quote", "\"\\r\"", "must be one ASCII character other than a line break"),
    ("quote", ";", "and 'quote' are the same character"),
    ("missing", "NA", "must be a list such as [a, b], not 'NA'"),
    ("missing", "[[NA]]", "must be text"),
    ("max_expanded", "0", "is '0', which is zero"),
    ("max_expanded", "-5", "is '-5', but must be a number of bytes such as 64 GiB or 500 MB"),
    ("max_expanded", "2.5 GiB", "unknown unit '.5 GiB'"),
    ("max_expanded", "2 gib", "unknown unit 'gib'"),
    ("max_expanded", "8388608 TiB", "is '8388608 TiB', which is too large"),
    ("max_expanded", "99999999999999999999", "is '99999999999999999999', which is too large"),
    ("max_expanded", "GiB", "is 'GiB', but must be a number of bytes such as 64 GiB or 500 MB"),
    ("max_ratio", "0", "is 0, but must be from 1 to 1000000"),
    ("max_ratio", "1.5", "must be a whole number, not '1.5'"),
    ("table", "[a]", "must be text, not a list"),
    ("query", "[a]", "must be text, not a list"),
    ("rows", "5", "must be a mapping of keys to values, not '5'"),
    ("rows", "{ at_least: 3, at_most: 2 }", "expects at least 3 and at most 2 rows"),
    ("at_least", "-1", "is -1, but must be from 0 to 9223372036854775807"),
    ("at_most", "1.5", "must be a whole number, not '1.5'"),
    ("drop_at_most", "101 %", "must be a share from 0 to 1, such as 0.01 or 1 %, not '101 %'"),
    ("grow_at_most", "-1 %", "must be a share from 0 to 1000000, such as 0.01 or 1 %, not '-1 %'"),
    ("newest_at_most", "36", "is '36', but must be a time span such as 36h or 7d"),
    ("newest_at_most", "h", "is 'h', but must be a time span such as 36h or 7d"),
    ("newest_at_most", "0h", "is '0h', which is zero"),
    ("newest_at_most", "-1h", "is '-1h', but must be a time span such as 36h or 7d"),
    ("newest_at_most", "36 fortnights", "unknown unit 'fortnights'"),
    ("newest_at_most", "9999999999999 w", "is '9999999999999 w', which is too large"),
    // The span has a multiple of 2⁶⁴ milliseconds, so an unchecked product would be 0.
    ("newest_at_most", "2305843009213693952s", "is '2305843009213693952s', which is too large"),
    ("unique", "name", "must be a list such as [a, b], not 'name'"),
    ("unique", "[[]]", "names no attribute"),
    ("unique", "[[name, name]]", "occurs twice"),
    ("unique", "[name, [name]]", "repeats an earlier entry"),
    ("unique", "[nam]", "unknown attribute 'nam' of 'people'"),
    ("unique", "[id]", "unknown attribute 'id' of 'people'"),
    ("range", "{ age: [0] }", "must be [lowest, highest], not a list of length 1"),
    ("range", "{ age: [1, 0] }", "is [1.0, 0.0], but must start with the lower bound"),
    ("range", "{ age: [0, .inf] }", "must be a number, not '.inf'"),
    ("range", "{ age: 5 }", "must be a list such as [a, b], not '5'"),
    ("range", "{ field: [0, 1] }", "unknown number attribute 'field' of 'people'"),
    ("range", "{ position: [0, 1] }", "unknown number attribute 'position' of 'people'"),
    ("missing_at_most", "{ nam: 0 }", "unknown attribute 'nam' of 'people'"),
    ("missing_at_most", "{ id: 0 }", "unknown attribute 'id' of 'people'"),
    ("missing_at_most", "{ name: 2 }", "must be a share from 0 to 1, such as 0.01 or 1 %, not '2'"),
    ("path", "[]", "names no file"),
    ("path", "[a, \"-\"]", "standard input ('-') must be the only path of its source"),
    ("path", "[\"-\", a]", "standard input ('-') must be the only path of its source"),
    ("path", "[a, [b]]", "must be text, not a list"),
    ("path", "\"a\\0b\"", "contains a zero byte, which paths cannot contain"),
    ("expires_after", "24", "is '24', but must be a time span such as 36h or 7d"),
    ("expires_after", "0h", "is '0h', which is zero"),
    ("expires_after", "[1h]", "must be text, not a list"),
    ("round_distance", "down", "unknown value 'down'"),
    ("show", "position", "must be a list such as [a, b], not 'position'"),
    ("show", "[mast]", "unknown attribute 'mast' of 'trees'"),
    ("show", "[harbour, harbour]", "occurs twice"),
    ("required", "yes", "must be true or false, not 'yes'"),
    ("where", "{}", "names no field"),
    ("where", "kind", "must be a mapping of keys to values, not 'kind'"),
    ("where", "{ kind: [] }", "names no value, so no row would match"),
    ("where", "{ kind: [a, a] }", "occurs twice"),
    ("where", "{ kind: { a: b } }", "must be text, not a mapping"),
    ("names", "{}", "contains no name"),
    ("names", "[]", "contains no name"),
    ("names", "Art", "must be a mapping of keys to values, not 'Art'"),
    (
      "names", "{ Art: [Kunst], Law: [KUNST] }",
      "'KUNST' belongs to both 'Law' and 'Art'; case makes no difference"
    ),
    (
      "names", "{ Art: [law], Law: ~ }", "belongs to both 'Art' and 'Law'; case makes no difference"
    ),
    ("names", "[Art, ART]", "belongs to both 'ART' and 'Art'; case makes no difference"),
    (
      "names", "{ Straße: ~, STRASSE: ~ }",
      "belongs to both 'STRASSE' and 'Straße'; case makes no difference"
    ),
    ("minimum_age", "-1", "is -1, but must be from 0 to 150"),
    ("minimum_age", "17.5", "must be a whole number, not '17.5'"),
    ("status", "{ from: s }", "needs 'map'"),
    ("status", "{ from: s, map: { x: maybe } }", "unknown value 'maybe'"),
    ("pending", "people", "unknown kind of requests or interactions 'people'"),
    ("catalog", "houses", "unknown entity 'houses'"),
    ("by", "[]", "names no category"),
    ("by", "[age]", "unknown category or tags attribute 'age' of 'people'"),
    ("by", "[field, field]", "occurs twice"),
    ("owner", "[people]", "must be text, not a list"),
    ("owner", "{ from: host, entity: events }", "unknown entity 'events'"),
    ("attributes", "[name]", "must be a mapping of keys to values, not a list"),
    ("entities", "{}", "names no entity"),
    ("entities", "{ \"a b\": {} }", "is not a name"),
  ])
  func `a value out of range is rejected on its line with the rule`(
    name: String, value: String, rule: String
  ) throws {
    let key = try #require(Key.all.first { $0.name == name })
    let error = try #require(mistake(replacingValue(key, value)), "\(name): \(value) was accepted")
    #expect(error.reason.contains(rule), "\(error)")
    // If the file has no entities, the error is at the start of the file. If two values are equal,
    // the error is at the second one.
    let line = value == "\"'\"" ? key.line + 1 : name == "entities" && value == "{}" ? 1 : key.line
    #expect(error.place.hasPrefix("p.yaml:\(line):"), "\(error)")
  }

  @Test(arguments: [
    ("seed", ["0", "9223372036854775807"], ["-1", "9223372036854775808"]),
    ("keep_runs", ["1", "10000"], ["0", "10001"]),
    ("report.mode", ["640", "0o644", "0660", "0664"], ["0666", "0750", "0440", "1640", "64", "0689"]),
    ("privacy.snap_positions_to", ["6", "12"], ["0", "13"]),
    ("reject_limit", ["0", "1", "0 %", "100 %"], ["1.001", "100.1 %", "-0.001"]),
    ("rankings.friends.within_km", ["20038", "5"], ["20038.1", "0", "-0.1"]),
    ("rankings.friends.top", ["1", "1000"], ["0", "1001"]),
    ("rankings.board.top", ["1", "1000000"], ["0", "1000001"]),
    ("publish.keep", ["1", "1000"], ["0", "1001"]),
    ("requests.asks.minimum_age", ["0", "150"], ["-1", "151"]),
    ("entities.people.source.max_ratio", ["1", "1000000"], ["0", "1000001"]),
    ("entities.people.source.max_expanded", ["1", "8388607 TiB"], ["0", "8388608 TiB"]),
    ("entities.people.expect.rows.at_least", ["0", "20"], ["-1", "0.5"]),
    ("entities.people.expect.rows.drop_at_most", ["0", "1", "100 %"], ["1.01", "101 %", "-1 %"]),
    ("entities.people.expect.rows.grow_at_most", ["0", "1000000"], ["1000001", "-0.1"]),
    ("entities.people.expect.missing_at_most.name", ["0", "1"], ["-0.1", "1.1"]),
    ("entities.people.expect.range.age", ["[1, 1]"], ["[1, 0.9]"]),
    ("evaluation.at", ["[1, 1000]"], ["[0]", "[1001]"]),
    ("evaluation.samples", ["100", "10000"], ["99", "10001"]),
    ("evaluation.cut", ["0.001", "0.999"], ["0", "1", "-0.5"]),
    (
      "evaluation", ["{ leave_last: 1 }", "{ leave_last: 1000 }"],
      ["{ leave_last: 0 }", "{ leave_last: 1001 }"]
    ),
    ("model.features.4.number.bins", ["2", "100"], ["1", "101"]),
    ("model.features.4.number.bins", ["[1]", "[1, 2]"], ["[]", "[1, 1]", "[2, 1]"]),
    ("model.features.5.geohash.precision", ["1", "7"], ["0", "8"]),
    (
      "model.features.6.text.dimensions", ["2", "64"],
      ["1", "65"]
    ),
    ("model.features.9.received_like_rate.smoothing", ["0.001", "1000000"], ["0", "1000001"]),
    ("pipeline", [String(repeating: "a", count: 64)], [String(repeating: "a", count: 65), "''"]),
  ])
  func `the ends of a range are accepted, and values beyond are not`(
    key: String, accepted: [String], refused: [String]
  ) throws {
    for value in accepted { #expect(mistake(everyKey, ["\(key)=\(value)"]) == nil, "\(value)") }
    for value in refused {
      let error = try #require(mistake(everyKey, ["\(key)=\(value)"]), "\(value) was accepted")
      #expect(error.place.hasPrefix("--set \(key)"), "\(error)")
    }
  }

  @Test(arguments: [
    "{ directory: people, by: [field] }", "{ by: [field], catalog: people, directory: people }",
  ])
  func `the key directory is rejected with its new name`(list: String) throws {
    let text = everyKey.replacing("rankings:\n", with: "rankings:\n  old: \(list)\n")
    let error = try #require(mistake(text))
    #expect(error.reason == "the key 'directory' in 'rankings.old' has been renamed to 'catalog'")
    #expect(error.advice == "Write 'catalog' instead.")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("old:") }) + 1
    #expect(error.place.hasPrefix("p.yaml:\(line):"))
  }

  @Test(arguments: [
    "pipeline", "entities", "source", "path", "id", "latitude", "longitude", "type", "user", "candidate",
    "at", "value",
    "learns_from", "features", "users", "candidates", "store",
  ])
  func `a missing required key is named`(name: String) throws {
    let key = try #require(Key.all.first { $0.name == name })
    var lines = replacingValue(key, "x").split(separator: "\n", omittingEmptySubsequences: false)
    lines.remove(at: key.line - 1)
    let error = try #require(mistake(lines.joined(separator: "\n")))
    #expect(error.reason.contains("needs '\(name)'"), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:"))
  }
}
