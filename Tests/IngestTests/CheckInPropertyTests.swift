import Columns
import Concurrency
import Files
import Foundation
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Compares check-ins of random exports with a brute-force calculation.
@Suite struct CheckInPropertyTests {
  private let people = (0..<10).map { "p\($0),,Somebody\n" }.joined()

  private func snapshot(_ scratch: ScratchDirectory, _ run: String, threads: Int, blockSize: Int) throws
    -> Manifest
  {
    let pipeline = try Pipeline(
      yaml: CheckInNight.yaml(expiry: "    expires_after: 1s"), file: scratch("p.yaml"))
    return try IngestStage.run(
      pipeline, in: scratch(run), asOf: Instant(milliseconds: 1100), clock: Night.clock, threads: threads,
      blockSize: blockSize, tool: "test")
  }

  // The last export is so long that ingest discards replaced check-ins while it still reads.
  @Test(arguments: [(0, 1), (7, 2), (300, 3), (3000, 4), (90_000, 5)])
  func `the newest check-in of each user equals a naive search, on any number of threads`(
    count: Int, seed: UInt64
  ) throws {
    let visits = Visit.random(count, seed: seed)
    let scratch = try ScratchDirectory()
    let files = CheckInNight.files(people: people, visits: visits.map(\.line).joined())
    for (name, text) in files { try scratch.write(text, to: name) }
    let manifest = try snapshot(scratch, "run", threads: 1, blockSize: 1 << 19)
    let valid = visits.filter { $0.who != "p10" && !$0.place.isEmpty }
    let known = valid.filter { $0.at <= 1100 }
    let newest = Dictionary(grouping: known, by: \.who).compactMapValues { visits in
      visits.max { ($0.at, $0.id) < ($1.at, $1.id) }
    }
    let table = try EntityTable(
      scratch("run/snapshot/entities/people"),
      EntitySchema(name: "people", hasPosition: true, attributes: ["place": .text]))
    for row in 0..<table.count {
      let expected = newest[table.ids.string(row)].flatMap { $0.at >= 100 ? $0 : nil }
      #expect(table.texts["place"]?.string(row) == expected?.place ?? "")
      #expect(table.latitude.map { $0[row].isNaN } == (expected == nil))
    }
    let counts = try #require(manifest.counts["sources"]?["visits"])
    #expect(counts["kept"] == .integer(newest.count))
    #expect(counts["merged"] == .integer(known.count - newest.count))
    #expect(counts["later"] == .integer(valid.count - known.count))
    #expect(counts["expired"] == .integer(newest.values.count { $0.at < 100 }))
    #expect(
      (counts["rejected"]?.total ?? 0) + (counts["dangling"]?.total ?? 0) == visits.count - valid.count)

    _ = try snapshot(scratch, "other", threads: 3, blockSize: 4096)
    let difference = try DirectoryContents(of: scratch("run/snapshot"))
      .differences(from: DirectoryContents(of: scratch("other/snapshot")))
    #expect(difference.isEmpty)
  }
}
