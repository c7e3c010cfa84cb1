import PipelineFile
import StageFixture
import Testing

@testable import Ranking

/// Tests which kinds of interactions exclude candidates, and which candidates a ranking may list.
struct InteractedKindsTests {
  @Test(arguments: [
    ("people", "dogs", ["ann": ["a", "c"], "ben": ["b", "c"], "cem": ["a", "b", "c"]]),
    ("dogs", "people", ["a": ["ann", "cem"], "b": ["ann", "ben", "cem"], "c": ["ann", "ben", "cem"]]),
  ])
  func `only interactions of the ranking's users with its candidates count`(
    users: String, candidates: String, expected: [String: [String]]
  ) throws {
    func kind(_ name: String, _ user: String, _ candidate: String) -> String {
      "  \(name): { source: { path: \(name).csv }, user: { from: u, entity: \(user) }, candidate: { from: c, entity: \(candidate) }, at: t, value: v }"
    }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          dogs: { source: { path: dogs.csv }, id: id }
        interactions:
        \(kind("likes", "people", "dogs"))
        \(kind("swipes", "people", "people"))
        \(kind("growls", "dogs", "people"))
        \(kind("fights", "dogs", "dogs"))
        rankings:
          list: { users: \(users), candidates: \(candidates), exclude: [interacted, vetoed] }
        """,
      files: [
        "people.csv": "id\nann\nben\ncem\n", "dogs.csv": "id\na\nb\nc\n", "likes.csv": "u,c,t,v\nann,b,1,1\n",
        "swipes.csv": "u,c,t,v\nann,cem,1,-1\ncem,ben,1,-1\n", "growls.csv": "u,c,t,v\na,ben,1,-1\n",
        "fights.csv": "u,c,t,v\nc,b,1,-1\nb,c,1,-1\n",
      ])
    try fixture.runStages()
    let lists = try fixture.list("list").map { ($0.user, $0.recommendations.map(\.candidate).sorted()) }
    #expect(Dictionary(uniqueKeysWithValues: lists) == expected)
  }

  @Test(arguments: [true, false])
  func `a candidate may be listed if no flag excludes it, and it has a position if one is needed`(
    hasRadius: Bool
  ) throws {
    let world = RandomExport(seed: 3, people: 90, swipes: 20)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ number: experience }]",
        ranking: "    exclude: [deleted]\n    order_by: distance\n"
          + (hasRadius ? "    within_km: 900" : "    top: 9")),
      files: world.files)
    try fixture.runStages()
    let recommender = try Recommender(
      fixture.pipeline.rankings[0], fixture.pipeline, fixture.snapshot(), run: fixture.run, scoring: .distance
    )
    let expected = world.people.map { !$0.isDeleted && (!hasRadius || $0.latitude != nil) }
    #expect(world.people.contains { $0.isDeleted } && world.people.contains { $0.latitude == nil })
    #expect(world.people.indices.map { recommender.isListable(candidate: $0) } == expected)
  }
}
