import CommandLine
import Files
import Foundation
import PipelineFile
import RunSchemas
import ServingStore
import System
import TestSupport
import Testing
import Text
import Tombstones

@testable import NightlyRuns

/// The checks of the doctor, their order, and the form in which they are printed.
@Suite struct DoctorChecksTests {
  private let scratch: ScratchDirectory
  private static let now = Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write("id,lat,lng,age\nu1,0,0,1\n", to: "users.csv")
    try scratch.write("a,b,at,v\n", to: "swipes.csv")
  }

  private var directories: RunDirectories { RunDirectories(work: scratch("var"), pipeline: "small") }

  /// The checks of a pipeline with the given stores.
  private func checks(
    stores: String = "", asOf: String = "newest", _ overrides: [String] = [], evaluates: Bool = false,
    now: Instant = Self.now, work: String? = nil
  ) throws -> [HealthCheck] {
    try scratch.write(
      """
      pipeline: small
      as_of: \(asOf)
      entities:
        users:
          source: { path: users.csv }
          id: id
          position: { latitude: lat, longitude: lng }
          attributes: { age: { type: number } }
      interactions: { swipes: { source: { path: swipes.csv }, user: a, candidate: b, at: at, value: v } }
      models: { taste: { learns_from: swipes, features: [{ number: age }], prior: population } }
      rankings: { near: { users: users, candidates: users, order_by: distance, top: 10 } }
      evaluation: { cut: 0.8, model: taste }
      \(stores.isEmpty ? "" : "publish: { store: \(stores) }")

      """, to: "small.yaml")
    let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: overrides.map { try Override($0) })
    let work = work ?? scratch("var")
    return Doctor(pipeline, work: work, now: now, evaluates: evaluates, environment: [:]).checks()
  }

  private var lastRuns: LastRuns { LastRuns(directories, pipelineFile: "a/small.yaml") }

  private func first(_ name: String, of checks: [HealthCheck]) throws -> HealthCheck {
    try #require(checks.first { $0.name == name })
  }

  /// Writes the complete run 1 and the link to it.
  private func complete(peakMemory: Int? = nil, finished: String? = nil, overrides: [String] = []) throws {
    var record = RunRecord(
      pipeline: "small", pipelineFile: "small.yaml", overrides: overrides, run: 1, threads: 1,
      started: Instant(milliseconds: 0))
    record.stages = [
      RunRecord.StageRecord(stage: "ingest", seconds: 0.5, status: 0, peakMemory: 1000),
      RunRecord.StageRecord(stage: "index", seconds: 0.25, status: 0, peakMemory: peakMemory),
      RunRecord.StageRecord(stage: "rank", seconds: 1, status: 0, peakMemory: 2000),
    ]
    (record.complete, record.finished) = (true, finished)
    try Directories.create(directories.path(of: 1))
    try record.write(to: directories.path(of: 1))
    try directories.markLatest(1)
  }

  /// Writes a manifest of run 1 that lists an output of `bytes` bytes, which does not exist.
  private func manifest(_ stage: Stage, bytes: Int, asOf: Instant = Instant(milliseconds: 0)) throws {
    var manifest = Manifest(
      tool: "test", stage: stage.directory, pipeline: "small", configuration: .null, asOf: asOf, seed: 0,
      counts: .null)
    manifest.outputs = [FileDigest(path: "x", bytes: bytes, sha256: "")]
    try scratch.write(manifest.json, to: "var/small/runs/1/\(stage.directory)/manifest.json")
  }

  // MARK: - Forms

  @Test(arguments: [
    (HealthCheck.Verdict.well, "ok", 0, "ok    ", 32), (.note, "note", 0, "note  ", 33),
    (.ill(.badData), "fails", 65, "FAILS ", 31),
  ])
  func `a check is a line, a JSON object and a CSV row`(
    verdict: HealthCheck.Verdict, word: String, status: Int, shown: String, color: Int
  ) {
    let check = HealthCheck("store", verdict, "a\u{1B}b")
    let expected: JSONValue = [
      "name": "store", "verdict": .string(word), "status": .integer(status), "found": "a\u{1B}b",
    ]
    #expect(check.json == expected)
    #expect(check.lines(width: nil, isColored: false) == [shown + " store      a\\u001bb"])
    #expect(
      check.lines(width: 80, isColored: true) == ["\u{1B}[\(color)m\(shown)\u{1B}[0m store      a\\u001bb"])
    #expect(
      [check].csv.rows == ["name,verdict,status,found", "store,\(word),\(status),a\\u001bb"])
  }

  @Test func `a finding that is too wide continues below its beginning`() {
    let check = HealthCheck("lock", .well, "free, and no process waits")
    let lines = ["ok     lock       free, and no", "                  process waits"]
    #expect(check.lines(width: 31, isColored: false) == lines)
    let colored = ["\u{1B}[32mok    \u{1B}[0m lock       free, and no", lines[1]]
    #expect(check.lines(width: 31, isColored: true) == colored)
  }

  @Test func `the first failed check decides the status`() {
    let checks = [
      HealthCheck("a", .note, ""), HealthCheck("b", .ill(.ioError), ""), HealthCheck("c", .ill(.badData), ""),
    ]
    #expect(checks.status == .ioError)
    #expect(Array(checks.prefix(1)).status == .complete)
    #expect(Array(checks.suffix(1)).status == .badData)
    #expect(Array(checks.prefix(0)).status == .complete)
    let held = LockHeld(path: "p", holder: "h")
    #expect(HealthCheck("lock", held) == HealthCheck("lock", .ill(.tryAgain), held.description))
  }

  // MARK: - The whole result

  @Test func `checks come in the order of a run, and state what they found`() throws {
    let found = try checks()
    try #require(
      found.map(\.name) == [
        "pipeline", "work", "lock", "program", "disk", "keys", "clock", "exports", "BLAS", "memory",
        "last run",
      ])
    #expect(found[0] == HealthCheck("pipeline", .well, "small: 2 sources, 1 ranking, 0 stores"))
    #expect(found[1] == HealthCheck("work", .well, directories.root))
    #expect(found[2] == HealthCheck("lock", .well, "free"))
    #expect(found[3] == HealthCheck("program", .well, Tool.name))
    #expect(found[4].verdict == .well && found[4].found.hasSuffix(" free at \(directories.root)"))
    #expect(
      found[5]
        == HealthCheck(
          "keys", .well, "nothing to check: no tombstones, and no password file for a PostgreSQL store"))
    #expect(found[6] == HealthCheck("clock", .well, "\(Self.now)"))
    // The number of threads depends on the installed library.
    #expect((found[8].verdict == .well) == found[8].found.hasSuffix("; 1 thread per worker"), "\(found[8])")
    let whole = Int(clamping: ProcessInfo.processInfo.physicalMemory).asBytes
    #expect(
      found[9]
        == HealthCheck(
          "memory", .well,
          "\(whole); the memory use of a run is unknown until a run is complete"))
    let command = "nightjar run \(scratch("small.yaml")) --work \(scratch("var"))"
    let none = "no run exists yet; '\(command)' starts one"
    #expect(found[10] == HealthCheck("last run", .note, none))
    #expect(!Directories.exists(scratch("var")), "the doctor changes nothing")
  }

  @Test func `stores follow the exports, and invalid addresses come before the work directory`() throws {
    try complete()
    let found = try checks(stores: #"["sqlite:a.sqlite", "mongodb://there", "sqlite:./a.sqlite"]"#)
    try #require(
      found.map(\.name) == [
        "pipeline", "store", "store", "work", "lock", "program", "disk", "keys", "clock", "exports", "BLAS",
        "store", "store", "files", "memory", "last run",
      ])
    #expect(found[0].found == "small: 2 sources, 1 ranking, 3 stores")
    #expect(found[1].verdict == .ill(.badPipelineFile) && found[2].verdict == .ill(.badPipelineFile))
    #expect(found[2].found.contains("twice") && !found[1].found.contains("twice"))
    for check in found[11...12] {
      #expect(
        check.verdict == .note
          && check.found.hasSuffix("the store does not exist yet; the first publication creates it"))
    }
  }

  @Test(arguments: [
    ("path: x.parquet, format: parquet", true), ("format: duckdb, query: SELECT 1", true),
    ("path: swipes.csv, format: csv", false),
  ])
  func `DuckDB is checked, after the exports, only if an export needs it`(source: String, isNeeded: Bool)
    throws
  {
    let names = try checks(["interactions.swipes.source={ \(source) }"]).map(\.name)
    let next = names.firstIndex(of: "exports").map { names[$0 + 1] }
    #expect(next == (isNeeded ? "DuckDB" : "BLAS"))
    #expect(names.contains("DuckDB") == isNeeded)
  }

  @Test func `a key of the tombstones that other accounts can read is a failure`() throws {
    let tombstones = TombstoneDirectory(directories.root + "/erasures")
    try tombstones.add([(Array("u1".utf8), "users")])
    #expect(try first("keys", of: checks()).verdict == .well)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: tombstones.path + "/key")
    let found = try checks()
    let keys = try first("keys", of: found)
    #expect(keys.verdict == .ill(.badPipelineFile) && keys.found.contains("chmod 600"), "\(keys.found)")
    #expect(try first("exports", of: found).verdict == .ill(.badPipelineFile), "a run reads the key too")
  }

  @Test func `old runs that cannot be listed are a failure before and after the stages`() throws {
    try scratch.write("", to: "var/small/runs")
    let found = try checks()
    #expect(found.map(\.name).prefix(4) == ["pipeline", "work", "lock", "old runs"])
    let old = found.filter { $0.name == "old runs" }
    #expect(old.map(\.verdict) == [.ill(.ioError), .ill(.ioError)], "\(old)")
    #expect(old.allSatisfy { $0.found.contains(directories.root + "/runs") }, "\(old)")
  }

  // MARK: - Evaluation

  @Test func `an evaluation is checked only if the run makes one or needs one`() throws {
    let names = try checks(stores: #""sqlite:a.sqlite""#).map(\.name)
    #expect(!names.contains("evaluation"))
    let well = try checks(evaluates: true)
    #expect(well[1] == HealthCheck("evaluation", .well, "a run with --evaluate evaluates near"))
    let ill = try first("evaluation", of: checks(["rankings.near.order_by=[age asc]"], evaluates: true))
    #expect(ill.verdict == .ill(.badPipelineFile))
    let limit = ["publish.guards.auc_at_least=0.6"]
    let missing = try first("evaluation", of: checks(stores: #""sqlite:a.sqlite""#, limit))
    #expect(missing.verdict == .ill(.badPipelineFile))
    #expect(missing.found.hasPrefix("publish.guards.auc_at_least needs an evaluation"))
    let made = try first("evaluation", of: checks(stores: #""sqlite:a.sqlite""#, limit, evaluates: true))
    #expect(made.verdict == .well)
  }

  // MARK: - Work directory, lock, clock

  @Test(arguments: [("me", "me holds the lock"), ("", "another process holds the lock")])
  func `a held lock is a failure that names the holder`(holder: String, words: String) throws {
    let lock = try RunLock(of: directories.root, holder: holder)
    let found = try first("lock", of: checks())
    let text = words + "; try again when it has finished"
    #expect(found == HealthCheck("lock", .ill(.tryAgain), text))
    let descriptor = lock.descriptor
    #expect(descriptor >= 0)
  }

  @Test func `a file in place of the work directory is a failure`() throws {
    try scratch.write("", to: "var")
    let found = try first("work", of: checks())
    #expect(found.verdict == .ill(.cannotCreate))
    #expect(found.found == "\(scratch("var")) is not a directory; choose another path with --work")
  }

  @Test func `a file in place of the link to the last run is a failure`() throws {
    try scratch.write("", to: "var/small/latest")
    let found = try first("work", of: checks())
    #expect(found.verdict == .ill(.cannotCreate) && found.found.contains("not a link"), "\(found.found)")
  }

  @Test func `a clock before the last run's as-of time is a failure, unless the time is given`() throws {
    try complete()
    try manifest(.ingest, bytes: 7, asOf: Self.now)
    let earlier = Instant(milliseconds: Self.now.milliseconds - 1)
    let found = try first("clock", of: checks(now: earlier))
    #expect(found.verdict == .ill(.tryAgain) && found.found.hasPrefix("the machine's clock shows \(earlier)"))
    #expect(try first("clock", of: checks(now: Self.now)).verdict == .well)
    #expect(try first("clock", of: checks(asOf: "2026-01-01", now: earlier)).verdict == .well)
  }

  // MARK: - Disk and memory

  @Test func `the disk needs space for the next run`() throws {
    try complete()
    try manifest(.rank, bytes: 7)
    try manifest(.index, bytes: 5)
    let well = try first("disk", of: checks())
    #expect(well.verdict == .well)
    #expect(
      well.found.hasSuffix(" free at \(directories.root); the last complete run used 12 B"), "\(well.found)")
    try manifest(.rank, bytes: 1 << 60)
    let whole = try first("disk", of: checks())
    #expect(whole.verdict == .ill(.ioError))
    #expect(
      whole.found.hasSuffix(
        "the last complete run used \(((1 << 60) + 5).asBytes); free some space, or lower 'keep_runs'"))
    // The snapshot alone would not fit either.
    try manifest(.ingest, bytes: 1 << 60)
    let snapshot = try first("disk", of: checks())
    #expect(snapshot.verdict == .ill(.ioError) && snapshot.found.contains("ingest needs about"))
  }

  @Test func `a disk that reports no free space is a note`() throws {
    let found = try first("disk", of: checks(work: "/proc/self/none"))
    let words = "the system does not report the free space at /proc/self/none/small; check it by hand"
    #expect(found == HealthCheck("disk", .note, words))
  }

  @Test(arguments: [(0.85, true), (0.95, false)])
  func `a stage that used nearly the whole memory is a note`(share: Double, isWell: Bool) throws {
    let whole = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    let peak = Int(Double(whole) * share)
    try complete(peakMemory: peak)
    let found = try first("memory", of: checks())
    #expect(found.verdict == (isWell ? .well : .note))
    #expect(
      found.found
        == "\(whole.asBytes); the largest stage of the last complete run used \(peak.asBytes)"
        + (isWell ? "" : "; add memory, because the next run may need more"))
  }

  // MARK: - Exports

  @Test func `a missing export is a failure`() throws {
    try FileManager.default.removeItem(atPath: scratch("swipes.csv"))
    let found = try first("exports", of: checks())
    #expect(found.verdict == .ill(.missingInput) && found.found.contains("swipes.csv"), "\(found.found)")
  }

  @Test func `an export that can be read only once is not checked`() throws {
    let found = try first(
      "exports", of: checks(["interactions.swipes.source={ path: /dev/null, format: csv }"]))
    let text = "/dev/null can be read only once, so the exports were not checked"
    #expect(found == HealthCheck("exports", .note, text))
  }

  // MARK: - Stores

  /// The arguments are the pipeline of the generation in the store, and the result of the check.
  @Test(arguments: [
    ("small", HealthCheck.Verdict.well, "serves generation 1 of run 4; its data are 2 h old"),
    ("other", .note, "the store serves nothing for 'small' yet"),
  ])
  func `a store states what it serves`(pipeline: String, verdict: HealthCheck.Verdict, words: String) throws {
    let address = try StoreAddress(parsing: "sqlite:a.sqlite", relativeTo: scratch.path)
    let asOf = Self.now.milliseconds - 7_300_000
    try address.open(for: .publishing)
      .publish(pipeline: pipeline, run: 4, asOf: asOf, note: GenerationNote(), keep: 3) { loader in
        try loader.begin(.list, "near")
      }
    let found = try first("store", of: checks(stores: #""sqlite:a.sqlite""#))
    #expect(found == HealthCheck("store", verdict, "\(address.shown): \(words)"))
    // The age is measured by the clock of the run.
    let later = Instant(milliseconds: Self.now.milliseconds + 30 * 86_400_000)
    let old = try first("store", of: checks(stores: #""sqlite:a.sqlite""#, now: later))
    #expect(old.found == found.found.replacing("2 h old", with: "30 days old"))
  }

  @Test func `a store that cannot be reached is a failure, and not absent`() throws {
    let found = try first("store", of: checks(stores: #""sqlite:users.csv/a.sqlite""#))
    #expect(found.verdict != .well && found.verdict != .note, "\(found.found)")
    #expect(found.found.contains("the file cannot be reached"), "\(found.found)")
  }

  @Test func `a file that is not a store is a failure`() throws {
    let found = try checks(stores: #"["sqlite:users.csv", "sqlite:a.sqlite"]"#).filter { $0.name == "store" }
    try #require(found.count == 2)
    #expect(found[0].verdict != .well && found[0].verdict != .note, "\(found[0].found)")
    #expect(found[1].verdict == .note)
  }

  // MARK: - Last runs

  @Test(arguments: [
    (Stage.ingest, "start a new run with 'nightjar run a/small.yaml"),
    (.index, "start a new run with 'nightjar run a/small.yaml --from index"),
    (.fit, "start a new run with 'nightjar run a/small.yaml --from fit"),
    (.evaluate, "evaluate again with 'nightjar evaluate a/small.yaml --force"),
  ])
  func `a damaged stage has its own remedy`(stage: Stage, remedy: String) throws {
    try complete()
    try manifest(stage, bytes: 7)
    // The first damaged stage decides.
    if stage != .evaluate { try manifest(.rank, bytes: 7) }
    let found = try #require(lastRuns.damage())
    #expect(found.verdict == .note && found.found.hasPrefix("run 1: "), "\(found.found)")
    #expect(
      found.found.contains("/\(stage.directory)/")
        && found.found.hasSuffix("; \(remedy) --work \(scratch("var"))'"))
  }

  @Test func `advice about a run contains the overrides of the run`() throws {
    try complete(overrides: ["seed=5"])
    try manifest(.rank, bytes: 7)
    let last = LastRuns(directories, pipelineFile: "my file.yaml", overrides: ["seed=6"])
    let options = "--work \(scratch("var")) --set seed"
    #expect(
      last.damage()?.found.hasSuffix("'nightjar run 'my file.yaml' --from rank \(options)=5'") == true)
    try Directories.create(directories.path(of: 2))
    let newest = LastRuns(directories, pipelineFile: "a/small.yaml", overrides: ["seed=6"]).check().found
    #expect(newest.contains("'nightjar run a/small.yaml --resume \(options)=6'"))
    #expect(newest.contains("'nightjar run a/small.yaml \(options)=6'"))
  }

  @Test func `a complete run states its end and its duration`() throws {
    try complete(finished: "1970-01-01T00:00:09Z")
    let last = lastRuns
    #expect(last.peakMemory == 2000)
    #expect(
      last.check()
        == HealthCheck("last run", .well, "run 1 was completed at 1970-01-01T00:00:09Z and took 1.8 s"))
  }

  @Test func `a damaged record of the newest run is reported`() throws {
    try complete()
    try scratch.write("no JSON", to: "var/small/runs/2/run.json")
    let last = lastRuns
    #expect(
      last.check()
        == HealthCheck(
          "last run", .note,
          "run 2 is damaged; 'nightjar run a/small.yaml --work \(scratch("var"))' starts a new one"))
    let found = try #require(last.damage())
    #expect(found.verdict == .note && found.found.hasPrefix("run 2 cannot be resumed: "))
    #expect(found.found.contains("/runs/2/run.json: "))
    #expect(
      found.found.hasSuffix("; start a new run with 'nightjar run a/small.yaml --work \(scratch("var"))'"))
  }

  @Test func `a run that was killed before it had a record can be resumed`() throws {
    try complete()
    try Directories.create(directories.path(of: 2))
    let last = lastRuns
    #expect(last.damage() == HealthCheck("files", .well, "all files of the last run are intact"))
    #expect(
      last.check()
        == HealthCheck(
          "last run", .note,
          "run 2 was interrupted or is still running; "
            + "'nightjar run a/small.yaml --resume --work \(scratch("var"))' continues it; "
            + "'nightjar run a/small.yaml --work \(scratch("var"))' starts a new one"))
  }
}
