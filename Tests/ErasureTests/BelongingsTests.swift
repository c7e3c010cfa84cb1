import Columns
import Erasure
import Files
import Ingest
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text
import Tombstones

/// Erasing a person also removes the rows that the person owns, and the rows that belong to those
/// rows. Check-ins and other people's interactions with any removed row are removed too.
@Suite struct BelongingsTests {
  private static let clock = Instant(milliseconds: 1_767_225_600_000)

  private func ingested(
    _ world: OwnedWorld, _ tombstones: TombstoneSet, asOf: Instant?, threads: Int = 1,
    blockSize: Int = 1 << 20
  ) throws -> (scratch: ScratchDirectory, pipeline: Pipeline, manifest: Manifest) {
    let scratch = try ScratchDirectory()
    for (name, text) in world.files { try scratch.write(text, to: name) }
    let pipeline = try Pipeline(yaml: OwnedWorld.yaml, file: scratch("p.yaml"))
    let manifest = try IngestStage.run(
      pipeline, in: scratch("runs/1"), asOf: asOf, clock: Self.clock, tombstones: tombstones,
      threads: threads, blockSize: blockSize, tool: "test")
    return (scratch, pipeline, manifest)
  }

  /// The files of a snapshot except its manifest, and its rejects without row numbers.
  private func files(of scratch: ScratchDirectory, _ manifest: Manifest) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for output in manifest.outputs {
      files[output.path] = try scratch.bytes("runs/1/snapshot/" + output.path)
    }
    let rejects = plainCSVText(files["rejects.csv"] ?? []).map { $0[0...1] + $0[3...] }
    files["rejects.csv"] = Array(rejects.map { $0.joined(separator: ",") }.joined(separator: "\n").utf8)
    return files
  }

  private func tombstones() throws -> TombstoneSet {
    let directory = TombstoneDirectory(try ScratchDirectory()("erasures"))
    try directory.add(OwnedWorld.victims.map { (Array($0.utf8), "people") })
    return try directory.load()
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `the snapshot equals an ingest of exports without the person's rows`(seed: UInt64) throws {
    let world = OwnedWorld(seed: seed, isPlain: false)
    let clean = world.withoutVictims
    let tombstones = try tombstones()
    let asOf = seed.isMultiple(of: 2) ? Instant(milliseconds: 60) : nil
    let expected = try ingested(clean, .none, asOf: asOf)
    let found = try ingested(world, tombstones, asOf: asOf)
    let expectedFiles = try files(of: expected.scratch, expected.manifest)
    let foundFiles = try files(of: found.scratch, found.manifest)
    #expect(Set(foundFiles.keys) == Set(expectedFiles.keys))
    for (name, bytes) in expectedFiles { #expect(foundFiles[name] == bytes, "\(name) differs") }
    for source in OwnedWorld.sources {
      let (read, left) = (world.rows[source]?.count ?? 0, clean.rows[source]?.count ?? 0)
      try #require(left < read, "no row of \(source) belongs to the person")
      let counts = found.manifest.counts["sources"]?[source]
      #expect(counts?["read"]?.integerValue == read)
      #expect(counts?["erased"]?.integerValue == read - left, "\(source)")
      for key in ["kept", "merged", "later", "rejected", "dangling", "not_allowed"] {
        #expect(counts?[key] == expected.manifest.counts["sources"]?[source]?[key], "\(source): \(key)")
      }
    }
    for (threads, blockSize) in [(1, 100), (2, 1000), (8, 1)] {
      let other = try ingested(world, tombstones, asOf: asOf, threads: threads, blockSize: blockSize)
      let otherFiles = try files(of: other.scratch, other.manifest)
      #expect(otherFiles == foundFiles && other.manifest.counts == found.manifest.counts)
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `an erased run contains nothing that belongs to the person`(seed: UInt64) throws {
    let world = OwnedWorld(seed: seed, isPlain: true)
    let asOf = Instant(milliseconds: 60)
    let run = try ingested(world, .none, asOf: asOf)
    let expected = try ingested(world.withoutVictims, .none, asOf: asOf)
    let rejects = try run.scratch.text("runs/1/snapshot/rejects.csv")
    try #require(rejects.contains("CANARY"))

    var ids = ErasedIDs()
    for victim in OwnedWorld.victims { ids.insert(Array(victim.utf8), entity: "people") }
    let erasure = RunErasure(ids, tombstones: .none, tool: "test")
    let belongings = try erasure.belongings(in: run.scratch("runs/1"))
    let erased = try #require(try erasure.erase(run.scratch("runs/1"), isDryRun: false))
    #expect(erased.ids.byEntity == belongings.byEntity)
    #expect(erased.counts.entities == belongings.count)
    for (entity, ids) in belongings.byEntity {
      #expect(ids.allSatisfy { String(decoding: $0, as: UTF8.self).hasPrefix("CANARY") }, "\(entity)")
    }

    let manifest = try Manifest(of: run.scratch("runs/1/snapshot"))
    for output in manifest.outputs {
      let bytes = try run.scratch.bytes("runs/1/snapshot/" + output.path)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("CANARY"), "\(output.path)")
      if output.path != "rejects.csv" {
        #expect(try bytes == expected.scratch.bytes("runs/1/snapshot/" + output.path), "\(output.path)")
      }
    }
    #expect(manifest.outputs.map(\.path) == expected.manifest.outputs.map(\.path))
    #expect(try erasure.erase(run.scratch("runs/1"), isDryRun: false) == nil)
  }

  @Test func `an erasure records what the person owns, because a store may be restored`() throws {
    let run = try ingested(
      OwnedWorld(seed: 1, isPlain: true), .none, asOf: Instant(milliseconds: 60))
    let root = run.scratch.path
    let runs = RunDirectories(work: Directories.parent(of: root), pipeline: Directories.name(of: root))
    let victim = Array(OwnedWorld.victims[0].utf8)
    var ids = ErasedIDs()
    ids.insert(victim, entity: "people")
    let owned = try RunErasure(ids, tombstones: .none, tool: "test").belongings(in: runs.path(of: 1))
    try #require(owned.of("notes").count > 0 && owned.of("replies").count > 0)
    let erasure = try PersonErasure(of: victim, entity: "people", from: run.pipeline, runs: runs)
    // The second erasure finds nothing in the run, and keeps the record.
    for _ in 0..<2 { try erasure.erase(isDryRun: false, tool: "test") { _ in } }
    let tombstones = try TombstoneDirectory(run.scratch("erasures")).load()
    #expect(tombstones.count == 1)
    for (entity, ids) in owned.byEntity {
      for id in ids {
        let isPerson = tombstones.contain(id.span, of: entity)
        let isItem = tombstones.containFormerBelonging(id.span, of: entity)
        #expect(isPerson == (entity == "people") && isItem == (entity != "people"))
      }
    }
    try erasure.lift()
    #expect(try run.scratch.text("erasures/belongings").isEmpty)
  }

  /// Without a snapshot, the erasure does not know which ids belong to the person.
  @Test func `the rejects of an incomplete run lose all ids`() throws {
    let scratch = try ScratchDirectory()
    let header = "file,unit,number,field,rule,value\n"
    try scratch.write(
      header + "swipes.csv,line,2,who,unknown_user,gone\nswipes.csv,line,3,who,unknown_user,dog\n",
      to: "runs/1/rejects.csv")
    var ids = ErasedIDs()
    ids.insert(Array("gone".utf8), entity: "people")
    let erased = try RunErasure(ids, tombstones: .none, tool: "test")
      .erase(scratch("runs/1"), isDryRun: false)
    #expect(erased?.counts.rejects == 1)
    #expect(try scratch.text("runs/1/rejects.csv") == header + "swipes.csv,line,3,who,unknown_user,\n")
  }

  @Test func `a dry run of an incomplete run counts its rejects and changes nothing`() throws {
    let scratch = try ScratchDirectory()
    let text = "file,unit,number,field,rule,value\nswipes.csv,line,2,who,unknown_user,gone\n"
    try scratch.write(text, to: "runs/1/rejects.csv")
    try Directories.create(scratch("runs/2"))
    var ids = ErasedIDs()
    ids.insert(Array("gone".utf8), entity: "people")
    let erasure = RunErasure(ids, tombstones: .none, tool: "test")
    let erased = try #require(try erasure.erase(scratch("runs/1"), isDryRun: true))
    #expect(erased.counts.rejects == 1 && erased.counts.total == 1 && erased.ids.isEmpty)
    #expect(try scratch.text("runs/1/rejects.csv") == text)
    #expect(try erasure.erase(scratch("runs/2"), isDryRun: false) == nil)
    #expect(try erasure.belongings(in: scratch("runs/2")).isEmpty)
  }

  @Test(arguments: ["index", "models", "rankings", "evaluation"])
  func `a run whose snapshot is gone cannot be edited`(stage: String) throws {
    let scratch = try ScratchDirectory()
    try Directories.create(scratch("runs/1/" + stage))
    var ids = ErasedIDs()
    ids.insert(Array("gone".utf8), entity: "people")
    let error = try #require(throws: FileError.self) {
      try RunErasure(ids, tombstones: .none, tool: "test").erase(scratch("runs/1"), isDryRun: false)
    }
    #expect(error.operation == .find && error.path == scratch("runs/1/snapshot"))
    #expect(error.reason == "without the snapshot, the rows of '\(stage)' cannot be assigned to people")
  }

  @Test func `an entity that changed owners loses the versions with an erased owner`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("id\nada\nCANARY\n", to: "people.csv")
    try scratch.write(
      "id,by,changed,text\nn,CANARY,1,CANARY text\nn,ada,2,hers\nn,ada,3,hers still\n", to: "notes.csv")
    let pipeline = try Pipeline(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          notes:
            source: { path: notes.csv }
            id: id
            updated: changed
            owner: { from: by, entity: people }
            attributes: { text: { type: category } }
        """, file: scratch("p.yaml"))
    _ = try IngestStage.run(
      pipeline, in: scratch("runs/1"), asOf: Instant(milliseconds: 9), clock: Self.clock, tool: "test")
    var ids = ErasedIDs()
    ids.insert(Array("CANARY".utf8), entity: "people")
    let erasure = RunErasure(ids, tombstones: .none, tool: "test")
    let erased = try #require(try erasure.erase(scratch("runs/1"), isDryRun: false))
    #expect(erased.counts.entities == 1)
    for name in scratch.files where name.hasPrefix("runs/") {
      #expect(!String(decoding: try scratch.bytes(name), as: UTF8.self).contains("CANARY"), "\(name)")
    }
    let snapshot = try Snapshot(
      scratch("runs/1/snapshot"), entities: pipeline.entities.map(\.schema), interactions: [])
    #expect(snapshot.entities["notes"]?.ids.strings == ["n"])
    #expect(snapshot.entities["notes"]?.earlier?.count == 1)
  }
}
