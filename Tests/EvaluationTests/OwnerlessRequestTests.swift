import Files
import PipelineFile
import Ranking
import RunSchemas
import SnapshotEditing
import StageFixture
import Testing
import Text

struct OwnerlessRequestTests {
  /// The owner of the dog joined after the cut, and so could not have accepted the request.
  @Test func `a request for an entity without an owner as of the cut does not count`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: "1970-01-01T00:00:00.100Z"
        plausible: [1, 9999]
        entities:
          owners: { source: { path: owners.csv }, id: id, created: at }
          minders: { source: { path: minders.csv }, id: id }
          dogs: { source: { path: dogs.csv }, id: id, owner: { from: of, entity: owners } }
        requests:
          asks:
            source: { path: asks.csv }
            user: { from: m, entity: minders }
            candidate: { from: d, entity: dogs }
            at: t
            status: { from: s, map: { open: pending, yes: accepted } }
            changed: c
        """,
      files: [
        "owners.csv": "id,at\nx,1\ny,60\n", "minders.csv": "id\nm\n", "dogs.csv": "id,of\nd,x\ne,y\n",
        "asks.csv": "m,d,t,s,c\nm,d,10,yes,20\nm,e,10,yes,20\n",
      ])
    try fixture.ingest()
    let pipeline = fixture.pipeline
    let whole = try Self.snapshot(fixture.run + "/snapshot", pipeline)
    _ = try SnapshotCut.write(
      whole, pipeline: pipeline, entityCut: { _, _ in 50 }, keepsInteraction: { _, _ in true },
      asOf: Instant(milliseconds: 50), into: fixture.directory + "/cut", tool: "test",
      laterProfiles: .unknown)
    let cut = try Self.snapshot(fixture.directory + "/cut/snapshot", pipeline)
    #expect(whole.friendships(pipeline.requests[0], pipeline).count == 2)
    #expect(cut.entities["owners"]?.count == 1 && cut.entities["dogs"]?.count == 2)
    #expect(cut.friendships(pipeline.requests[0], pipeline).count == 1)
  }

  private static func snapshot(_ directory: String, _ pipeline: Pipeline) throws -> Snapshot {
    try Snapshot(
      directory, entities: pipeline.entities.map(\.schema), interactions: [],
      requests: pipeline.requests.map(\.schema))
  }
}
