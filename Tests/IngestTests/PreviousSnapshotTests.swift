import Files
import Foundation
import Ingest
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@Suite struct PreviousSnapshotTests {
  let scratch: ScratchDirectory
  let runs: RunDirectories

  init() throws {
    scratch = try ScratchDirectory()
    runs = RunDirectories(work: scratch.path, pipeline: "p")
  }

  @Test func `the last snapshot must be readable if an expectation needs it`() throws {
    var pipeline = try Pipeline(yaml: Self.yaml, file: scratch("p.yaml"))
    let latest = try runs.createNext()
    try runs.markLatest(latest)
    pipeline.entities[0].expectations.dropAtMost = 0.1
    #expect(try runs.snapshotToCompare(with: pipeline) == nil, "the run has no snapshot")
    let manifest = Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: 0, counts: ["sources": ["users": ["read": 5]]])
    try scratch.write(manifest.json, to: "p/runs/1/snapshot/manifest.json")
    #expect(try runs.snapshotToCompare(with: pipeline) == manifest)
    // The other runs in the folder of a run directory are found, however the path is written.
    let next = runs.path(of: try runs.createNext())
    for path in [next, next + "/", next + "/../2/.", scratch("p/latest")] {
      #expect(try RunDirectories(around: path)?.snapshotToCompare(with: pipeline) == manifest, "\(path)")
    }
    #expect(RunDirectories(around: scratch("elsewhere/2")) == nil)
    try scratch.write("{}", to: "p/runs/1/snapshot/manifest.json")
    #expect(
      #expect(throws: FileError.self) { _ = try runs.snapshotToCompare(with: pipeline) }?.operation == .read)
    pipeline.entities[0].expectations.dropAtMost = nil
    pipeline.entities[0].expectations.growAtMost = 1
    #expect(throws: FileError.self) { _ = try runs.snapshotToCompare(with: pipeline) }
    pipeline.entities[0].expectations.growAtMost = nil
    pipeline.entities[0].expectations.atLeast = 1
    #expect(
      try runs.snapshotToCompare(with: pipeline) == nil,
      "a comparison with the clock does not need the last snapshot")
  }

  /// Tests each kind of source whose number of rows can have a limit.
  @Test(arguments: ["users", "visits", "likes", "jobs"])
  func `a limit of any source needs the last snapshot`(limited: String) throws {
    func expect(_ name: String) -> String {
      name == limited ? "expect: { rows: { drop_at_most: 10 % } }" : "expect: {}"
    }
    let pipeline = try Pipeline(
      yaml: """
        pipeline: p
        as_of: newest
        entities:
          users:
            source: { path: u.csv, format: csv }
            id: id
            \(expect("users"))
          places: { source: { path: p.csv, format: csv }, id: id }
        check_ins:
          visits:
            source: { path: v.csv, format: csv }
            id: id
            user: { from: u, entity: users }
            at: at
            position: { latitude: lat, longitude: lon }
            \(expect("visits"))
        interactions:
          likes:
            source: { path: l.csv, format: csv }
            user: { from: a, entity: users }
            candidate: { from: b, entity: places }
            at: at
            value: v
            \(expect("likes"))
        requests:
          jobs:
            source: { path: j.csv, format: csv }
            user: { from: a, entity: users }
            candidate: { from: b, entity: users }
            at: at
            changed: c
            status: { from: s, map: { yes: accepted } }
            \(expect("jobs"))
        """, file: scratch("p.yaml"))
    try runs.markLatest(try runs.createNext())
    try scratch.write("{}", to: "p/runs/1/snapshot/manifest.json")
    #expect(throws: FileError.self) { _ = try runs.snapshotToCompare(with: pipeline) }
  }

  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    entities: { users: { source: { path: u.csv, format: csv }, id: id } }
    """
}
