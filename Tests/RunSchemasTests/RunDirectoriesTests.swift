import Files
import Foundation
import System
import Testing
import TestSupport
import Text

@testable import RunSchemas

@Suite struct RunDirectoriesTests {
  let scratch: ScratchDirectory
  let runs: RunDirectories

  init() throws {
    scratch = try ScratchDirectory()
    runs = RunDirectories(work: scratch.path, pipeline: "p")
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: scratch("p/runs"))) ?? []).sorted()
  }

  @Test func `runs are numbered after the largest number`() throws {
    #expect(try runs.numbers() == [])
    #expect(try (0..<3).map { _ in try runs.createNext() } == [1, 2, 3])
    try Directories.remove(runs.path(of: 2))
    #expect(try runs.createNext() == 4)
    #expect(try runs.numbers() == [1, 3, 4])
    #expect(runs.path(of: 4) == scratch("p/runs/4"))
  }

  @Test func `numbers are sorted as numbers, and other names are ignored`() throws {
    for name in ["9", "10", "x", "-3", "0", "5.partial", ".7", "1e3"] {
      try Directories.create(scratch("p/runs/" + name))
    }
    #expect(try runs.numbers() == [9, 10])
    #expect(try runs.createNext() == 11)
  }

  @Test func `the largest possible number is an error, not a trap`() throws {
    try Directories.create(scratch("p/runs/\(Int.max)"))
    let error = #expect(throws: FileError.self) { _ = try runs.createNext() }
    #expect(error?.operation == .create)
  }

  @Test(arguments: [
    (1, ["12"]), (2, ["11", "12"]), (7, ["10", "11", "12", "9"]), (100, ["10", "11", "12", "9"]),
  ])
  func `pruning keeps the newest runs`(count: Int, left: [String]) throws {
    for run in 9...12 { try make(run, isComplete: true) }
    try runs.prune(keeping: count)
    #expect(names == left)
  }

  @Test func `failed runs do not displace complete ones`() throws {
    for run in 1...6 { try make(run, isComplete: run == 2 || run == 4) }
    try Directories.create(scratch("p/runs/7"))
    try runs.prune(keeping: 2)
    #expect(names == ["2", "3", "4", "5", "6", "7"])
    try runs.prune(keeping: 1)
    #expect(names == ["4", "5", "6", "7"])
  }

  @Test func `pruning ignores entries that are not runs`() throws {
    for run in 1...2 { try make(run, isComplete: true) }
    try Directories.create(scratch("p/runs/notes"))
    try runs.prune(keeping: 1)
    #expect(names == ["2", "notes"])
  }

  private func make(_ run: Int, isComplete: Bool) throws {
    let directory = runs.path(of: run)
    try Directories.create(directory)
    var record = RunRecord(
      pipeline: "p", pipelineFile: "p.yaml", overrides: [], run: run, threads: 1,
      started: Instant(milliseconds: 1_795_000_000_000))
    record.complete = isComplete
    try record.write(to: directory)
  }

  @Test func `latest points to the run that was marked last`() throws {
    #expect(#expect(throws: FileError.self) { _ = try runs.latest() }?.operation == .find)
    for _ in 0..<2 {
      let run = try runs.createNext()
      try runs.markLatest(run)
      let latest = try runs.latest()
      #expect(URL(filePath: latest).resolvingSymlinksInPath().lastPathComponent == String(run))
    }
    // The link is relative, so the work directory can be moved.
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch("p/latest")) == "runs/2")
  }

  @Test func `a latest that points to a removed run is ignored`() throws {
    let run = try runs.createNext()
    try runs.markLatest(run)
    try Directories.remove(runs.path(of: run))
    #expect(#expect(throws: FileError.self) { _ = try runs.latest() }?.operation == .find)
  }

  @Test func `only files of dead processes are leftovers`() throws {
    try make(1, isComplete: true)
    let leftovers = [
      "latest.7.partial", "runs/.removed-3/run.json", "runs/1/.snapshot.partial/x", "runs/1/.index.partial",
      "runs/1/.models.partial.stopped/x", "runs/1/.evaluation.partial", "runs/1/run.json.7.partial",
      "runs/1/run.json.7.stopped",
    ]
    let others = [
      "latest.txt", "notes.partial", "runs/notes.removed-", "runs/1/.partial", "runs/1/.notes.partial",
      "runs/1/.index.partial.7", "runs/1/index/x.partial", "runs/1/run.json", "runs/1/run.json.7",
      "runs/1/run.partial",
    ]
    for name in leftovers + others.filter({ $0 != "runs/1/run.json" }) {
      try scratch.write("", to: "p/" + name)
    }
    try runs.removeLeftovers()
    #expect(scratch.files == others.map { "p/" + $0 }.sorted())
    try RunDirectories(work: scratch.path, pipeline: "none").removeLeftovers()
  }

  @Test func `the only pipeline with a complete run needs no name`() throws {
    func only() throws -> String { try RunDirectories.only(in: scratch("work")).root }
    func status() -> Int32? { #expect(throws: StageFailure.self) { try only() }?.exitStatus.rawValue }
    #expect(status() == 66)
    try scratch.write("", to: "work/b/runs/1/run.json")
    #expect(status() == 66)
    try Directories.create(scratch("work/b/latest"))
    #expect(try only() == scratch("work/b"))
    try Directories.create(scratch("work/a/latest"))
    #expect(try RunDirectories.pipelines(in: scratch("work")) == ["a", "b"] && status() == 64)
  }

  @Test func `a run directory is in the runs of its pipeline`() throws {
    try make(1, isComplete: true)
    try runs.markLatest(1)
    for path in ["p/runs/1", "p/runs/1/", "p/runs/../runs/./1", "p/latest"] {
      #expect(
        RunDirectories(around: scratch(path))?.root == Directories.resolved(scratch("p")), "\(path)")
    }
    for path in ["p/runs", "p", "runs1/1"] {
      #expect(RunDirectories(around: scratch(path)) == nil, "\(path)")
    }
  }

  @Test func `a directory without a record is no complete run and has no number`() throws {
    try make(3, isComplete: true)
    #expect(try RunRecord.number(of: runs.path(of: 3)) == 3 && RunRecord.isComplete(runs.path(of: 3)))
    #expect(try RunRecord.number(of: scratch.path) == nil && !RunRecord.isComplete(scratch.path))
  }

  @Test func `a record of another version needs no seal and may lack newer keys`() throws {
    try make(1, isComplete: true)
    let whole = try scratch.text("p/runs/1/run.json")
    var record = try #require(
      try JSONSerialization.jsonObject(with: Data(whole.utf8)) as? [String: Any])
    record["seal"] = nil
    record["accept_drop"] = nil
    func write() throws {
      try scratch.write(JSONSerialization.data(withJSONObject: record), to: "p/runs/1/run.json")
    }
    try write()
    #expect(#expect(throws: FileError.self) { try RunRecord(of: runs.path(of: 1)) }?.operation == .read)
    record["tool"] = "nightjar 0.0.1"
    try write()
    #expect(try RunRecord(of: runs.path(of: 1)).complete)
    record["threads"] = nil
    try write()
    let error = #expect(throws: FileError.self) { try RunRecord(of: runs.path(of: 1)) }
    #expect(error?.reason.contains("this version cannot read it") == true)
  }

  @Test func `a record round-trips`() throws {
    var record = RunRecord(
      pipeline: "p", pipelineFile: "pipelines/../p.yaml", overrides: ["seed=5"], run: 3, threads: 2,
      started: Instant(milliseconds: 1_795_000_000_000))
    record.stages = [RunRecord.StageRecord(stage: "ingest", seconds: 0.25, status: 0, peakMemory: 1 << 20)]
    record.published = ["generation": 4]
    record.complete = true
    for _ in 0..<2 { try record.write(to: scratch.path) }
    let back = try RunRecord(of: scratch.path)
    #expect(back.run == 3)
    #expect(back.overrides == ["seed=5"])
    #expect(back.complete)
    #expect(back.published?["generation"] == 4)
    #expect(back.stages.map(\.seconds) == [0.25])
    #expect(back.pipelineFile == FileManager.default.currentDirectoryPath + "/p.yaml")
    #expect(scratch.files == ["run.json"])
    #expect(throws: FileError.self) { _ = try RunRecord(of: scratch("none")) }
  }

  @Test func `a damaged record is an error that names it`() throws {
    try make(1, isComplete: true)
    let path = runs.path(of: 1) + "/run.json"
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for bit in stride(from: 0, to: 8 * whole.count, by: 5) {
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try Data(damaged).write(to: URL(filePath: path))
      let error = #expect(throws: FileError.self) { _ = try RunRecord(of: runs.path(of: 1)) }
      #expect(error?.operation == .read && error?.path == path, "bit \(bit)")
    }
    try FileManager.default.removeItem(atPath: path)
    let error = #expect(throws: FileError.self) { _ = try RunRecord(of: runs.path(of: 1)) }
    #expect(error?.operation == .read)
  }

  @Test func `a record of another run counts as damaged`() throws {
    for run in 1...2 { try make(run, isComplete: run == 2) }
    let other = try Data(contentsOf: URL(filePath: runs.path(of: 2) + "/run.json"))
    try other.write(to: URL(filePath: runs.path(of: 1) + "/run.json"))
    let error = #expect(throws: FileError.self) { _ = try RunRecord.isComplete(runs.path(of: 1)) }
    #expect(error?.operation == .read && error?.reason.contains("run 2") == true)
    // The record may also be read through the link.
    try runs.markLatest(2)
    #expect(try RunRecord(of: runs.latest()).run == 2)
  }

  @Test func `latest neither moves back from a damaged record nor loses its run`() throws {
    for run in 1...2 { try make(run, isComplete: true) }
    try runs.markLatest(2)
    try scratch.write("", to: "p/runs/2/run.json")
    for run in 3...4 { try make(run, isComplete: false) }
    for _ in 0..<2 {
      try runs.completeLatest()
      try runs.makeRoom(keeping: 5)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch("p/latest")) == "runs/2")
      #expect(names == ["1", "2", "4"])
    }
    // A link that points to a removed run is replaced.
    try Directories.remove(runs.path(of: 2))
    try runs.completeLatest()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch("p/latest")) == "runs/1")
  }

  @Test(arguments: 1...4) func `the runs that will be removed are known beforehand`(count: Int) throws {
    for run in 1...8 { try make(run, isComplete: [2, 4, 5, 7].contains(run)) }
    try Directories.create(scratch("p/runs/.removed-9"))
    func paths(_ gone: Set<String>) -> Set<String> { Set(gone.map { scratch("p/runs/\($0)") }) }
    let before = try Set(runs.removedBefore(keeping: count))
    let after = try Set(runs.removedAfter(keeping: count))
    var last = Set(names)
    try runs.removeLeftovers()
    try runs.makeRoom(keeping: count)
    #expect(before == paths(last.subtracting(names)))
    last = Set(names)
    try make(9, isComplete: true)
    try runs.prune(keeping: count)
    #expect(after == paths(last.subtracting(names)))
  }

  @Test func `a run is chosen by its number or its path`() throws {
    for run in 1...2 { try make(run, isComplete: true) }
    try runs.markLatest(2)
    #expect(try Directories.resolved(runs.directory(chosen: nil)) == Directories.resolved(runs.path(of: 2)))
    #expect(try runs.directory(chosen: "1") == runs.path(of: 1))
    let elsewhere = scratch("elsewhere")
    try Directories.create(elsewhere)
    #expect(try runs.directory(chosen: elsewhere) == elsewhere)
    for missing in ["7", scratch("missing"), "-"] {
      let error = #expect(throws: FileError.self) { _ = try runs.directory(chosen: missing) }
      #expect(error?.operation == .find, "\(missing)")
    }
    let kept = #expect(throws: FileError.self) { _ = try runs.directory(chosen: "7") }
    #expect("\(kept.map { "\($0)" } ?? "")".contains("1, 2"))
  }
}
