import Files
import Foundation
import StageFixture
import Testing
import Text

@testable import Ranking

/// `self` excludes every candidate that belongs to the user, directly or indirectly.
@Suite struct OwnCandidatesTests {
  /// Ann owns two dogs, Ben owns one dog, and Cem owns none. Ann and Ben each own a walk.
  private func lists(users: String, candidates: String, exclude: String) throws -> [String: [String]] {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          dogs: { source: { path: dogs.csv }, id: id, owner: { from: of, entity: people } }
          walks: { source: { path: walks.csv }, id: id, owner: { from: by, entity: people } }
        rankings:
          list: { users: \(users), candidates: \(candidates), exclude: [\(exclude)] }
        """,
      files: [
        "people.csv": "id\nann\nben\ncem\n", "dogs.csv": "id,of\nrex,ann\nbello,ann\nwaldi,ben\n",
        "walks.csv": "id,by\nlake,ben\npark,ann\n",
      ])
    try fixture.runStages()
    return try Dictionary(
      uniqueKeysWithValues: fixture.list("list").map {
        ($0.user, $0.recommendations.map(\.candidate).sorted())
      })
  }

  @Test(arguments: [
    ("people", "people", ["ann": ["ben", "cem"], "ben": ["ann", "cem"], "cem": ["ann", "ben"]]),
    ("people", "dogs", ["ann": ["waldi"], "ben": ["bello", "rex"], "cem": ["bello", "rex", "waldi"]]),
    ("dogs", "people", ["rex": ["ben", "cem"], "bello": ["ben", "cem"], "waldi": ["ann", "cem"]]),
    ("dogs", "dogs", ["rex": ["waldi"], "bello": ["waldi"], "waldi": ["bello", "rex"]]),
    ("dogs", "walks", ["rex": ["lake"], "bello": ["lake"], "waldi": ["park"]]),
  ]) func `self excludes the user and all candidates with the same owner`(
    users: String, candidates: String, expected: [String: [String]]
  ) throws {
    #expect(try lists(users: users, candidates: candidates, exclude: "self") == expected)
    let all = try lists(users: users, candidates: candidates, exclude: "")
    #expect(Set(all.values).count == 1, "without 'self', all lists have the same candidates")
  }

  @Test(arguments: [
    ("dogs", "walks", ["rex": ["lake"], "stray": ["lake", "park"]]),
    ("dogs", "dogs", ["rex": ["stray"], "stray": ["rex"]]),
    ("dogs", "people", ["rex": ["ben"], "stray": ["ann", "ben"]]),
    ("people", "dogs", ["ann": ["stray"], "ben": ["rex", "stray"]]),
  ])
  func `a user without an owner has no other own candidates`(
    users: String, candidates: String, expected: [String: [String]]
  ) throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          dogs: { source: { path: dogs.csv }, id: id, owner: { from: of, entity: people, optional: true } }
          walks: { source: { path: walks.csv }, id: id, owner: { from: by, entity: people } }
        rankings:
          list: { users: \(users), candidates: \(candidates), exclude: [self] }
        """,
      files: [
        "people.csv": "id\nann\nben\n", "dogs.csv": "id,of\nrex,ann\nstray,\n",
        "walks.csv": "id,by\nlake,ben\npark,ann\n",
      ])
    try fixture.runStages()
    let lists = try fixture.list("list").map { ($0.user, $0.recommendations.map(\.candidate).sorted()) }
    #expect(Dictionary(uniqueKeysWithValues: lists) == expected)
  }

  @Test func `excluded candidates are counted under their exclusion`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id, position: { latitude: lat, longitude: lon } }
          notes:
            source: { path: notes.csv }
            id: id
            owner: { from: by, entity: people }
            position: { latitude: lat, longitude: lon }
        rankings:
          list: { users: people, candidates: notes, within_km: 20, exclude: [self] }
        """,
      files: [
        "people.csv": "id,lat,lon\na,1,1\nb,1,1\n",
        // The note n4 is out of reach.
        "notes.csv": "id,by,lat,lon\nn1,a,1,1\nn2,a,1.01,1\nn3,b,1,1.01\nn4,a,2,1\n",
      ])
    let manifests = try fixture.runStages()
    let candidates = manifests["rankings"]?.counts["lists"]?["list"]?["candidates"]
    #expect(candidates?["excluded"] == ["self": 3])
    #expect(candidates?["out_of_reach"] == 2)
    #expect(candidates?["listed"] == 3)
  }
}
