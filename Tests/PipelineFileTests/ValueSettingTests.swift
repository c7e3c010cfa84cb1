import RunSchemas
import Testing

@testable import PipelineFile

/// The values of interactions, and interactions with the owner of a candidate.
struct ValueSettingTests {
  private static func yaml(_ value: String, candidate: String = "{ from: b, entity: people }") -> String {
    """
    pipeline: p
    entities:
      people: { source: { path: p.csv }, id: id }
      posts: { source: { path: o.csv }, id: id, owner: { from: by, entity: people } }
      dogs: { source: { path: d.csv }, id: id }
    interactions:
      likes:
        source: { path: l.csv }
        user: { from: a, entity: people }
        candidate: \(candidate)
        at: t
        value: \(value)
    """
  }

  private func value(_ text: String) throws -> Pipeline.ValueField {
    try #require(try pipeline(Self.yaml(text)).interaction("likes")).value
  }

  @Test(
    arguments: [
      ("v", nil), ("{ from: v }", nil), ("{ from: v, map: { y: 1, n: -1 } }", ["-1.0", "1.0"]),
      ("{ from: v, map: { y: 1, n: taken_back } }", ["1.0", "nan"]),
      ("{ from: v, map: { y: 2, x: ignore } }", ["2.0"]),
      ("{ from: v, map: { x: ignore } }", []), ("{ from: v, map: { y: 1, x: { from: w } } }", nil),
    ] as [(String, [String]?)])
  func `the possible values are known if the pipeline file has all of them`(text: String, known: [String]?)
    throws
  {
    #expect(try value(text).knownValues?.map { "\($0)" }.sorted() == known)
  }

  @Test(arguments: [
    ("v", false), ("{ from: v, map: { y: 1, n: -1 } }", false), ("{ from: v, latest: true }", true),
    ("{ from: v, latest: false }", false), ("{ from: v, map: { y: 1, n: taken_back } }", true),
  ])
  func `some values end earlier interactions`(text: String, hasEnded: Bool) throws {
    #expect(try value(text).hasEnded == hasEnded)
  }

  @Test(arguments: [
    ("v", true), ("{ from: v, range: [1, 5] }", false), ("{ from: v, range: [0, 5] }", true),
    ("{ from: v, range: [0.1, 5] }", false), ("{ from: v, range: [1, 5], liked_from: 5 }", true),
    ("{ from: v, range: [1, 5], liked_from: 1 }", true), ("{ from: v, range: [-1, 1] }", true),
  ])
  func `values above 0 define likes only with a lowest like`(text: String, definesLikes: Bool) throws {
    #expect(try value(text).definesLikes == definesLikes)
  }

  @Test func `other fields are listed once, sorted`() throws {
    let found = try value("{ from: v, map: { a: { from: z }, b: { from: c }, d: { from: z }, e: 1 } }")
    #expect(found.otherFields == ["c", "z"] && found.numbers == ["e": 1])
    #expect(try value("v").otherFields == [] && value("v").numbers == nil)
    let schema = try pipeline(Self.yaml("{ from: v, liked_from: 3 }")).interactions[0].schema
    #expect(
      schema.likedFrom == 3 && schema.entities?.users == "people" && schema.entities?.candidates == "people")
  }

  @Test(arguments: [
    ("{ constant: 1, from: v }", "'interactions.likes.value.from' has no effect"),
    ("{ constant: 1, map: { y: 1 } }", "has no effect"), ("{ constant: yes }", "must be a number"),
    ("{ constant: 1000001 }", "must be between"), ("{ constant: -1.7e308 }", "must be between"),
    ("{ from: v, range: [1, 5], liked_from: 0.9 }", "outside the range of the value, 1.0 to 5.0"),
    ("{ from: v, range: [1, 5], map: { y: 5.1 } }", "outside the range of the value, 1.0 to 5.0"),
    ("{ from: v, map: { n: taken_back } }", "contains only 'taken_back'"),
    ("{ map: { y: 1 } }", "needs 'from'"),
    ("{ from: v, map: { y: { to: w } } }", "unknown key 'to'"),
    ("{ from: v, latest: 1 }", "must be true or false"),
    ("{ from: v, liked_from: often }", "must be a number"), ("{ from: v, min: 1 }", "unknown key 'min'"),
  ])
  func `a mistake in a value is reported`(text: String, reason: String) throws {
    let error = try #require(mistake(Self.yaml(text)), "\(text) was accepted")
    #expect(error.reason.contains(reason) && error.place.hasPrefix("p.yaml:12:"), "\(error)")
  }

  @Test(arguments: [
    ("{ from: b, entity: people }", nil, false), ("{ from: b, entity: people, of: posts }", "posts", false),
    ("{ from: b, entity: people, of: posts, once: true }", "posts", true),
    ("{ from: b, entity: people, of: posts, once: false }", "posts", false),
  ])
  func `a candidate may be the owner of the entity in the field`(candidate: String, of: String?, isOnce: Bool)
    throws
  {
    let kind = try #require(try pipeline(Self.yaml("v", candidate: candidate)).interaction("likes"))
    #expect(kind.candidate.of == of && kind.candidate.isOnce == isOnce)
    #expect(kind.candidate.named == of ?? "people" && kind.candidate.entity == "people")
  }

  @Test(arguments: [
    ("{ from: b, entity: people, once: true }", "v", "needs 'of'"),
    ("{ from: b, entity: people, of: dogs }", "v", "'dogs' is not owned by 'people'"),
    ("{ from: b, entity: dogs, of: posts }", "v", "'posts' is not owned by 'dogs'"),
    ("{ from: b, entity: people, of: post }", "v", "unknown entity 'post'"),
    ("{ from: b, entity: people, of: posts, once: 1 }", "v", "must be true or false"),
    (
      "{ from: b, entity: people, of: posts, once: true }", "{ from: v, latest: true }",
      "keeps the latest interaction"
    ),
    (
      "{ from: b, entity: people, of: posts, once: true }", "{ from: v, map: { y: 1, n: taken_back } }",
      "'taken_back'"
    ),
  ])
  func `a mistake in a candidate is reported`(candidate: String, value: String, reason: String) throws {
    let error = try #require(mistake(Self.yaml(value, candidate: candidate)), "\(candidate) was accepted")
    #expect(error.reason.contains(reason) && error.place.hasPrefix("p.yaml:10:"), "\(error)")
    // With one interaction of each kind, the latest one may still count for an owner.
    let several = candidate.replacing(", once: true", with: "")
    if reason.contains("taken_back") { #expect(mistake(Self.yaml(value, candidate: several)) == nil) }
  }
}
