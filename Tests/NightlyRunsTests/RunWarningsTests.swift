import Files
import PipelineFile
import TestSupport
import Testing
import Text

@testable import NightlyRuns

struct RunWarningsTests {
  private func lines(
    _ counts: JSONValue, stage: String = "s", asOf: Instant = Instant(milliseconds: 0)
  ) throws -> [String] {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id, attributes: { city: { type: category } } } }
      interactions:
        likes: { source: { path: likes.csv }, user: a, candidate: b, at: at, value: { from: v, map: { yes: 1 } } }
        views: { source: { path: views.csv }, user: a, candidate: b, at: at, value: { from: v, map: { yes: 1 } } }
      rankings:
        near: { users: users, candidates: users, top: 10 }
        among: { users: users, candidates: users, top: 10, among: likes }
        waiting: { users: users, candidates: users, top: 10, pending: likes }
        town: { users: users, candidates: users, top: 10, for: { city: Paris } }

      """, to: "small.yaml")
    let manifest = Manifest(
      tool: "test", stage: stage, pipeline: "small", configuration: .null, asOf: asOf, seed: 0, counts: counts
    )
    return RunWarnings(try Pipeline(file: scratch("small.yaml"), overrides: []), manifest).lines
  }

  @Test func `sources without rows and fields without values give warnings`() throws {
    #expect(try lines(["sources": ["users": ["read": 1]]]).isEmpty)
    let empty = try lines(["sources": ["a": ["read": 0], "b": ["read": 2]]])
    #expect(empty.count == 1 && empty[0].contains("'a'"))
    #expect(try lines(["sources": ["a": ["kept": 0], "b": ["read": 1, "kept": 0]]]).isEmpty)
    let absent = try lines(["sources": ["users": ["read": 1, "absent_fields": .array(["x", "y"])]]])
    #expect(absent.count == 1 && absent[0].contains("'x' or 'y'"))
  }

  @Test(arguments: [(0, 172_800_000, false), (0, 172_800_001, true), (172_800_001, 172_800_001, false)])
  func `interactions that are more than two days old give a warning`(
    newest: Int, asOf: Int64, warns: Bool
  ) throws {
    let counts: JSONValue = [
      "sources": [
        // New accounts do not replace missing interactions, but interactions of another kind do.
        "users": ["read": 1, "newest": ["milliseconds": .integer(Int(asOf))]],
        "likes": ["read": 1, "newest": ["milliseconds": 0]],
        "views": ["read": 1, "newest": ["milliseconds": .integer(newest)]],
      ]
    ]
    let lines = try lines(counts, asOf: Instant(milliseconds: asOf))
    #expect(lines.count == (warns ? 1 : 0))
    if warns { #expect(lines[0].contains("newest interaction is from 1970-01-01T00:00:00Z")) }
  }

  @Test func `a split that leaves nothing to learn from or to test on gives a warning`() throws {
    let learning = try lines(["learning": 0, "test": 1], stage: "evaluation")
    #expect(learning.count == 1 && learning[0].contains("set a later 'evaluation.cut'"))
    let test = try lines(["learning": 1, "test": 0], stage: "evaluation")
    #expect(test.count == 1 && test[0].contains("set an earlier 'evaluation.cut'"))
    #expect(try lines(["learning": 1, "test": 1], stage: "evaluation").isEmpty)
  }

  @Test func `empty lists give a warning with the main reason`() throws {
    func near(total: JSONValue, empty: JSONValue, _ candidates: JSONValue) -> JSONValue {
      ["lists": ["near": ["users": ["total": total, "empty_lists": empty], "candidates": candidates]]]
    }
    #expect(try lines(near(total: 3, empty: 2, [:])).isEmpty)
    #expect(try lines(near(total: 0, empty: 0, [:])).isEmpty)
    let none = try lines(near(total: 3, empty: 3, [:]))
    #expect(none.count == 1 && none[0].contains("3 lists of 'near'"))
    let most = try lines(
      near(total: 3, empty: 3, ["pairs": 9, "excluded": ["self": 3], "out_of_reach": 6]))
    #expect(most.count == 1 && most[0].contains("9 pairs") && most[0].contains("6 "))
    let excluded = try lines(
      near(total: 3, empty: 3, ["pairs": 9, "excluded": ["self": 5], "not_above_minimum": 4]))
    #expect(excluded.count == 1 && excluded[0].contains("'self'"))
  }

  @Test func `empty lists among chosen candidates are normal, and a list without users is not`() throws {
    func users(_ list: String, _ total: JSONValue) throws -> [String] {
      try lines(["lists": [list: ["users": ["total": total, "empty_lists": total]]]])
    }
    #expect(try users("near", 3) == ["all 3 lists of 'near' are empty, because there are no candidates"])
    let single: JSONValue = ["pairs": 1, "excluded": ["self": 1]]
    #expect(
      try lines(["lists": ["near": ["users": ["total": 1, "empty_lists": 1], "candidates": single]]]) == [
        "the only list of 'near' is empty; the most frequent reason is 'self' (1 of 1 pair)"
      ])
    #expect(try users("among", 3).isEmpty && users("waiting", 3).isEmpty)
    #expect(try users("near", 0).isEmpty)
    #expect(try users("town", 0) == ["'town' matches no user; check the spelling of the words in 'for'"])
  }

  @Test func `all warnings of a manifest come in a fixed order, with their whole text`() throws {
    let counts: JSONValue = [
      "sources": [
        "views": ["read": 0], "likes": ["read": 1, "newest": ["milliseconds": 1000]],
        "users": ["read": 0, "absent_fields": .array([.string("x"), .integer(3), .string("y")])],
      ],
      "lists": [
        "town": ["users": ["total": 0]],
        "near": [
          "users": ["total": 1200, "empty_lists": 1200],
          "candidates": ["pairs": 1, "excluded": ["self": 2, "blocked": 3], "out_of_reach": 4_000],
        ], "gone": ["users": ["total": 2, "empty_lists": 2]],
      ], "learning": 0, "test": 0,
    ]
    let asOf = Instant(milliseconds: 1_000_000_000)
    #expect(
      try lines(counts, stage: "evaluation", asOf: asOf) == [
        "'users' has no rows; check that its export is the right file",
        "no record of 'users' has a field 'x' or 'y'; check the spelling in the pipeline file",
        "'views' has no rows; check that its export is the right file",
        "the newest interaction is from 1970-01-01T00:00:01Z, more than two days before the as-of time \(asOf); "
          + "check that the new exports have arrived",
        "all 1 200 lists of 'near' are empty; the most frequent reason is out of reach (4 000 of 1 pair)",
        "'town' matches no user; check the spelling of the words in 'for'",
        "the evaluation has no interactions to learn from, because its cut is too early; set a later "
          + "'evaluation.cut'",
      ])
    let test = try lines(["learning": 1, "test": 0], stage: "evaluation")
    #expect(
      test == [
        "the evaluation has no interactions to test on, because its cut is too late; set an earlier "
          + "'evaluation.cut'"
      ])
    #expect(
      try lines(["learning": 0, "test": 0], stage: "rankings").isEmpty, "only evaluations have a split")
  }

  /// The arguments are the numbers of excluded pairs, pairs out of reach and pairs not above the minimum.
  @Test(arguments: [
    (5, 4, 3, "'self' (5 of 9 pairs)"), (3, 5, 4, "out of reach (5 of 9 pairs)"),
    (4, 3, 5, "not above 'minimum_score' (5 of 9 pairs)"),
    // Of equal reasons, the first in the order of their words is named.
    (4, 4, 0, "'self' (4 of 9 pairs)"), (0, 4, 4, "not above 'minimum_score' (4 of 9 pairs)"),
  ])
  func `the most frequent reason is named`(excluded: Int, far: Int, low: Int, words: String) throws {
    let candidates: JSONValue = [
      "pairs": 9, "excluded": ["self": .integer(excluded), "blocked": 0], "out_of_reach": .integer(far),
      "not_above_minimum": .integer(low),
    ]
    let found = try lines(
      ["lists": ["near": ["users": ["total": 2, "empty_lists": 2], "candidates": candidates]]])
    #expect(found == ["all 2 lists of 'near' are empty; the most frequent reason is \(words)"])
  }
}
