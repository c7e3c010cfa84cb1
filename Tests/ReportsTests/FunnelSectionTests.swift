internal import RunSchemas
import Testing
import Text

@testable import Reports

/// The number of users at each step of the funnel.
@Suite struct FunnelSectionTests {
  private static func run(_ change: (inout RunByHand) -> Void) throws -> ReportedRun {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: []).replacing(
      "rankings:\n",
      with: """
        model: { learns_from: swipes, features: [{ category: city }] }
        rankings:
          near: { users: people, candidates: people, top: 10, within_km: 50, exclude: [self] }

        """)
    world.lists = ["near": RunByHand.list(users: 100, full: 20, empty: 30)]
    world.entities = ["people": ["positioned": 90, "without_position": 10]]
    world.models = ["method": "createml", "models": 60]
    change(&world)
    return try world.run()
  }

  private static func steps(_ change: (inout RunByHand) -> Void) throws -> [String] {
    let run = try run(change)
    return FunnelSteps(run.lists[0], run).table.shown
  }

  @Test func `the steps lead from all users to full lists`() throws {
    #expect(
      try Self.steps { _ in } == [
        "all users | 100 | 100 %", "with a position | 90 | 90.0 %",
        "who see at least one candidate | 70 | 70.0 %", "with a full list of 10 | 20 | 20.0 %",
      ])
  }

  @Test func `for a list of some users, counts of all users are left out`() throws {
    let some = try Self.steps { $0.entities = ["people": ["positioned": 90, "without_position": 11]] }
    #expect(some.count == 3 && some[1] == "who see at least one candidate | 70 | 70.0 %")
  }

  /// The sentence about users without a model; `nil` if there is none.
  private static func sentence(_ change: (inout RunByHand) -> Void) throws -> String? {
    try Section.funnel(run(change)).shown.first { $0.contains("have no model") }
  }

  @Test func `users without a model are counted, because their lists are ordered by distance`() throws {
    #expect(
      try Self.sentence { _ in }
        == "40 of these users have no model. Their lists show the nearest candidates first.")
    #expect(
      try Self.sentence { $0.models = ["method": "createml", "models": 95] }?.hasPrefix("fewer than 10 of")
        == true)
    #expect(try Self.sentence { $0.models = ["method": "createml", "models": 100] } == nil)
    #expect(try Self.sentence { $0.models = nil } == nil)
    #expect(
      try Self.sentence { $0.entities = ["people": ["positioned": 90, "without_position": 11]] } == nil)
  }

  @Test func `rankings with the same model and users share one sentence`() throws {
    let run = try Self.run { world in
      world.yaml += "  far: { users: people, candidates: people, top: 5, within_km: 90, exclude: [self] }\n"
      world.lists = [
        "near": RunByHand.list(users: 100, full: 20, empty: 30),
        "far": RunByHand.list(users: 100, full: 20, empty: 0),
      ]
    }
    let sentences = Section.funnel(run).shown.filter { $0.contains("have no model") }
    #expect(sentences.count == 1)
    let names = run.lists.map(\.ranking.name).joined(separator: " and ")
    #expect(
      sentences[0]
        == "40 of these users have no model. Their lists of \(names) show the nearest candidates first.")
  }

  @Test func `small numbers of short lists are not exact`() throws {
    var world = try RunByHand()
    world.lists = [
      "near": RunByHand.list(
        users: 100, full: 20, empty: 30, shortfall: ["none_left": 9, "none_in_radius": 10])
    ]
    let lines = try Section.funnel(world.run()).shown
    #expect(lines.contains("no other candidate is within the radius | 10"))
    #expect(
      lines.contains(
        "no other candidate is left, for example because the user has decided on all of them | fewer than 10")
    )
    #expect(lines.contains("out of reach | 20 | 10.0 %") && lines.contains("on the list | 50 | 25.0 %"))
    #expect(lines.contains("below the last place of a full list | 25 | 12.5 %"))
  }
}
