import Columns
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// One broken row and its expected entry in `rejects.csv`.
private struct Broken: CustomTestStringConvertible, Sendable {
  var name: String
  var rule: IngestRule
  /// The row of `people` without its line end. It is the third line of the file.
  var row: String
  var field: String
  var value: String
  var testDescription: String { "\(rule.rawValue): \(name)" }

  init(_ rule: IngestRule, _ name: String, _ row: String, field: String, value: String) {
    (self.rule, self.name, self.row, self.field, self.value) = (rule, name, row, field, value)
  }
}

private let brokenPeople: [Broken] = [
  Broken(.wrongFieldCount, "one too few", "x,,,,,,,", field: "", value: "x,,,,,,,"),
  Broken(.wrongFieldCount, "one too many", "x,,,,,,,,,", field: "", value: "x,,,,,,,,,"),
  Broken(.badQuote, "text behind a quote", "\"x\"y,,,,,,,,", field: "", value: "\"x\"y,,,,,,,,"),
  Broken(.missingID, "empty", ",,,,,,,,", field: "id", value: ""),
  Broken(.missingID, "quoted and empty", "\"\",,,,,,,,", field: "id", value: ""),
  Broken(.badTime, "no time", "x,yesterday,,,,,,,", field: "created", value: "yesterday"),
  Broken(.badTime, "in no calendar", "x,,2025-02-29,,,,,,", field: "updated", value: "2025-02-29"),
  Broken(
    .implausibleTime, "year 10000", "x,253402300800000,,,,,,,", field: "created", value: "253402300800000"),
  Broken(.badLatitude, "beyond the pole", "x,,,90.0001,0,,,,", field: "lat", value: "90.0001"),
  Broken(.badLatitude, "beyond the other pole", "x,,,-90.0001,0,,,,", field: "lat", value: "-90.0001"),
  Broken(.badLatitude, "not a number", "x,,,nan,0,,,,", field: "lat", value: "nan"),
  Broken(.badLatitude, "infinite", "x,,,inf,0,,,,", field: "lat", value: "inf"),
  Broken(.badLatitude, "absent beside a longitude", "x,,,,5,,,,", field: "lat", value: ""),
  Broken(.badLongitude, "beyond the antimeridian", "x,,,0,-180.5,,,,", field: "lon", value: "-180.5"),
  Broken(.badLongitude, "beyond it in the east", "x,,,0,180.0001,,,,", field: "lon", value: "180.0001"),
  Broken(.badLongitude, "a text", "x,,,0,west,,,,", field: "lon", value: "west"),
  Broken(.badLongitude, "absent beside a latitude", "x,,,5,,,,,", field: "lon", value: ""),
  Broken(.badNumber, "a text", "x,,,,,,old,,", field: "age", value: "old"),
  Broken(.badNumber, "a decimal comma", "x,,,,,,\"3,5\",,", field: "age", value: "3,5"),
  Broken(.badNumber, "beyond 1e100", "x,,,,,,1e101,,", field: "age", value: "1e101"),
  Broken(.badNumber, "beyond -1e100", "x,,,,,,-1e101,,", field: "age", value: "-1e101"),
  Broken(.badNumber, "not a number", "x,,,,,,NaN,,", field: "age", value: "NaN"),
  Broken(.badFlag, "a word", "x,,,,,,,maybe,", field: "gone", value: "maybe"),
  Broken(.badFlag, "two", "x,,,,,,,2,", field: "gone", value: "2"),
]

private let brokenLikes: [Broken] = [
  Broken(.missingID, "no user", ",b,1,yes", field: "a", value: ""),
  Broken(.missingID, "no candidate", "a,,1,yes", field: "b", value: ""),
  Broken(.unknownUser, "nobody", "z,b,1,yes", field: "a", value: "z"),
  Broken(.unknownUser, "a space behind", "a ,b,1,yes", field: "a", value: "a "),
  Broken(.unknownUser, "another case", "A,b,1,yes", field: "a", value: "A"),
  Broken(.unknownCandidate, "nobody", "a,z,1,yes", field: "b", value: "z"),
  Broken(.selfInteraction, "oneself", "a,a,1,yes", field: "b", value: "a"),
  Broken(.badTime, "absent", "a,b,,yes", field: "t", value: ""),
  Broken(.badTime, "a word", "a,b,noon,yes", field: "t", value: "noon"),
  Broken(.unknownValue, "not mapped", "a,b,1,perhaps", field: "v", value: "perhaps"),
  Broken(.unknownValue, "another case", "a,b,1,Yes", field: "v", value: "Yes"),
  Broken(.unknownValue, "absent", "a,b,1,", field: "v", value: ""),
]

@Suite struct RuleTests {
  @Test(arguments: brokenPeople) private func `broken rows of users are rejected`(broken: Broken) throws {
    let night = try Night(people: "a,,,,,,,,\n\(broken.row)\nb,,,,,,,,\n")
    #expect(
      try night.rejects() == [["people.csv", "line", "3", broken.field, broken.rule.rawValue, broken.value]])
    #expect(night.accounts("people") == [3, 2, 1, 0, 0])
    expectCounted(broken.rule, in: night.counts("people"))
    #expect(try night.ids() == ["a", "b"])
  }

  @Test(arguments: brokenLikes) private func `broken rows of likes are rejected`(broken: Broken) throws {
    let night = try Night(people: "a,,,,,,,,\nb,,,,,,,,\n", likes: "a,b,1,yes\n\(broken.row)\nb,a,2,no\n")
    #expect(
      try night.rejects() == [["likes.csv", "line", "3", broken.field, broken.rule.rawValue, broken.value]])
    #expect(night.accounts("likes") == [3, 2, 1, 0, 0])
    expectCounted(broken.rule, in: night.counts("likes"))
  }

  /// Expects that one row broke `rule` and no row broke another rule.
  private func expectCounted(_ rule: IngestRule, in counts: JSONValue?) {
    for outcome in RuleOutcome.allCases {
      #expect(counts?[outcome.rawValue] == (rule.outcome == outcome ? [rule.rawValue: 1] : [:]))
    }
  }

  @Test func `the field after an unclosed quote extends to the end of the file`() throws {
    let night = try Night(people: "a,,,,,,,,\n\"b,,,,,,,,\nc,,,,,,,,\n")
    let reject = try #require(try night.rejects().first)
    #expect(reject[2...4] == ["3", "", "unclosed_quote"])
    #expect(night.isBalanced)
  }

  @Test(arguments: [
    (IngestRule.badJSON, "{\"id\": }", ""), (.badJSON, "{\"id\": \"x\"", ""), (.notAnObject, "[1]", ""),
    (.notAnObject, "5", ""), (.badID, "{\"id\": true}", "id"), (.badID, "{\"id\": [1]}", "id"),
    (.badID, "{\"id\": {\"x\": 1}}", "id"), (.missingID, "{\"id\": null}", "id"), (.missingID, "{}", "id"),
    (.missingID, "{\"id\": \"\"}", "id"), (.badText, "{\"id\": \"x\", \"bio\": []}", "bio"),
    (.badText, "{\"id\": \"x\", \"field\": {}}", "field"),
    (.badNumber, "{\"id\": \"x\", \"age\": true}", "age"),
    (.badNumber, "{\"id\": \"x\", \"age\": {}}", "age"), (.badFlag, "{\"id\": \"x\", \"gone\": []}", "gone"),
    (.badTime, "{\"id\": \"x\", \"created\": true}", "created"),
    (.badLatitude, "{\"id\": \"x\", \"lat\": [1], \"lon\": 1}", "lat"),
    (.badLongitude, "{\"id\": \"x\", \"lat\": 1, \"lon\": 180.5}", "lon"),
    (.duplicateKey, "{\"id\": \"x\", \"id\": \"y\"}", ""),
    (.numberOutOfRange, "{\"id\": \"x\", \"age\": 1e999}", ""),
    (.loneSurrogate, "{\"id\": \"\\ud800\"}", ""),
    (.nestingTooDeep, String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000), ""),
    // Test arguments are printed. This placeholder stands for a line of 65 MiB.
    (.recordTooLong, "a record of 65 MiB", ""),
  ])
  func `broken lines of JSON are rejected`(rule: IngestRule, line: String, field: String) throws {
    let line =
      rule == .recordTooLong ? "{\"id\": \"" + String(repeating: "x", count: 65 << 20) + "\"}" : line
    let whole =
      #"{"id":"a","created":1,"updated":1,"lat":1,"lon":1,"field":"f","age":1,"gone":true,"bio":"b"}"#
    let night = try Night(
      Night.yaml(people: .jsonl), ["people.jsonl": "\(whole)\n\n\(line)\n", "likes.csv": Night.likesHeader])
    let reject = try #require(try night.rejects().first)
    #expect(reject.prefix(5) == ["people.jsonl", "line", "3", field, rule.rawValue])
    #expect(night.accounts("people") == [2, 1, 1, 0, 0])
  }

  @Test(arguments: [
    (IngestRule.badFirestoreValue, #"{"name":"x/y","fields":{"age":{"integerValue":"many"}}}"#),
    (.badFirestoreValue, #"{"name":"x/y","fields":{"age":{"numberValue":1}}}"#),
    (.badNumber, #"{"name":"x/y","fields":{"age":{"doubleValue":"NaN"}}}"#),
    (.badText, #"{"name":"x/y","fields":{"bio":{"geoPointValue":{"latitude":1,"longitude":1}}}}"#),
    (.badFlag, #"{"name":"x/y","fields":{"gone":{"stringValue":"?"}}}"#), (.notAnObject, "7"),
  ])
  func `broken Firestore documents are rejected`(rule: IngestRule, document: String) throws {
    let whole =
      #"{"name":"p/a","fields":{"field":{"stringValue":"f"},"age":{"integerValue":"1"},"bio":{"stringValue":"b"},"created":{"timestampValue":"2020-01-01T00:00:00Z"},"updated":{"timestampValue":"2020-01-01T00:00:00Z"}}}"#
    let night = try Night(
      Night.yaml(people: .firestore),
      ["people.firestore": "{\"documents\":[\(whole),\(document)]}", "likes.csv": Night.likesHeader])
    let reject = try #require(try night.rejects().first)
    #expect(reject[0...2] == ["people.firestore", "element", "2"])
    #expect(reject[4] == rule.rawValue)
    #expect(night.accounts("people") == [2, 1, 1, 0, 0])
  }

  @Test func `numbers up to 1e100 are kept`() throws {
    let night = try Night(people: "a,,,,,,1e100,,\nb,,,,,,-1e100,,\n")
    #expect(try night.snapshot().entities["people"]?.numbers["age"]?.elements == [1e100, -1e100])
  }

  @Test func `every rule has a test case`() {
    let here: Set<IngestRule> = Set(brokenPeople.map(\.rule) + brokenLikes.map(\.rule)).union([
      .unclosedQuote, .badJSON, .notAnObject, .badFirestoreValue, .badID, .badText, .duplicateID,
      .duplicateKey, .numberOutOfRange, .loneSurrogate, .nestingTooDeep, .recordTooLong,
      // Tested by TagsAndDatesTests.
      .badTags, .badDate, .dateTooEarly, .dateInFuture,
      // Tested by RequestTests.
      .underAge, .ageUnknown,
      // Tested by TextLimitTests.
      .idTooLong, .wordTooLong, .tooManyTags, .nullCharacter,
      // Tested by CheckInTests and OwnerTests.
      .missingAttribute, .missingPosition, .unknownOwner,
      // Tested by PointTests.
      .badPoint,
      // Tested by CanonicalNameTests.
      .unknownName,
      // Tested by IntervalTests and InteractionValueTests.
      .badIntervals, .valueOutOfRange,
    ])
    #expect(here == Set(IngestRule.allCases))
  }

  @Test(arguments: [
    String(repeating: "x", count: 81), String(repeating: "é", count: 200), String(repeating: "👩‍👩‍👧‍👦", count: 100),
    "a" + String(repeating: "\u{301}", count: 5000),
  ])
  func `a value is cut to 80 characters`(value: String) throws {
    let night = try Night(people: "a,,,,,,\(value),,\n")
    let shown = try #require(try night.rejects().first?.last)
    #expect(shown.unicodeScalars.count == 80)
    #expect(value.utf8.starts(with: shown.utf8))
  }

  @Test func `a short or odd value is shown unchanged`() throws {
    for value in [String(repeating: "x", count: 80), "\u{0}", "=1+1", "é"] {
      #expect(try Night(people: "a,,,,,,\(value),,\n").rejects().first?.last == value)
    }
    #expect(try Night(people: "a,,,,,,\"x\r\n\"\"y\"\"\",,\n").rejects().first?.last == "x\r\n\"y\"")
  }

  @Test func `rejects are in the order of sources and lines`() throws {
    let night = try Night(
      people: "a,,,,,,,,\nb,,,,,,,,\n,,,,,,,,\na,,,,,,x,,\na,,,,,,,,\n", likes: "z,a,1,yes\na,z,1,yes\n")
    #expect(
      try night.rejects().map { [$0[0], $0[2], $0[4]] } == [
        ["people.csv", "2", "duplicate_id"], ["people.csv", "4", "missing_id"],
        ["people.csv", "5", "bad_number"],
        ["likes.csv", "2", "unknown_user"], ["likes.csv", "3", "unknown_candidate"],
      ])
    #expect(night.accounts("people") == [5, 2, 2, 1, 0])
  }
}

@Suite struct DuplicateTests {
  private func bio(_ rows: String) throws -> (bio: String?, rejects: [[String]]) {
    let night = try Night(people: rows)
    #expect(night.isBalanced)
    #expect(try night.ids() == ["a"])
    return (try night.snapshot().entities["people"]?.texts["bio"]?.string(0), try night.rejects())
  }

  @Test func `the newest row wins, wherever it is in the file`() throws {
    let (bio, rejects) = try bio("a,,100,,,,,,first\na,,300,,,,,,second\na,,200,,,,,,third\n")
    #expect(bio == "second")
    #expect(
      rejects == [
        ["people.csv", "line", "2", "id", "duplicate_id", "a"],
        ["people.csv", "line", "4", "id", "duplicate_id", "a"],
      ])
  }

  @Test func `the last of equally new rows wins`() throws {
    let (bio, rejects) = try bio("a,,100,,,,,,first\na,,100,,,,,,second\n")
    #expect(bio == "second")
    #expect(rejects.map { $0[2] } == ["2"])
  }

  @Test func `a row without a time of change is the oldest`() throws {
    #expect(try bio("a,,-5,,,,,,first\na,,,,,,,,second\n").bio == "first")
    #expect(try bio("a,,,,,,,,first\na,,-5,,,,,,second\n").bio == "second")
    #expect(try bio("a,,,,,,,,first\na,,,,,,,,second\n").bio == "second")
  }

  @Test func `a broken duplicate is rejected and replaces nothing`() throws {
    let (bio, rejects) = try bio("a,,100,,,,,,first\na,,200,,,,x,,second\n")
    #expect(bio == "first")
    #expect(rejects.map { $0[4] } == ["bad_number"])
  }

  @Test func `ids that differ in spaces, case or normalization are different`() throws {
    let ids = [
      "a", "A", " a", "a ", "caf\u{E9}", "cafe\u{301}", "\u{FEFF}a", "ﬀ", "ff", "a\u{1}", "\u{1F468}", "1",
      "01", "1.0",
    ]
    let night = try Night(people: ids.map { "\($0),,,,,,,,\n" }.joined())
    #expect(night.accounts("people") == [ids.count, ids.count, 0, 0, 0])
    let kept = try #require(try night.snapshot().entities["people"]).ids
    let expected = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect((0..<kept.count).map { Array(copying: kept.bytes($0)) } == expected)
  }

  @Test func `a whole number as an id equals its digits as text`() throws {
    let night = try Night(
      Night.yaml(people: .jsonl),
      [
        "people.jsonl": """
        {"id":5,"created":1,"updated":1,"field":"f","age":1,"bio":"b"}
        {"id":"5"}
        {"id":9007199254740993}
        {"id":9007199254740992}
        """, "likes.csv": "a,b,t,v\n5,9007199254740993,1,yes\n",
      ])
    #expect(night.accounts("people") == [4, 3, 0, 1, 0])
    #expect(night.accounts("likes") == [1, 1, 0, 0, 0])
    #expect(try night.ids() == ["5", "9007199254740992", "9007199254740993"])
  }

  @Test func `numbers too long to be exact are not ids`() throws {
    let night = try Night(
      Night.yaml(people: .jsonl),
      [
        "people.jsonl": """
        {"id":"a","created":1,"updated":1,"field":"f","age":1,"bio":"b"}
        {"id":12345678901234567890}
        {"id":12345678901234567891}
        {"id":1e300}
        """, "likes.csv": Night.likesHeader,
      ])
    #expect(night.accounts("people") == [4, 1, 3, 0, 0])
    #expect(night.counts("people")?["rejected"] == ["bad_id": 3])
  }
}
