import Files
import PipelineFile
import TestSupport
import Testing
import Text
import Tombstones

@testable import Erasure

/// An erasure edits the CSV files of lists row by row.
@Suite struct RankingsErasureTests {
  /// Writes `near.csv` with `text`, erases `a` and returns the new text.
  private static func edited(_ text: String) throws -> String {
    let scratch = try ScratchDirectory()
    let pipeline = try Pipeline(
      yaml: """
        pipeline: p
        entities: { users: { source: { path: users.csv }, id: id, position: { latitude: a, longitude: o } } }
        interactions:
          swipes:
            source: { path: swipes.csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
        rankings: { near: { users: users, candidates: users, top: 3, order_by: distance, exclude: [self] } }
        """, file: "p.yaml")
    var directory = try StageDirectory("rankings", in: scratch("old"))
    try directory.write("near.csv") { (writer) throws(FileError) in try writer.append(text) }
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "rankings", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: [:]))
    var ids = ErasedIDs()
    ids.insert(Array("a".utf8), entity: "users")
    var erasure = RankingsErasure(pipeline, ids)
    try erasure.write(from: scratch("old/rankings"), into: scratch("new"))
    return try scratch.text("new/rankings/near.csv")
  }

  @Test(
    arguments: [
      // A row with a candidate has at least three fields.
      ("c,1,a\nc,2,d\n", "c,1,d\n"), ("c,1,a,0.5,1\nc,2,d,0.4,2\n", "c,1,d,0.4,2\n"),
      // A row without a candidate is not a list entry, so it stays.
      ("c,a\nc,2,d\n", "c,a\nc,2,d\n"), ("a\n", "a\n"),
      // The next user's ranks start at 1 again, even if the id begins with the previous user's id.
      ("c,1,a\nc,2,d\ncc,1,d\ncc,2,e\n", "c,1,d\ncc,1,d\ncc,2,e\n"),
      ("c,1,b\nc,2,a\nc,3,a\nc,4,d\n", "c,1,b\nc,2,d\n"),
      // The rows of an erased user are removed. Rows in which the id is only part of another field
      // stay.
      ("a,1,b\na,2,c\nb,1,aa\nb,2,ca\n", "b,1,aa\nb,2,ca\n"),
    ])
  func `rows of erased people are removed, and later ranks move up`(_ rows: String, _ left: String) throws {
    let header = "user_id,rank,candidate_id\n"
    #expect(try Self.edited(header + rows) == header + left)
  }
}
