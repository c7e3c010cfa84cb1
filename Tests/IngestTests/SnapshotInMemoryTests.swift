import Columns
import Files
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Entities that are ingested in memory equal the entities that ingest writes.
@Suite struct SnapshotInMemoryTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      owners:
        source: { path: owners.jsonl }
        id: id
        created: made
        position: { latitude: lat, longitude: lon }
        attributes: { name: { type: text } }
      dogs:
        source: { path: dogs.jsonl }
        id: id
        owner: { from: by, entity: owners, optional: true }
        attributes:
          breed: { type: category, optional: true }
          age: { type: number, optional: true }
          gone: { type: flag, optional: true }
          likes: { type: tags, optional: true }
          born: { type: date, optional: true }
          free: { type: intervals, from: slots, ends: [from, to], optional: true }
    """

  private static let files = [
    // An owner that is created after the as-of time is omitted. The row numbers of the following
    // rows are then smaller.
    "owners.jsonl": """
    {"id":"o3","made":1,"lat":53,"lon":-6,"name":"x"}
    {"id":"o1","made":900,"name":"later"}
    {"id":"o2","made":2,"name":"nowhere"}

    """,
    "dogs.jsonl": """
    {"id":"d4","by":"o3","breed":"setter","age":3,"gone":true,"likes":["run","bark"],"born":"2020-05-01"}
    {"id":"d1","by":"o2","likes":["swim","run"],"slots":[{"from":"2026-01-02T00:00:00Z","to":"2026-01-03T00:00:00Z"},{"from":"2026-01-01T00:00:00Z","to":"2026-01-01T05:00:00Z"}]}
    {"id":"d2","breed":"collie","age":2.5,"gone":false}
    {"id":"d3","by":"o1","breed":"boxer","likes":["zoom"]}

    """,
  ]

  @Test func `every column has the elements that are written`() throws {
    let asOf = Instant(milliseconds: 100)
    let night = try Night(Self.yaml, Self.files, asOf: asOf)
    let exports = try IngestedExports(night.pipeline, asOf: asOf, clock: Night.clock) { throw $1 }
    let (memory, written) = (exports.snapshot(of: ["owners", "dogs"]), try night.snapshot())
    #expect(memory.manifest.asOf == asOf)
    for name in ["owners", "dogs"] {
      let (table, expected) = (try #require(memory.entities[name]), try #require(written.entities[name]))
      #expect(expected.count == 2 + (name == "dogs" ? 2 : 0))
      #expect(table.ids.strings == expected.ids.strings)
      #expect(table.latitude?.elements.map(\.bitPattern) == expected.latitude?.elements.map(\.bitPattern))
      #expect(table.longitude?.elements.map(\.bitPattern) == expected.longitude?.elements.map(\.bitPattern))
      #expect(table.owner?.elements == expected.owner?.elements)
    }
    let dogs = try #require(memory.entities["dogs"])
    let expected = try #require(written.entities["dogs"])
    #expect(expected.owner?.elements == [0, EntityTable.noOwner, EntityTable.noOwner, 1])
    let (breed, breeds) = (try #require(dogs.categories["breed"]), try #require(expected.categories["breed"]))
    #expect(breed.codes.elements == breeds.codes.elements)
    #expect(breed.vocabulary.strings == breeds.vocabulary.strings)
    let (ages, expectedAges) = (dogs.numbers["age"]?.elements, expected.numbers["age"]?.elements)
    #expect(ages?.map(\.bitPattern) == expectedAges?.map(\.bitPattern))
    #expect(dogs.flags["gone"]?.elements == expected.flags["gone"]?.elements)
    #expect(dogs.dates["born"]?.elements == expected.dates["born"]?.elements)
    let (likes, expectedLikes) = (try #require(dogs.tags["likes"]), try #require(expected.tags["likes"]))
    #expect((0..<4).map(likes.strings) == (0..<4).map(expectedLikes.strings))
    #expect(likes.vocabulary.strings == expectedLikes.vocabulary.strings)
    let (free, slots) = (try #require(dogs.intervals["free"]), try #require(expected.intervals["free"]))
    #expect((0..<4).map(free.intervals) == (0..<4).map(slots.intervals))
    #expect(free.intervals(0).count == 2)
  }

  @Test func `an empty table has no entities`() throws {
    let night = try Night(Self.yaml, ["owners.jsonl": "", "dogs.jsonl": ""])
    let exports = try IngestedExports(night.pipeline, asOf: nil, clock: Night.clock) { throw $1 }
    let memory = exports.snapshot(of: ["dogs", "cats"])
    #expect(memory.entities["dogs"]?.count == 0)
    #expect(memory.entities["dogs"]?.tags["likes"]?.count == 0)
    #expect(memory.entities["cats"] == nil)
  }
}
