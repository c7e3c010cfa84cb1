import Foundation
import Testing
import TestSupport

/// Runs an app's pipeline with a clock that the test sets.
@Suite struct AsOfNightTests {
  private let product: SmallProduct

  init() throws {
    product = try SmallProduct()
    try product.replace("as_of: newest", by: "as_of: clock")
  }

  /// Runs `nightjar COMMAND` at `time`.
  private func nightjar(at time: String, _ command: String = "run", _ arguments: [String] = []) throws
    -> Program.Finished
  {
    try Program.run(
      "/usr/bin/env",
      [
        "NIGHTJAR_NOW=\(time)", Program.products + "/nightjar", command, product.pipelineFile, "--work",
        product.work,
      ] + arguments)
  }

  private func record(of run: Int) throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(filePath: product.run(run) + "/run.json")))
    return try #require(json as? [String: Any])
  }

  private func asOf(of run: Int) throws -> String? {
    (try record(of: run)["as_of"] as? [String: Any])?["utc"] as? String
  }

  @Test func `a run is as of its start time and reports the age of the exports`() throws {
    let first = try nightjar(at: "2024-03-07T03:30:00Z")
    #expect(first.ending == .status(0), "\(first.errors)")
    #expect(first.errors.contains("as of 2024-03-07T03:30:00Z"), "\(first.errors)")
    #expect(
      first.errors.contains("newest      people 2024-01-01T00:00:00Z, swipes 2024-03-06T10:00:00Z"),
      "\(first.errors)")
    #expect(!first.errors.contains("warning"), "\(first.errors)")
    #expect(try asOf(of: 1) == "2024-03-07T03:30:00Z" && record(of: 1)["as_of_from"] as? String == "clock")
    // The same exports and the same time give the same bytes. The time may come from the option or
    // from the clock.
    try #require(
      try nightjar(at: "2025-01-01T00:00:00Z", "run", ["--as-of", "2024-03-07T03:30:00Z"]).ending
        == .status(0))
    for stage in ["index", "models", "rankings"] {
      let differences = try DirectoryContents(of: product.run(2) + "/" + stage).differences(
        from: DirectoryContents(of: product.run(1) + "/" + stage))
      #expect(differences.allSatisfy { $0.contains("manifest.json") }, "\(differences)")
    }
    let old = try nightjar(at: "2024-03-08T10:00:00.001Z")
    #expect(
      old.ending == .status(0) && old.errors.contains("warning: the newest interaction"), "\(old.errors)")
    #expect(SmallProduct.secrets(in: first.errors + old.errors) == [])
  }

  @Test func `an old export ends the run if the pipeline file expects a new one`() throws {
    try product.replace("    candidate: to\n", by: "    candidate: to\n    expect: { newest_at_most: 36h }\n")
    #expect(try nightjar(at: "2024-03-07T03:30:00Z").ending == .status(0))
    let stale = try nightjar(at: "2024-03-08T03:30:00Z")
    #expect(stale.ending == .status(65) && stale.errors.contains("newest_at_most"), "\(stale.errors)")
    let check = try nightjar(at: "2024-03-08T03:30:00Z", "check")
    #expect(check.ending == .status(65), "\(check.errors)")
  }

  @Test
  func
    `accounts newer than the only swipe have lists if the clock decides, and are an error if the newest row decides`()
    throws
  {
    let people = (0..<100).map { "new\($0),Media,52.5,13.4,1,false,2024-03-20T00:00:00Z\n" }.joined()
    try product.directory.write(SmallProduct.people + people, to: "people.csv")
    try product.replace("    updated: changed\n", by: "    created: changed\n")
    let bad = try nightjar(at: "2024-03-21T03:30:00Z", "run", ["--as-of", "newest"])
    #expect(bad.ending == .status(65) && bad.errors.contains("older"), "\(bad.errors)")
    let good = try nightjar(at: "2024-03-21T03:30:00Z")
    #expect(good.ending == .status(0), "\(good.errors)")
  }

  @Test func `times in seconds end the run with a message that names the unit`() throws {
    let swipes = "from,to,answer,at\nadaXQ,benXQ,right,1709287200\nbenXQ,adaXQ,right,1709290800\n"
    try product.directory.write(swipes, to: "swipes.csv")
    let ended = try nightjar(at: "2024-03-07T03:30:00Z")
    #expect(ended.ending == .status(65) && ended.errors.contains("'at' as seconds"), "\(ended.errors)")
    let read = try nightjar(
      at: "2024-03-07T03:30:00Z", "run", ["--set", "interactions.swipes.at={ from: at, unit: seconds }"])
    #expect(read.ending == .status(0), "\(read.errors)")
  }

  @Test func `an older export ends the run if the newest row decides`() throws {
    try product.replace("as_of: clock", by: "as_of: newest")
    try #require(try nightjar(at: "2024-03-07T03:30:00Z").ending == .status(0))
    let lines = SmallProduct.swipes.split(separator: "\n").dropLast()
    try product.directory.write(lines.joined(separator: "\n") + "\n", to: "swipes.csv")
    let stale = try nightjar(at: "2024-03-08T03:30:00Z")
    #expect(stale.ending == .status(65), "\(stale.errors)")
    #expect(stale.errors.contains("2024-03-05T11:00:00Z") && stale.errors.contains("2024-03-06T10:00:00Z"))
    // The advice in the message works.
    let given = try nightjar(at: "2024-03-08T03:30:00Z", "run", ["--as-of", "2024-03-05T11:00:00Z"])
    #expect(given.ending == .status(0), "\(given.errors)")
  }

  @Test func `a stage by hand needs a time, and an invalid clock is a usage error`() throws {
    let ingest = [product.pipelineFile, "--run-dir", product.work + "/by-hand"]
    let without = try Program.run("nightjar-ingest", ingest)
    #expect(without.ending == .status(64) && without.errors.contains("--as-of"), "\(without.errors)")
    let with = try Program.run("nightjar-ingest", ingest + ["--as-of", "2024-03-07"])
    #expect(with.ending == .status(0), "\(with.errors)")
    for command in ["run", "check", "doctor"] {
      let ended = try nightjar(at: "tomorrow", command)
      #expect(ended.ending == .status(64) && ended.errors.contains("NIGHTJAR_NOW"), "\(ended.errors)")
    }
    #expect(try nightjar(at: "2024-03-07", "run", ["--as-of", "soon"]).ending == .status(64))
  }
}
