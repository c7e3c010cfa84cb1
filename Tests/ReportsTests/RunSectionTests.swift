import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The section that identifies a run.
@Suite struct RunSectionTests {
  @Test func `the table has the generations, the settings and the program`() throws {
    var world = try RunByHand()
    world.asOfFrom = "given"
    world.record = .init(
      number: 2, started: nil, generations: [(store: "sqlite:a", generation: 4), ("postgres:b", 1200)])
    let run = try world.run()
    let digest = String(SHA256.digest(of: run.snapshot.configuration.pretty).prefix(12))
    #expect(run.configurationDigest == digest && digest.count == 12)
    #expect(
      Section.run(run).shown.dropLast() == [
        "The run that this page describes",
        "As-of time | set by --as-of or the pipeline file",
        "Generation served | 4 in sqlite:a; 1 200 in postgres:b",
        "Configuration | \(digest)",
        "Program | nightjar 0",
        "Positions | replaced by the centers of geohash cells of precision 6",
      ])
    #expect(run.title == "run 2")
  }

  @Test func `a manual run has no generation`() throws {
    var world = try RunByHand()
    world.record = nil
    let run = try world.run()
    let lines = Section.run(run).shown
    #expect(lines[1] == "Run | none: the stages ran one by one")
    #expect(lines[3] == "Generation served | none: this run has not been published")
    #expect(run.title == "a manual run")
    world.record = .init(number: 2, started: nil, generations: [])
    #expect(try Section.run(world.run()).shown[2] == lines[3])
  }

  @Test(arguments: [
    ("given", "set by --as-of or the pipeline file"), ("newest_interaction", "the newest interaction"),
    ("newest_check_in", "the newest check-in"), ("newest_request", "the newest request or answer"),
    ("clock", "the machine’s clock"),
  ])
  func `the origin of the as-of time is in words`(_ origin: String, _ words: String) throws {
    var world = try RunByHand()
    world.asOfFrom = .string(origin)
    #expect(try Section.run(world.run()).shown[1] == "As-of time | \(words)")
  }

  @Test func `a time has minutes for readers, and its exact value`() {
    let words = Instant(milliseconds: 1_700_000_000_001).inWords
    #expect(
      words.pieces == [.time("2023-11-14\u{A0}22:13\u{A0}UTC", exactly: "2023-11-14T22:13:20.001Z")])
  }
}
