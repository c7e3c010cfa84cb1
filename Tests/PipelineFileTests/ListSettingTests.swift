import RunSchemas
import Testing

@testable import PipelineFile

/// Lists among chosen candidates, exclusions by some kinds of interaction, and conditions on time.
struct ListSettingTests {
  private static let yaml = """
    pipeline: p
    entities:
      people:
        source: { path: p.csv }
        id: id
        created: c
        attributes: { reach: { type: number }, born: { type: date } }
      rooms:
        source: { path: r.csv }
        id: id
        created: c
        owner: { from: host, entity: people }
        attributes:
          town: { type: category }
          owner: { type: text }
          price: { type: number }
          opens: { type: date }
          closes: { type: date }
          free: { type: intervals }
          slots: { type: intervals }
          shut: { type: flag }
      dogs: { source: { path: d.csv }, id: id }
    interactions:
      likes:
        source: { path: l.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: people }
        at: t
        value: { from: v, map: { y: 1, n: taken_back } }
      stars:
        source: { path: s.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: people }
        at: t
        value: { from: v, range: [1, 5] }
      visits:
        source: { path: v.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: rooms }
        at: t
        value: v
      views:
        source: { path: w.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: rooms }
        at: t
        value: v
    requests:
      asks:
        source: { path: q.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: rooms }
        at: t
        status: s
        changed: c
    rankings:

    """

  /// Returns the only list of the pipeline file with this list.
  private func ranking(_ settings: String) throws -> Pipeline.Ranking {
    try #require(try pipeline(Self.yaml + "  list: { \(settings) }\n").rankings.first)
  }

  private static let rooms = "users: people, candidates: rooms"
  private static let people = "users: people, candidates: people"

  @Test(
    arguments: [
      (rooms, nil), ("\(rooms), among: visits", .liked(by: "visits")),
      ("\(rooms), among: { owner: likes }", .owned(by: "likes")),
      ("\(people), among: likes", .liked(by: "likes")),
    ] as [(String, Pipeline.Choice?)])
  func `a list can have chosen candidates, or candidates of chosen owners`(
    settings: String, choice: Pipeline.Choice?
  ) throws {
    #expect(try ranking(settings).among == choice)
  }

  @Test(
    arguments: [
      ("interacted", nil), ("{ interacted: views }", ["views"]),
      ("{ interacted: [visits, views] }", ["visits", "views"]),
    ] as [(String, [String]?)])
  func `some kinds of interaction exclude candidates`(exclusion: String, kinds: [String]?) throws {
    let list = try ranking("\(Self.rooms), exclude: [self, \(exclusion), shut, not shut, friends]")
    #expect(list.interactedKinds == kinds)
    #expect(list.exclusions == [.oneself, .interacted, .flagged("shut"), .notFlagged("shut"), .friends])
  }

  @Test func `conditions on time are read`() throws {
    #expect(try ranking("\(Self.rooms), not_over: opens").exclusions == [.unless(.notOver(["opens"]))])
    let two = try ranking(
      "\(Self.rooms), not_over: [closes, opens], free_within: { from: slots, within: 2h }")
    #expect(
      two.exclusions == [.unless(.free("slots", within: 7_200_000)), .unless(.notOver(["closes", "opens"]))])
  }

  @Test func `a catalog has exclusions, a condition on time and fields`() throws {
    let settings =
      "catalog: rooms, by: town, exclude: [shut, not shut], not_over: closes, show: [owner, price], top: 4"
    let catalog = try #require(try pipeline(Self.yaml + "  board: { \(settings) }\n").catalogs.first)
    #expect(catalog.exclusions == [.flagged("shut"), .notFlagged("shut"), .unless(.notOver(["closes"]))])
    // The attribute with this name takes precedence over the owner's id.
    #expect(catalog.shown == [.attribute("owner"), .attribute("price")])
    #expect(catalog.by == ["town"] && catalog.top == 4 && catalog.order == [.newest])
  }

  @Test func `matches name both sides`() throws {
    let file = try pipeline(Self.yaml + "  both: { mutual: likes }\n  accepted: { friends: asks }\n")
    #expect(file.matches.map(\.origin) == [.accepted("asks"), .mutual("likes")])
    #expect(file.matches.map(file.entities(of:)) == [["people", "people"], ["people"]])
    #expect(file.requests("asks")?.status.map.count == RequestStatus.allCases.count)
    #expect(file.requests("asks")?.status.map["withdrawn"] == .withdrawn && file.requests("ask") == nil)
    #expect(file.addressee(of: file.requests[0]) == "people")
    #expect(file.interactions(by: "people").map(\.name) == ["likes", "stars", "views", "visits"])
    #expect(file.interactions(by: "rooms").isEmpty)
  }

  @Test(arguments: [
    (
      "\(rooms), among: likes", "'likes' goes from 'people' to 'people', but must go from 'people' to 'rooms'"
    ),
    ("\(rooms), among: { owner: visits }", "but must go from 'people' to 'people'"),
    ("\(people), among: { owner: likes }", "the entity 'people' has no owner"),
    ("\(people), among: stars", "needs likes"), ("\(rooms), among: { host: likes }", "unknown key 'host'"),
    ("\(people), pending: stars", "needs likes"), ("\(people), exclude: [vetoed]", "needs likes"),
    ("\(people), order_by: { discovery: stars }", "needs likes"),
    ("\(rooms), exclude: [{ interacted: likes }]", "unknown kind of interaction 'likes'"),
    ("\(rooms), exclude: [{ interacted: [] }]", "names no kind of interaction"),
    ("\(rooms), exclude: [interacted, { interacted: views }]", "'interacted' occurs twice"),
    ("\(rooms), exclude: [{ interacted: views, vetoed: views }]", "unknown key 'vetoed'"),
    (
      "users: people, candidates: dogs, exclude: [{ interacted: views }]",
      "needs interactions of 'people' with 'dogs'"
    ),
    ("users: rooms, candidates: dogs, exclude: [friends]", "needs 'requests' between 'rooms' and 'dogs'"),
    ("\(rooms), not_over: price", "unknown date attribute 'price' of 'rooms'"),
    ("\(rooms), not_over: [opens, opens]", "'opens' occurs twice"),
    ("\(rooms), not_over: []", "names no date"),
    ("\(rooms), free_within: 2h", "must name one of the attributes of type 'intervals': free, slots"),
    ("\(people), free_within: 2h", "needs intervals, but 'people' has no attribute of type 'intervals'"),
    ("\(rooms), free_within: { from: town, within: 2h }", "unknown intervals attribute 'town' of 'rooms'"),
    ("\(rooms), free_within: { from: free }", "needs 'within'"),
    ("\(rooms), within_candidates_km: price", "needs positions, but the entity 'people' has none"),
    ("\(rooms), within_km: { from: price, default: 5 }", "unknown number attribute 'price' of 'people'"),
    ("\(rooms), show: [{ age: price }]", "unknown date attribute 'price' of 'rooms'"),
    ("\(people), show: [{ age: born }, { age: born }]", "'age' occurs twice"),
    ("\(people), show: [position]", "unknown attribute 'position' of 'people'"),
    ("mutual: stars", "needs likes"), ("mutual: visits", "so it cannot be mutual"),
    ("friends: asked", "unknown kind of requests 'asked'"), ("mutual: likes, top: 3", "unknown key 'top'"),
    ("catalog: rooms, by: town, not_over: town", "unknown date attribute 'town' of 'rooms'"),
    ("catalog: rooms, by: town, users: people", "unknown key 'users'"),
    ("catalog: rooms, by: town, order_by: [score]", "unknown order key 'score'"),
  ])
  func `a mistake is reported on its line`(settings: String, reason: String) throws {
    let yaml = Self.yaml + "  list: { \(settings) }\n"
    let error = try #require(mistake(yaml), "\(settings) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
    let line = yaml.split(separator: "\n", omittingEmptySubsequences: false).count - 1
    #expect(error.place.hasPrefix("p.yaml:\(line):"), "\(error)")
  }

  @Test(arguments: [8, 9]) func `a list has at most eight sort keys`(count: Int) throws {
    let attributes = (0..<count).map { "n\($0): { type: number }" }.joined(separator: ", ")
    let keys = (0..<count).map { "n\($0) desc" }.joined(separator: ", ")
    let yaml = """
      pipeline: p
      entities: { a: { source: { path: a.csv }, id: id, attributes: { \(attributes) } } }
      rankings: { list: { users: a, candidates: a, order_by: [\(keys)] } }
      """
    #expect(
      mistake(yaml)?.reason == (count == 8 ? nil : "'rankings.list.order_by' must have 1 to 8 keys, not 9"))
  }

  @Test(arguments: [100, 101]) func `a list has at most 100 wishes and 100 conditions`(count: Int) throws {
    let attributes = (0..<count).map { "t\($0): { type: tags }" }.joined(separator: ", ")
    for (key, values) in [
      ("wishes", (0..<count).map { "{ t\($0): t\($0) }" }), ("only", (0..<count).map { "{ t\($0): x }" }),
    ] {
      let yaml = """
        pipeline: p
        entities: { a: { source: { path: a.csv }, id: id, attributes: { \(attributes) } } }
        rankings: { list: { users: a, candidates: a, \(key): [\(values.joined(separator: ", "))] } }
        """
      let error = mistake(yaml)
      #expect((error == nil) == (count == 100), "\(key)")
      #expect(error == nil || error?.reason.contains("not 101") == true)
    }
  }
}
