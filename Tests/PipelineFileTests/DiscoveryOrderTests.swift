import Testing

@testable import PipelineFile

/// Tests `order_by: discovery` and `order_by: { discovery: KIND }`.
struct DiscoveryOrderTests {
  private static func yaml(_ order: String, kinds: [String], more: String = "") -> String {
    """
    pipeline: p
    entities:
      people: { source: { path: people.csv }, id: id }
      items: { source: { path: items.csv }, id: id }
    interactions:
    \(kinds.map {
      "  \($0): { source: { path: \($0).csv }, user: { from: u, entity: people }, candidate: { from: c, entity: items }, at: at, value: v }"
    }.joined(separator: "\n"))
    rankings:
      find: { users: people, candidates: items, order_by: \(order)\(more) }
    """
  }

  @Test(arguments: [("discovery", ["likes"]), ("{ discovery: likes }", ["likes", "visits"])])
  func `the order has a kind of interaction, and lists have no minimum score`(
    order: String, kinds: [String]
  ) throws {
    let pipeline = try pipeline(Self.yaml(order, kinds: kinds))
    #expect(pipeline.rankings[0].order == .discovery(of: "likes"))
    #expect(pipeline.rankings[0].minimumScore == -.infinity)
    #expect(pipeline.isFitted && pipeline.models.isEmpty)
  }

  @Test(arguments: [
    ("discovery", ["likes", "visits"], "exactly one kind of interaction"),
    ("{ discovery: visit }", ["likes", "visits"], "unknown kind of interaction 'visit'"),
    ("{ discover: likes }", ["likes"], "unknown key 'discover'"),
    ("{}", ["likes"], "needs 'discovery'"),
    ("[discovery, distance]", ["likes"], "unknown order key 'discovery'"),
    (
      "discovery, users: items, candidates: people", ["likes"],
      "these keys occur more than once: 'candidates', 'users'"
    ),
  ]) func `a mistake is named`(order: String, kinds: [String], message: String) throws {
    let error = try #require(mistake(Self.yaml(order, kinds: kinds)))
    #expect("\(error)".contains(message), "\(error)")
  }

  @Test func `likes in the other direction do not fit`() throws {
    let other = Self.yaml("{ discovery: likes }", kinds: ["likes"])
      .replacing("users: people, candidates: items", with: "users: items, candidates: people")
    let error = try #require(mistake(other))
    #expect("\(error)".contains("'likes' goes from 'people' to 'items'"), "\(error)")
  }
}
