import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import System
import Testing
import Text

@testable import Reports

struct KeptRunsTests {
  private let fixture: StageFixture
  private let kept: KeptRuns
  private let runs: RunDirectories

  /// Runs 1 and 4 are complete. Run 2 failed in rank, run 3 has no record, and run 5 failed in fit.
  init() throws {
    let world = RandomExport(seed: 1, people: 12, swipes: 60)
    let yaml = RandomExport.yaml(
      features: "[{ number: experience }]", ranking: "    exclude: [self]\n    order_by: distance\n    top: 3"
    )
    fixture = try StageFixture(yaml: yaml, files: world.files)
    try fixture.runStages(asOf: Instant(milliseconds: 60))
    runs = RunDirectories(work: fixture.directory + "/var", pipeline: "random")
    for number in 1...5 {
      try Directories.create(runs.path(of: number))
      if number == 3 { continue }
      var record = RunRecord(
        pipeline: "random", pipelineFile: "p.yaml", overrides: [], run: number, threads: 1,
        started: Instant(milliseconds: 1_795_000_000_000))
      if number == 1 || number == 4 {
        for stage in ["snapshot", "index", "models", "rankings"] {
          try FileManager.default.copyItem(
            atPath: fixture.run + "/" + stage, toPath: runs.path(of: number) + "/" + stage)
        }
        record.complete = true
        record.published = ["store": "sqlite:x", "generation": .integer(number)]
      } else {
        record.stages = [
          RunRecord.StageRecord(stage: "ingest", seconds: 1, status: 0, peakMemory: nil),
          RunRecord.StageRecord(
            stage: number == 2 ? "rank" : "fit", seconds: 1, status: 74, peakMemory: nil),
        ]
      }
      try record.write(to: runs.path(of: number))
    }
    try runs.markLatest(4)
    kept = KeptRuns(runs)
  }

  @Test func `a run is chosen by number or path, and the default is the last complete run`() throws {
    #expect(try kept.run(nil).record?.number == 4)
    #expect(try kept.run("1").record?.number == 1)
    let byHand = try kept.run(fixture.run)
    #expect(byHand.record == nil && byHand.name == "random")
    let error = #expect(throws: FileError.self) { _ = try kept.run("9") }
    #expect(error?.advice == "Choose one of the kept runs: 1, 2, 3, 4, 5.")
    #expect(throws: FileError.self) { _ = try kept.run("nowhere") }
  }

  @Test func `a record's facts are the run's number, start and generations`() throws {
    let facts = try #require(try kept.run("4").record)
    #expect(facts.started != nil)
    #expect(facts.generations.map(\.store) == ["sqlite:x"] && facts.generations.map(\.generation) == [4])
  }

  @Test func `the previous run is the newest earlier complete run, and failed runs are skipped`() throws {
    guard case .read(let previous) = try kept.previous(of: kept.run(nil)) else {
      Issue.record("run 1 was not found")
      return
    }
    #expect(previous.record?.number == 1)
    guard case .none = try kept.previous(of: kept.run("1")) else {
      Issue.record("a run before run 1 was found")
      return
    }
    guard case .none = try kept.previous(of: kept.run(fixture.run)) else {
      Issue.record("a run by hand got a number")
      return
    }
  }

  @Test func `later runs that did not end are listed with the failed stage`() throws {
    let later = try kept.unfinished(after: kept.run("1"))
    #expect(later.map(\.number) == [2, 3, 5])
    #expect(later.map { $0.failure?.stage } == ["rank", nil, "fit"])
    #expect(later.map { $0.failure?.status } == [74, nil, 74])
    #expect(try kept.unfinished(after: kept.run("4")).map(\.number) == [5])
  }

  @Test func `the index has each pipeline with a complete run`() throws {
    try Directories.create(fixture.directory + "/var/unborn/runs/1")
    let entries = try KeptRuns.entries(in: fixture.directory + "/var")
    #expect(entries.map(\.name) == ["random"])
    #expect(entries[0].runs.compactMap(\.record?.number) == [1, 4])
    #expect(entries[0].unfinished.map(\.number) == [5])
    #expect(try KeptRuns.entries(in: fixture.directory + "/none").isEmpty)
  }

  @Test func `a run of another pipeline is rejected without a report`() throws {
    let out = fixture.directory + "/out"
    let error = #expect(throws: StageFailure.self) {
      _ = try kept.writeReport(
        of: "other", nil, work: fixture.directory + "/var", to: out, tool: "test")
    }
    #expect(
      error?.exitStatus == .badData && error?.description.contains("'random', not of 'other'") == true)
    #expect(!Directories.exists(out))
    let written = try kept.writeReport(
      of: "random", "1", work: fixture.directory + "/var", to: out, tool: "test")
    #expect(written == out + "/random.html" && Directories.exists(out + "/index.html"))
  }

  @Test func `a failure before the first stage follows the failed runs, and each report names it`() throws {
    try FailedStart(.badPipelineFile, at: Instant(milliseconds: 1_795_000_000_000)).write(to: runs.root)
    let later = try kept.unfinished(after: kept.run(nil))
    #expect(later.map(\.number) == [5, nil])
    let words = "the night of 2026-11-18 11:06 UTC failed before its first stage (status 78)"
    #expect(later[1].words.shown == words)
    let out = fixture.directory + "/out"
    _ = try kept.writeReport(of: "random", nil, work: fixture.directory + "/var", to: out, tool: "test")
    for page in ["random.html", "index.html", "feed.xml"] {
      #expect(try text("\(out)/\(page)").contains("failed before its first stage"), "\(page)")
    }
  }

  @Test func `without a complete run, the page and the index name the failure`() throws {
    let (work, out) = (fixture.directory + "/new", fixture.directory + "/out")
    let runs = RunDirectories(work: work, pipeline: "first")
    let kept = KeptRuns(runs)
    try Directories.create(runs.path(of: 1))
    #expect(throws: FileError.self, "a run that is still running is no failure") {
      _ = try kept.writeReport(of: "first", nil, work: work, to: out, tool: "test")
    }
    var record = RunRecord(
      pipeline: "first", pipelineFile: "p.yaml", overrides: [], run: 1, threads: 1,
      started: Instant(milliseconds: 1_795_000_000_000))
    record.finished = record.started
    record.status = 65
    try record.write(to: runs.path(of: 1))
    let written = try kept.writeReport(of: "first", nil, work: work, to: out, tool: "test")
    #expect(written == out + "/first.html")
    for page in ["first.html", "index.html", "feed.xml"] {
      #expect(try text("\(out)/\(page)").contains("failed (status"), "\(page)")
    }
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func `a complete run that cannot be read is reported as unreadable`() throws {
    try FileManager.default.removeItem(atPath: runs.path(of: 1) + "/rankings")
    var unreadable: [Int] = []
    if case .unreadable(let number) = try kept.previous(of: kept.run(nil)) { unreadable.append(number) }
    #expect(unreadable == [1])
    let entry = try kept.entry("random")
    #expect(entry.name == "random" && entry.unreadable == [1])
    #expect(entry.runs.compactMap(\.record?.number) == [4] && entry.unfinished.map(\.number) == [5])
    try FileManager.default.removeItem(atPath: runs.path(of: 4) + "/snapshot")
    let none = try kept.entry("random")
    #expect(none.unreadable == [1, 4] && none.runs.isEmpty && none.unfinished.isEmpty)
  }

  @Test func `a report names the previous run and the later failures`() throws {
    let (work, out) = (fixture.directory + "/var", fixture.directory + "/out")
    _ = try kept.writeReport(of: "random", "1", work: work, to: out, tool: "test")
    let first = try text(out + "/random.html")
    #expect(first.contains("There is no earlier complete run") && first.contains("other incomplete runs"))
    // No usual umask gives this mode.
    let access = FileAccess(mode: 0o614, group: nil)
    _ = try kept.writeReport(of: "random", nil, work: work, to: out, tool: "test", access)
    let last = try text(out + "/random.html")
    #expect(last.contains("This run read the same exports as run 1."))
    #expect(
      last.contains(
        "run <data value=\"5\">5</data> failed in fit (status <data value=\"74\">74</data>)"))
    #expect(try text(out + "/index.html").contains("Made by test."))
    for file in ["random.html", "index.html", "feed.xml"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: out + "/" + file)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o614, "\(file)")
    }
  }

  @Test func `a comparison is of the first run with the second`() throws {
    let out = fixture.directory + "/out"
    // No usual umask gives this mode.
    let access = FileAccess(mode: 0o614, group: nil)
    let path = try kept.writeComparison(of: "4", with: "1", to: out, access)
    #expect(path == out + "/random/compare-4-1.html")
    #expect(try text(path).contains("Two runs of random: run 4 and run 1</title>"))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o614)
  }

  @Test func `each store of a run has its generation`() {
    var record = RunRecord(
      pipeline: "random", pipelineFile: "p.yaml", overrides: [], run: 7, threads: 1,
      started: Instant(milliseconds: 1_795_000_000_123))
    #expect(ReportedRun.RunFacts(record).generations.isEmpty)
    record.published = .array([
      ["store": "a", "generation": 1], ["store": "b"], ["generation": 2], ["store": "c", "generation": 3],
    ])
    let facts = ReportedRun.RunFacts(record)
    #expect(facts.number == 7 && facts.started?.milliseconds == 1_795_000_000_123)
    #expect(facts.generations.map(\.store) == ["a", "c"] && facts.generations.map(\.generation) == [1, 3])
  }
}
