import Testing
import Text

@testable import RunSchemas

/// Counts and settings in manifests.
@Suite struct CountsTests {
  @Test func `changed settings are listed by their full name`() {
    let all = SettingDifference.all(
      ["a": ["b": 1, "c": "x"], "d": .array([1, 2]), "e": 1, "g": [:]],
      ["a": ["b": 2, "c": "x"], "d": .array([1]), "f": 3])
    #expect(all.map(\.name) == ["a.b", "d", "e", "f", "g"])
    #expect(all.map(\.one) == ["1", "[ 1, 2 ]", "1", nil, "{ }"])
    #expect(all.map(\.other) == ["2", "[ 1 ]", nil, "3", nil])
  }

  @Test(arguments: [
    ("a b", "a  b"), ("a b", "a\u{A0}b"), ("a b", "a\tb"), ("a b", "a\nb"), ("a", " a"), ("a", "a "),
    ("a b", "a\u{2028}b"),
  ])
  func `white space inside of texts is compared`(one: String, other: String) {
    for (left, right) in [
      (JSONValue.array([.string(one)]), JSONValue.array([.string(other)])),
      (.array([["k": .string(one)]]), .array([["k": .string(other)]])),
    ] {
      #expect(SettingDifference.all(["x": left], ["x": right]).map(\.name) == ["x"])
      #expect(SettingDifference.all(["x": left], ["x": left]).isEmpty)
    }
    let all = SettingDifference.all(["x": .array(["a  b", 1])], ["x": 1])
    #expect(all.map(\.one) == ["[ \"a  b\", 1 ]"])
  }

  @Test func `catalogs of this and of earlier versions are found`() {
    #expect(CatalogCounts.entries(in: ["catalogs": ["jobs": 3]]) == ["jobs": 3])
    #expect(CatalogCounts.entries(in: ["directories": ["jobs": 4]]) == ["jobs": 4])
    #expect(CatalogCounts.entries(in: ["catalogs": ["jobs": 3], "directories": ["jobs": 4]]) == ["jobs": 3])
    #expect(CatalogCounts.entries(in: [:]).isEmpty)
  }

  @Test(arguments: zip(RuleOutcome.allCases, ["rejected", "dangling", "not allowed"]))
  func `the rows of a rule are counted by its outcome`(outcome: RuleOutcome, words: String) {
    let counts: JSONValue = [
      "rejected": ["a": 1, "b": "x"], "dangling": ["a": 2], "not_allowed": ["a": 3], "kept": ["a": 9],
    ]
    #expect(outcome.words == words)
    #expect(
      outcome.rows(in: counts) == ["a": RuleOutcome.allCases.firstIndex(of: outcome).map { $0 + 1 } ?? 0])
    #expect(outcome.rows(in: [:]).isEmpty)
  }

  @Test func `each stage except publish has its own directory`() {
    #expect(
      Stage.allCases.map(\.directory) == ["snapshot", "index", "models", "rankings", "evaluation", ""])
    #expect(Stage.fit.command == "nightjar fit")
  }
}
