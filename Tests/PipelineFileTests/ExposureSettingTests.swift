import Testing

@testable import PipelineFile

/// Tests `exposure: { at_most: ..., at_least: ... }`.
struct ExposureSettingTests {
  private static func yaml(
    _ exposure: String, order: String = "score", value: String = "{ from: v, map: { yes: 1, no: -1 } }",
    more: String = ""
  ) -> String {
    """
    pipeline: p
    entities:
      people: { source: { path: people.csv }, id: id, attributes: { age: { type: number } } }
    interactions:
      likes: { source: { path: likes.csv }, user: { from: u, entity: people }, candidate: { from: c, entity: people }, at: at, value: \(value) }
    model: { learns_from: likes, features: [number: age] }
    rankings:
      dates: { users: people, candidates: people, order_by: \(order), exposure: \(exposure)\(more) }
    """
  }

  @Test(arguments: [
    ("{ at_most: 50, at_least: 3 }", Pipeline.ExposureLimits(ceiling: .lists(50), least: 3)),
    ("{ at_most: 1 }", .init(ceiling: .lists(1), least: 0)), ("{ at_least: 1000 }", .init(least: 1000)),
    ("{ at_most: 3, at_least: 3 }", .init(ceiling: .lists(3), least: 3)),
    ("{ at_most: { likes: 10 } }", .init(ceiling: .likes(10), least: 0)),
    ("{ at_most: { likes: 1.5 }, at_least: 2 }", .init(ceiling: .likes(1.5), least: 2)),
  ])
  func `limits are numbers of lists or of likes`(exposure: String, limits: Pipeline.ExposureLimits) throws {
    for order in ["score", "mutual"] {
      #expect(try pipeline(Self.yaml(exposure, order: order)).rankings[0].exposure == limits)
    }
  }

  @Test func `without the key there are no limits`() throws {
    let yaml = Self.yaml("{}").replacing(", exposure: {}", with: "")
    #expect(try pipeline(yaml).rankings[0].exposure == nil)
  }

  @Test(arguments: [
    ("{}", "has neither 'at_most' nor 'at_least'"), ("3", "must be a mapping"),
    ("{ at_most: 0 }", "is 0, but must be from 1 to 1000000"),
    ("{ at_most: 1000001 }", "is 1000001, but must be from 1 to 1000000"),
    ("{ at_least: 0 }", "is 0, but must be from 1 to 1000"),
    ("{ at_least: 1001 }", "is 1001, but must be from 1 to 1000"),
    ("{ at_most: 2, at_least: 3 }", "is 3, but 'at_most' is 2"),
    ("{ at_most: { likes: 0.9 } }", "is 0.9, but must be from 1 to 1000000"), ("{ at_most: {} }", "likes"),
    ("{ at_most: { like: 3 } }", "unknown key 'like'"), ("{ most: 3 }", "unknown key 'most'"),
  ])
  func `a mistake is named`(exposure: String, message: String) throws {
    let error = try #require(mistake(Self.yaml(exposure)))
    #expect("\(error)".contains(message), "\(error)")
  }

  @Test(arguments: [("pending: likes", "pending"), ("among: likes", "among")])
  func `lists of chosen candidates have no limits`(more: String, key: String) throws {
    let error = try #require(mistake(Self.yaml("{ at_most: 3 }", more: ", " + more)))
    #expect("\(error)".contains("'exposure' and '\(key)' cannot be used together"), "\(error)")
  }

  @Test func `expected likes need chances`() throws {
    for order in ["distance", "discovery", "[age desc, score]"] {
      let error = try #require(mistake(Self.yaml("{ at_most: { likes: 3 } }", order: order)))
      #expect(
        "\(error)".contains("but the order of 'dates' does not predict it"),
        "\(error)")
      #expect(try pipeline(Self.yaml("{ at_most: 3 }", order: order)).rankings[0].exposure != nil)
    }
    let value = "{ from: v, range: [1, 5], liked_from: 4 }"
    let error = try #require(mistake(Self.yaml("{ at_most: { likes: 3 } }", value: value)))
    #expect(
      "\(error)".contains("'at_most: { likes: ... }' needs a scale from exactly -1 (a pass)"), "\(error)")
  }
}
