import Foundation
import Testing
import TestSupport

/// The machine's clock goes back between runs, between stages, or to a time before all events.
@Suite(
  .enabled(if: Command.path(of: "faketime") != nil && !Program.isSanitized, "needs faketime, no sanitizer"))
struct ClockTests {
  private static let allPrograms = [
    "nightjar", "nightjar-ingest", "nightjar-index", "nightjar-fit", "nightjar-rank", "nightjar-publish",
    "nightjar-evaluate", "nightjar-report",
  ]

  private let product: SmallProduct
  private let faketime: String

  init() throws {
    product = try SmallProduct()
    faketime = try #require(Command.path(of: "faketime"))
  }

  /// Runs `nightjar` with a fake clock that shows `time`, such as `-1h` or `2024-03-04 11:30:00`.
  private func nightjar(at time: String, _ command: String, _ arguments: [String] = []) throws
    -> Program.Finished
  {
    // Exact times are in the programs' time zone. Modification times of files stay real.
    try Program.run(
      "/usr/bin/env",
      ["TZ=UTC", "NO_FAKE_STAT=1", faketime]
        + (time.hasPrefix("-") ? ["-f", time] : [time])
        + [
          Program.products + "/nightjar", command, product.pipelineFile, "--work", product.work,
        ] + arguments)
  }

  private func contents(of run: Int) throws -> [DirectoryContents] {
    try ["snapshot", "index", "models", "rankings"].map {
      try DirectoryContents(of: product.run(run) + "/" + $0)
    }
  }

  private func differences(of run: Int, from former: [DirectoryContents]) throws -> [String] {
    try zip(contents(of: run), former).flatMap { $0.differences(from: $1) }
  }

  private var latest: String {
    get throws {
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest")
    }
  }

  private var served: String {
    get throws {
      try Program.run("nightjar", ["generations", product.pipelineFile, "--work", product.work]).output
    }
  }

  private func record(of run: Int) throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(filePath: product.run(run) + "/run.json")))
    return try #require(json as? [String: Any])
  }

  @Test(arguments: ["-1h", "-2d", "2024-03-06 10:00:00"])
  func `a slow clock after all events changes nothing`(time: String) throws {
    try #require(try product.run().ending == .status(0))
    let metrics = product.directory("night.prom")
    let ended = try nightjar(at: time, "run", ["--metrics", metrics, "--exit-99-if-unchanged"])
    #expect(ended.ending == .status(99), "\(ended.errors)")
    #expect(try latest == "runs/2")
    #expect(try differences(of: 2, from: contents(of: 1)) == [])
    let (first, second) = (try record(of: 1), try record(of: 2))
    let (before, after) = (first["started"] as? String, second["started"] as? String)
    #expect(try #require(before) > #require(after), "the fake clock must show an earlier time")
    // Durations do not depend on the wall clock, so they are never negative.
    for record in [first, second] {
      let stages = try #require(record["stages"] as? [[String: Any]])
      #expect(try stages.allSatisfy { try #require($0["seconds"] as? Double) >= 0 } && stages.count == 5)
    }
    #expect(try String(contentsOfFile: metrics, encoding: .utf8).contains("nightjar_run_number"))
    #expect(try nightjar(at: time, "doctor").ending == .status(0))
  }

  @Test func `a run fails if the clock is before the as-of time of the last complete run`() throws {
    try #require(try product.run().ending == .status(0))
    let (lists, generations) = (try contents(of: 1), try served)
    let ended = try nightjar(at: "2024-03-04 10:30:00", "run")
    #expect(ended.ending == .status(75), "\(ended.errors)")
    #expect(
      ended.errors.contains("clock shows 2024-03-04T10:30:0")
        && ended.errors.contains("as-of time 2024-03-06T10:00:00Z") && ended.errors.contains("--as-of"),
      "\(ended.errors)")
    #expect(try latest == "runs/1" && served == generations)
    #expect(!FileManager.default.fileExists(atPath: product.run(2)))
    #expect(SmallProduct.secrets(in: ended.errors) == [])

    let reported = try nightjar(at: "2024-03-04 10:30:00", "run", ["--report"])
    #expect(reported.ending == .status(75), "\(reported.errors)")
    let page = try product.directory.text("var/reports/small.html")
    #expect(page.contains("failed before its first stage") && page.contains("75"))

    let check = try nightjar(at: "2024-03-04 10:30:00", "check")
    #expect(check.ending == .status(75) && check.errors.contains("clock shows"), "\(check.errors)")
    let doctor = try nightjar(at: "2024-03-04 10:30:00", "doctor")
    #expect(doctor.ending == .status(75) && doctor.output.contains("FAILS  clock"), "\(doctor.output)")

    // A new run with the right time succeeds.
    let second = try product.run()
    #expect(second.ending == .status(0), "\(second.errors)")
    #expect(try differences(of: 2, from: lists) == [])
    #expect(try latest == "runs/2")
  }

  @Test func `a given as-of time needs no clock`() throws {
    try #require(try product.run().ending == .status(0))
    let ended = try nightjar(at: "1980-01-01 00:00:00", "run", ["--as-of", "2024-03-06T10:00:00Z"])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let rankings = try contents(of: 1)[3]
    #expect(try rankings.differences(from: contents(of: 2)[3]).allSatisfy { $0.contains("manifest.json") })
    // The last run had an as-of time in the future. The next run therefore also needs an as-of
    // time.
    #expect(try product.run("--as-of", "2030-01-01T00:00:00Z").ending == .status(0))
    let back = try product.run()
    #expect(
      back.ending == .status(65) && back.errors.contains("--as-of 2024-03-06T10:00:00Z"), "\(back.errors)")
    #expect(try product.run("--as-of", "2024-03-06T10:00:00Z").ending == .status(0))
    #expect(try product.run("--as-of", "2030-01-01T00:00:00Z").ending == .status(0))
    // A run with a given as-of time does not limit the clock of the next run.
    #expect(try product.run("--as-of", "clock").ending == .status(0))
  }

  @Test func `a first run fails if the clock shows a time before all events`() throws {
    let ended = try nightjar(at: "1970-01-02 00:00:00", "run")
    #expect(ended.ending == .status(65), "\(ended.errors)")
    #expect(
      ended.errors.contains("people: 8 of 8 rows")
        && ended.errors.contains("1970-01-02T00:00:00") && ended.errors.contains("clock"), "\(ended.errors)")
    #expect(!product.directory.exists("serving.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: product.work + "/small/latest"))
    #expect(try nightjar(at: "1970-01-02 00:00:00", "check").ending == .status(65))
    let doctor = try nightjar(at: "1970-01-02 00:00:00", "doctor")
    #expect(doctor.output.contains("note   clock"), "\(doctor.output)")
    #expect(try product.run().ending == .status(0))
  }

  @Test func `a clock that steps back between two stages changes nothing`() throws {
    try #require(try product.run().ending == .status(0))
    let lists = try contents(of: 1)
    for (stage, time) in [("ingest", "2022-01-01 00:00:00"), ("fit", "-3d"), ("rank", "1999-12-31 23:59:59")]
    {
      try #require(try product.run("--until", stage).ending == .status(0))
      let ended = try nightjar(at: time, "run", ["--resume"])
      #expect(ended.ending == .status(0), "\(stage): \(ended.errors)")
      let run = try #require(try latest.split(separator: "/").last.flatMap { Int($0) })
      #expect(try differences(of: run, from: lists) == [], "\(stage)")
    }
    #expect(try latest == "runs/4")
  }

  /// Swift finds the arguments next to the environment in memory. Preloaded libraries such as
  /// libfaketime may move the environment.
  @Test(arguments: allPrograms)
  func `a preloaded library does not remove the arguments`(program: String) throws {
    let library = try #require(
      FileManager.default.subpaths(atPath: "/usr/lib")?.first { $0.hasSuffix("/libfaketime.so.1") })
    let ended = try Program.run(
      "/usr/bin/env",
      ["LD_PRELOAD=/usr/lib/" + library, "FAKETIME=-1d", Program.products + "/" + program, "--version"])
    #expect(ended.ending == .status(0) && ended.output == "0.2.0\n", "\(ended.errors)")
  }
}
