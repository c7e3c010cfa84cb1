import Files
import Foundation
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text
import Tombstones

@testable import NightlyRuns

struct DoctorTests {
  /// Returns the health check of the clock. The newest export was written `seconds` from now.
  private func clock(exportWritten seconds: Double) throws -> HealthCheck {
    let scratch = try ScratchDirectory()
    let export = try scratch.write("id\nu1\n", to: "users.csv")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: export)
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }

      """, to: "small.yaml")
    let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
    let checks = Doctor(
      pipeline, work: scratch("var"),
      now: Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)),
      environment: [:]
    ).checks()
    return try #require(checks.first { $0.name == "clock" })
  }

  @Test(arguments: [(-86_400, true), (0, true), (1800, true), (7200, false)])
  func `an export may be an hour ahead of this machine's clock`(seconds: Double, isWell: Bool) throws {
    #expect(try clock(exportWritten: seconds).verdict == (isWell ? .well : .note))
  }

  @Test func `a note about the clock contains the time of the newest export`() throws {
    // The fraction is cut off.
    let found = try clock(exportWritten: 4_102_444_800.5 - Date.now.timeIntervalSince1970)
    let words = ", but the newest export was written later, at 2100-01-01T00:00:00Z; check the clock"
    #expect(found.verdict == .note && found.found.hasPrefix("the clock shows 20"))
    #expect(found.found.hasSuffix(words), "\(found.found)")
  }

  /// Returns the check `name` for a pipeline with `entities` and `rest` in the directory `scratch`.
  private func check(
    _ name: String, in scratch: ScratchDirectory,
    entities: [String] = ["users"], expect: String = "", rest: String = "",
    environment: [String: String] = [:],
    now: Instant = Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
  ) throws -> HealthCheck {
    let sources = entities.map { "  \($0): { source: { path: \($0).csv }, id: id\(expect) }\n" }.joined()
    try scratch.write("pipeline: small\nentities:\n\(sources)\(rest)", to: "small.yaml")
    let doctor = Doctor(
      try Pipeline(file: scratch("small.yaml"), overrides: []), work: scratch("var"),
      now: now, environment: environment)
    return try #require(doctor.checks().first { $0.name == name })
  }

  @Test(arguments: [(1, nil), (3, nil), (4, "; and 1 other problem"), (6, "; and 3 other problems")])
  func `the doctor names at most three unmet expectations`(count: Int, others: String?) throws {
    let scratch = try ScratchDirectory()
    let entities = (0..<count).map { "e\($0)" }
    for entity in entities { try scratch.write("id\nu1\n", to: entity + ".csv") }
    let found = try check(
      "exports", in: scratch, entities: entities, expect: ", expect: { rows: { at_least: 2 } }")
    #expect(found.verdict == .ill(.badData))
    #expect(entities.count { found.found.contains($0 + ": ") } == min(count, 3), "\(found.found)")
    #expect(found.found.hasSuffix(others ?? "") && found.found.contains("; and") == (others != nil))
    #expect(!found.found.contains(".;") && !found.found.hasSuffix("."), "\(found.found)")
  }

  @Test func `an export that cannot be read decides the status, before unmet expectations`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("id\nu1\n", to: "users.csv")
    try scratch.write("name\nu1\n", to: "items.csv")
    let rows = ", expect: { rows: { at_least: 2 } }"
    let bad = try check("exports", in: scratch, entities: ["users", "items"], expect: rows)
    #expect(bad.verdict == .ill(.badData) && bad.found.contains("items.csv"), "\(bad.found)")
    #expect(bad.found.contains("; users: expected rows.at_least"), "\(bad.found)")
    // A missing export decides too.
    try FileManager.default.removeItem(atPath: scratch("items.csv"))
    let missing = try check("exports", in: scratch, entities: ["users", "items"], expect: rows)
    #expect(missing.verdict == .ill(.missingInput), "\(missing.found)")
  }

  @Test func `the exports are compared with the last complete run`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("id\nu1\nu2\n", to: "users.csv")
    for (read, isWell) in [(2, true), (3, false)] {
      let manifest = Manifest(
        tool: "test", stage: "snapshot", pipeline: "small", configuration: .null,
        asOf: Instant(milliseconds: 0), seed: 0, counts: ["sources": ["users": ["read": .integer(read)]]])
      try scratch.write(manifest.json, to: "var/small/runs/1/snapshot/manifest.json")
      try Directories.link(scratch("var/small/latest"), to: "runs/1")
      let found = try check("exports", in: scratch, expect: ", expect: { rows: { drop_at_most: 0.1 } }")
      #expect(found.verdict == (isWell ? .well : .ill(.badData)), "\(found.found)")
      #expect(found.found.contains("rows.drop_at_most") == !isWell, "\(found.found)")
    }
  }

  /// The doctor reads exports of at most 32 MiB completely, so only these can violate an expectation.
  @Test(arguments: [(0, true), (1, false)])
  func `only the beginnings of large exports are read`(extra: Int, isWhole: Bool) throws {
    let scratch = try ScratchDirectory()
    let pad = String(repeating: "x", count: 8000)
    var text = "id,x\n" + (0..<4096).map { "u\($0),\(pad)\n" }.joined()
    text += "last," + String(repeating: "x", count: (32 << 20) - text.utf8.count - 6 + extra) + "\n"
    try scratch.write(text, to: "users.csv")
    let found = try check("exports", in: scratch, expect: ", expect: { rows: { at_least: 5000 } }")
    #expect(found.verdict == (isWhole ? .ill(.badData) : .well), "\(found.found)")
    let words =
      "; only the beginning of each file was read; "
      + "'nightjar check \(scratch("small.yaml")) --work \(scratch("var"))' reads all rows"
    #expect(found.found.hasSuffix(words) == !isWhole, "\(found.found)")
    #expect(found.found.hasPrefix(isWhole ? "users: expected" : "1 file, 33.6 MB; "), "\(found.found)")
  }

  @Test func `intact exports are counted, with the age of the newest`() throws {
    let scratch = try ScratchDirectory()
    // The clock of the run is in 2100, so an age by the machine's clock would be 0.
    for (name, age) in [("a", 90_000.0), ("b", 10_900)] {
      let path = try scratch.write("id\nu1\n", to: name + ".csv")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 4_102_444_800 - age)], ofItemAtPath: path)
    }
    let found = try check(
      "exports", in: scratch, entities: ["a", "b"], now: Instant(milliseconds: 4_102_444_800_000))
    #expect(found == HealthCheck("exports", .well, "2 files, 12 B; the newest is 3 h old"))
  }

  @Test(arguments: [
    (0o600, "postgresql://127.0.0.1:1/app", nil), (0o700, "postgresql://127.0.0.1:1/app", nil),
    (0o640, "postgresql://127.0.0.1:1/app", "has mode 0640"),
    (0o604, "postgresql://127.0.0.1:1/app", "has mode 0604"), (0o644, "sqlite:serving.sqlite", nil),
  ])
  func `a password file that other users can read is noted if a store needs it`(
    mode: Int, store: String, words: String?
  ) throws {
    let scratch = try ScratchDirectory()
    let file = try scratch.write("*", to: ".pgpass")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    for environment in [["PGPASSFILE": file], ["HOME": scratch.path]] {
      let found = try check(
        "keys", in: scratch,
        rest: """
          rankings: { near: { users: users, candidates: users, top: 10 } }
          publish: { store: "\(store)" }

          """, environment: environment)
      #expect(found.verdict == (words == nil ? .well : .note))
      if let words { #expect(found.found.contains("\(file) \(words), so libpq ignores it")) }
    }
  }

  @Test func `PGPASSFILE replaces the password file in the home directory`() throws {
    let scratch = try ScratchDirectory()
    for (name, mode) in [(".pgpass", 0o644), ("passwords", 0o600)] {
      try scratch.write("*", to: name)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch(name))
    }
    let found = try check(
      "keys", in: scratch,
      rest: """
        rankings: { near: { users: users, candidates: users, top: 10 } }
        publish: { store: "postgresql://127.0.0.1:1/app" }

        """, environment: ["PGPASSFILE": scratch("passwords"), "HOME": scratch.path])
    #expect(found == HealthCheck("keys", .well, "no other account can read the password file of libpq"))
  }

  @Test(arguments: [
    (false, "postgresql://127.0.0.1:1/app", true, "no other account can read the password file of libpq"),
    (
      true, "postgresql://127.0.0.1:1/app", true,
      "no other account can read the tombstone key or the password file of libpq"
    ),
    (true, "postgresql://127.0.0.1:1/app", false, "no other account can read the tombstone key"),
    (true, "sqlite:serving.sqlite", true, "no other account can read the tombstone key"),
    (
      false, "postgresql://127.0.0.1:1/app", false,
      "nothing to check: no tombstones, and no password file for a PostgreSQL store"
    ),
    (
      false, "sqlite:serving.sqlite", true,
      "nothing to check: no tombstones, and no password file for a PostgreSQL store"
    ),
  ])
  func `the check of secrets names only the files that it tested`(
    hasTombstones: Bool, store: String, hasPasswords: Bool, words: String
  ) throws {
    let scratch = try ScratchDirectory()
    if hasTombstones {
      let root = RunDirectories(work: scratch("var"), pipeline: "small").root
      try TombstoneDirectory(root + "/erasures").add([(Array("u1".utf8), "users")])
    }
    if hasPasswords {
      try scratch.write("*", to: ".pgpass")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch(".pgpass"))
    }
    let found = try check(
      "keys", in: scratch,
      rest: """
        rankings: { near: { users: users, candidates: users, top: 10 } }
        publish: { store: "\(store)" }

        """, environment: ["HOME": scratch.path])
    #expect(found == HealthCheck("keys", .well, words))
  }

  @Test(arguments: [
    (0.0, "0 min"), (7_100, "118 min"), (7_300, "2 h"), (172_000, "47 h"), (173_000, "2 days"),
    (-99, "0 min"),
  ])
  func `an age has a readable form`(seconds: Double, text: String) {
    #expect(HealthCheck.age(since: 1_000_000 - seconds, at: Instant(milliseconds: 1_000_000_000)) == text)
  }

  /// Writes a run with two stages. The second stage ends with the exit status `status`.
  private func run(
    _ number: Int, in scratch: ScratchDirectory, status: Int32 = 0, isComplete: Bool, tool: String = Tool.name
  ) throws {
    var record = RunRecord(
      pipeline: "small", pipelineFile: "small.yaml", overrides: [], run: number, threads: 1,
      started: Instant(milliseconds: 0))
    record.stages = [
      RunRecord.StageRecord(stage: "ingest", seconds: 0.5, status: 0, peakMemory: 4_000_000),
      RunRecord.StageRecord(stage: "index", seconds: 1.75, status: status, peakMemory: 3_000_000),
    ]
    (record.complete, record.tool) = (isComplete, tool)
    let directory = RunDirectories(work: scratch("var"), pipeline: "small").path(of: number)
    try Directories.create(directory)
    try record.write(to: directory)
  }

  @Test func `the doctor reports how the last run ended`() throws {
    let scratch = try ScratchDirectory()
    let directories = RunDirectories(work: scratch("var"), pipeline: "small")
    let none = LastRuns(directories, pipelineFile: "a/small.yaml")
    let work = "--work \(scratch("var"))"
    #expect(none.check().found == "no run exists yet; 'nightjar run a/small.yaml \(work)' starts one")
    #expect(none.damage() == nil && none.bytes == nil)
    try run(1, in: scratch, isComplete: true)
    try Directories.link(directories.root + "/latest", to: "runs/1")
    let complete = LastRuns(directories, pipelineFile: "a/small.yaml")
    #expect(
      complete.check()
        == HealthCheck("last run", .well, "run 1 was completed at 1970-01-01T00:00:00Z and took 2.2 s"))
    #expect(try check("last run", in: scratch) == complete.check())
    #expect(complete.peakMemory == 4_000_000 && complete.bytes == 0)
    #expect(complete.damage() == HealthCheck("files", .well, "all files of the last run are intact"))
    for (status, tool, words) in [
      (
        0, Tool.name,
        "run 2 was interrupted or is still running; 'nightjar run a/small.yaml --resume \(work)' continues it; "
          + "'nightjar run a/small.yaml \(work)' starts a new one"
      ),
      (
        65, Tool.name,
        "run 2 failed in index with status 65; 'nightjar run a/small.yaml --resume \(work)' continues it; "
          + "'nightjar run a/small.yaml \(work)' starts a new one"
      ),
      (
        65, "nightjar 0",
        "run 2 is incomplete and was made by nightjar 0; 'nightjar run a/small.yaml \(work)' starts a new one"
      ),
    ] as [(Int32, String, String)] {
      try run(2, in: scratch, status: status, isComplete: false, tool: tool)
      let found = LastRuns(directories, pipelineFile: "a/small.yaml").check()
      #expect(found == HealthCheck("last run", .note, words))
    }
  }

  @Test func `a damaged file is a note with the stage from which to start again`() throws {
    let scratch = try ScratchDirectory()
    let work = "--work \(scratch("var"))"
    let directories = RunDirectories(work: scratch("var"), pipeline: "small")
    try run(1, in: scratch, isComplete: true)
    try Directories.link(directories.root + "/latest", to: "runs/1")
    var manifest = Manifest(
      tool: "test", stage: "rankings", pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 0), seed: 0, counts: .null)
    manifest.outputs = [FileDigest(path: "near.csv", bytes: 7, sha256: "")]
    try scratch.write(manifest.json, to: "var/small/runs/1/rankings/manifest.json")
    let one = LastRuns(directories, pipelineFile: "a/small.yaml")
    #expect(one.bytes == 7)
    let found = try #require(one.damage())
    #expect(found.verdict == .note && found.found.contains("run 1: "))
    #expect(
      found.found.hasSuffix("; start a new run with 'nightjar run a/small.yaml --from rank \(work)'"),
      "\(found.found)")
    try run(2, in: scratch, isComplete: false)
    try scratch.write(manifest.json, to: "var/small/runs/2/rankings/manifest.json")
    let two = LastRuns(directories, pipelineFile: "a/small.yaml")
    let both = try #require(two.damage())
    #expect(both.found.contains("run 2 cannot be resumed: "))
    let last = HealthCheck(
      "last run", .note, "run 2 is damaged; 'nightjar run a/small.yaml \(work)' starts a new one")
    #expect(two.check() == last)
  }
}
