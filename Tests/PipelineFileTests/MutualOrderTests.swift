import Testing

@testable import PipelineFile

/// Tests `order_by: mutual` and `order_by: { mutual: {...} }`.
struct MutualOrderTests {
  private static func yaml(
    _ order: String, candidates: String = "people", value: String = "{ from: v, map: { yes: 1, no: -1 } }",
    model: String = ""
  ) -> String {
    """
    pipeline: p
    entities:
      people: { source: { path: people.csv }, id: id, attributes: { age: { type: number } } }
      items: { source: { path: items.csv }, id: id, attributes: { age: { type: number } } }
    interactions:
      likes: { source: { path: likes.csv }, user: { from: u, entity: people }, candidate: { from: c, entity: \(candidates) }, at: at, value: \(value) }
    model: { learns_from: likes, features: [number: age]\(model) }
    rankings:
      dates: { users: people, candidates: \(candidates), order_by: \(order) }
    """
  }

  @Test(arguments: [
    ("mutual", Pipeline.MutualOrder()), ("{ mutual: {} }", .init()),
    ("{ mutual: { other: 0.5 } }", .init(other: 0.5)), ("{ mutual: { other: 0 } }", .init(other: 0)),
    ("{ mutual: { other: 10, known: likes } }", .init(other: 10, known: .likes)),
    ("{ mutual: { known: all } }", .init(known: .all)),
    ("{ mutual: { known: ignore } }", .init()),
  ])
  func `the order has an exponent and a use of known decisions`(order: String, expected: Pipeline.MutualOrder)
    throws
  {
    let pipeline = try pipeline(Self.yaml(order))
    #expect(pipeline.rankings[0].order == .mutual(expected))
    #expect(pipeline.model(of: pipeline.rankings[0]) == pipeline.model)
    #expect(try pipeline.judgeable().rankings.map(\.name) == ["dates"])
  }

  @Test(arguments: [
    ("{ mutual: { other: -0.1 } }", "is -0.1, but must be from 0 to 10"),
    ("{ mutual: { other: 10.5 } }", "is 10.5, but must be from 0 to 10"),
    ("{ mutual: { other: much } }", "must be a number"),
    ("{ mutual: { known: like } }", "unknown value 'like'"),
    ("{ mutual: { knows: likes } }", "unknown key 'knows'"),
    ("{ mutual: {}, discovery: likes }", "has both 'discovery' and 'mutual'"),
    ("[mutual, distance]", "unknown order key 'mutual'"),
  ])
  func `a mistake is named`(order: String, message: String) throws {
    let error = try #require(mistake(Self.yaml(order)))
    #expect("\(error)".contains(message), "\(error)")
  }

  @Test func `candidates of another entity are rejected`() throws {
    let error = try #require(mistake(Self.yaml("mutual", candidates: "items")))
    #expect("\(error)".contains("needs users who are candidates too"), "\(error)")
    #expect("\(error)".contains("shows 'items' to 'people'"), "\(error)")
  }

  @Test func `a model is needed`() throws {
    let yaml = Self.yaml("mutual").replacing(
      "model: { learns_from: likes, features: [number: age] }\n", with: "")
    let error = try #require(mistake(yaml))
    #expect("\(error)".contains("no model can score 'people'"), "\(error)")
  }

  @Test(arguments: [
    ("{ from: v, range: [1, 5], liked_from: 4 }", "", "is 1.0 and the highest is 5.0"),
    ("{ from: v, map: { yes: 2, no: -1 } }", "", "is -1.0 and the highest is 2.0"),
    ("{ from: v, range: [-2, 1] }", "", "is -2.0 and the highest is 1.0"),
    ("{ from: v, range: [0.5, 1] }", "", "is 0.5 and the highest is 1.0"),
    ("{ from: v, map: { like: 1 } }", "", "is 1.0 and the highest is 1.0"),
    ("{ from: v, map: { like: 1 } }", ", negatives: {}", "is 0.0 and the highest is 1.0"),
    ("{ from: v, map: { yes: 1, no: 0 }, liked_from: 1 }", "", "is 0.0 and the highest is 1.0"),
    ("{ from: v, map: { yes: 1, no: -1 } }", ", negatives: { value: -5 }", "is -5.0 and the highest is 1.0"),
  ])
  func `values on another scale than -1 to 1 are rejected`(value: String, model: String, range: String) throws
  {
    let error = try #require(mistake(Self.yaml("mutual", value: value, model: model)))
    let kinds = model.isEmpty ? "'likes'" : "'likes' and 'negatives'"
    #expect("\(error)".contains("but the lowest value of \(kinds) \(range)"), "\(error)")
    #expect("\(error)".contains("'negatives'") == !model.isEmpty, "\(error)")
  }

  @Test(arguments: ["v", "{ from: v, map: { done: { from: stars } }, liked_from: 1 }"])
  func `values of an unknown range are rejected`(value: String) throws {
    let error = try #require(mistake(Self.yaml("mutual", value: value)))
    #expect("\(error)".contains("the range of the values of 'likes' is unknown"), "\(error)")
  }

  @Test(arguments: [
    ("{ from: v, range: [-1, 1] }", ""),
    ("{ from: v, map: { yes: 1, maybe: 0.5, no: -1, back: taken_back } }", ""),
    ("{ from: v, map: { like: 1 } }", ", negatives: { value: -1 }"),
  ])
  func `values from -1 to 1 are chances`(value: String, model: String) throws {
    let pipeline = try pipeline(Self.yaml("mutual", value: value, model: model))
    #expect(pipeline.rankings[0].order == .mutual(.init()))
  }
}
