import CommandLine
import Files
import Glibc
import PipelineFile
import RunSchemas
import System
import Testing
import TestSupport
import Text

@testable import NightlyRuns

struct SpaceCheckTests {
  private let scratch: ScratchDirectory
  private let pipeline: Pipeline

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(String(repeating: "u,1\n", count: 25_000), to: "users.csv")
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }
      interactions:
        swipes: { source: { path: swipes.csv.gz }, user: a, candidate: b, at: at, value: v }
      rankings: { near: { users: users, candidates: users, top: 10 } }
      publish: { store: "sqlite:store/serving.sqlite" }

      """, to: "small.yaml")
    try scratch.write(String(repeating: "x", count: 1_000), to: "swipes.csv.gz")
    pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
  }

  private func check(free: Int?) -> SpaceCheck {
    var check = SpaceCheck(
      pipeline: pipeline, directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    check.free = { _ in free }
    return check
  }

  /// Writes a stage directory whose manifest lists exports of `read` uncompressed and `compressed`
  /// compressed bytes, and outputs of `bytes` bytes.
  private func stage(_ stage: Stage, of run: Int, bytes: Int, read: Int = 0, compressed: Int = 0) throws {
    var manifest = Manifest(
      tool: Tool.name, stage: stage.directory, pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 0), seed: 0,
      inputs: [
        FileDigest(path: "users.csv", bytes: read, sha256: ""),
        FileDigest(path: "swipes.csv.gz", bytes: compressed, sha256: ""),
      ],
      counts: ["sources": ["users": ["kept": 1_000]]])
    manifest.outputs = [FileDigest(path: "x", bytes: bytes, sha256: "")]
    try scratch.write(
      String(decoding: manifest.json, as: UTF8.self),
      to: "var/small/runs/\(run)/\(stage.directory)/manifest.json")
  }

  @Test func `a first run's need depends on its exports`() throws {
    // The exports have 100 000 uncompressed and 1 000 compressed bytes. The estimate counts a
    // compressed byte as five.
    #expect(try check(free: nil).needs(.ingest).map(\.bytes) == [73_500])
    try stage(.ingest, of: 2, bytes: 40_000)
    #expect(try check(free: nil).needs(.fit).map(\.bytes) == [8_000])
    // There are 1 000 users with lists of up to 10 entries. The estimate assumes that each list is a
    // tenth full.
    #expect(try check(free: nil).needs(.rank).map(\.bytes) == [330_000])
    try stage(.rank, of: 2, bytes: 2_000_000)
    let publish = try check(free: nil).needs(.publish)
    #expect(publish.map(\.bytes) == [2_000_000] && publish[0].path.hasSuffix("/store"))
    #expect(try check(free: nil).needs(.evaluate).isEmpty)
  }

  @Test func `a later run's need is the last run's output, scaled by the growth of its input`() throws {
    try stage(.ingest, of: 1, bytes: 40_000, read: 40_000, compressed: 2_000)
    try stage(.rank, of: 1, bytes: 1_000_000)
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    // The exports have grown from 50 000 to 105 000 bytes, if a compressed byte counts as five.
    #expect(try check(free: nil).needs(.ingest).map(\.bytes) == [92_400])
    try stage(.ingest, of: 2, bytes: 80_000)
    #expect(try check(free: nil).needs(.rank).map(\.bytes) == [2_200_000])
  }

  @Test func `a last run with an empty input still allows an estimate`() throws {
    try stage(.ingest, of: 1, bytes: 10)
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    #expect(try check(free: nil).needs(.ingest).map(\.bytes) == [1_155_000])
  }

  @Test func `all rankings and all stores on this machine need space`() throws {
    let overrides = [
      "rankings.far={ users: users, candidates: users, top: 5 }",
      #"publish.store=["postgresql://h/app", "sqlite:a/x.sqlite", "redis://127.0.0.1:6379", "sqlite:b/y.sqlite"]"#,
    ]
    var check = SpaceCheck(
      pipeline: try Pipeline(file: scratch("small.yaml"), overrides: overrides.map { try Override($0) }),
      directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    try stage(.ingest, of: 2, bytes: 40_000)
    let lists = try check.needs(.rank).map(\.bytes)
    #expect(lists == [495_000])
    try stage(.rank, of: 2, bytes: 2_000)
    let places = try check.needs(.publish).map(\.path)
    #expect(places == [scratch("a"), scratch("b")])
    check.free = { $0.hasSuffix("/b") ? 1_999 : 2_000 }
    let limited = check
    let error = #expect(throws: FileError.self) { try limited.check(.publish) }
    #expect(error?.path == scratch("b"))
  }

  @Test func `a stage without space does not start, and reports what it needs`() throws {
    try check(free: 73_500).check(.ingest)
    try check(free: nil).check(.ingest)
    let error = try #require(throws: FileError.self) { try check(free: 73_499).check(.ingest) }
    #expect(error.exitStatus == .ioError)
    #expect("\(error)".contains("ingest needs about 73.5 kB, but only 73.5 kB is free"))
  }

  @Test func `each stage writes to its own place, and has its own advice`() throws {
    try stage(.rank, of: 2, bytes: 2_000)
    try check(free: 2_000).check(.publish)
    let store = try #require(throws: FileError.self) { try check(free: 1_999).check(.publish) }
    #expect(store.operation == .write && store.path == scratch("store"))
    #expect(store.advice == "Free some space, or move the store to a larger disk.")
    let run = try #require(throws: FileError.self) { try check(free: 0).check(.ingest) }
    #expect(run.operation == .write && run.path == scratch("var/small/runs/2"))
    #expect(run.advice == "Free some space, lower 'keep_runs', or choose another directory with --work.")
  }

  @Test func `an existing write-ahead log of the store is overwritten`() throws {
    try stage(.rank, of: 2, bytes: 2_000)
    try scratch.write(String(repeating: "x", count: 500), to: "store/serving.sqlite-wal")
    #expect(try check(free: nil).needs(.publish).map(\.bytes) == [1_500])
  }

  @Test func `a stage that the last run lacks, or whose manifest is damaged, depends on its input`() throws {
    try stage(.ingest, of: 1, bytes: 40_000)
    try stage(.fit, of: 1, bytes: 500)
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    try stage(.ingest, of: 2, bytes: 80_000)
    #expect(try check(free: nil).needs(.fit).map(\.bytes) == [1_100])
    #expect(try check(free: nil).needs(.fit).map(\.path) == [scratch("var/small/runs/2")])
    #expect(try check(free: nil).needs(.index).map(\.bytes) == [16_000])
    try scratch.write("no JSON", to: "var/small/runs/1/models/manifest.json")
    #expect(try check(free: nil).needs(.fit).map(\.bytes) == [16_000])
    try scratch.write("no JSON", to: "var/small/runs/2/snapshot/manifest.json")
    #expect(throws: FileError.self) { try check(free: nil).needs(.fit) }
  }

  @Test func `the free space is measured on the run's disk, and is unknown without a disk`() throws {
    var status = statvfs()
    let code = unsafe statvfs(scratch.path, &status)
    try #require(code == 0)
    let expected = Double(status.f_bavail) * Double(status.f_frsize)
    let free = Double(try #require(SpaceCheck.free(scratch("not/there/yet"))))
    // Other processes use the same disk meanwhile.
    #expect(free > 0.5 * expected && free < 2 * expected)
    // /proc has no blocks, so its free space is unknown.
    #expect(SpaceCheck.free("/proc/self") == nil)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (99_400, "99.4 kB"), (123_456, "123 kB"),
    (999_600, "1.0 MB"),
    (3_100_000_000, "3.1 GB"), (5_000_000_000_000_000, "5000 TB"),
  ])
  func `numbers of bytes have a readable form`(bytes: Int, text: String) {
    #expect(bytes.asBytes == text)
  }
}
