import Concurrency
import Testing
import TestSupport

/// Sends SIGKILL at random times to runs, to single stages and to publish. A test run makes 100
/// kills, and `make soak` makes 10 000. A kill counts only if the signal ended the process.
struct KilledNightTests {
  /// The kills of a part run one after another. The parts run in parallel.
  private static let parts = 4
  private static let tally = Tally("random kills", cases: parts)
  private static let hits = Soak.count(100, soak: 10_000) / parts

  @Test(arguments: 0..<parts)
  func `after killing any process, existing files are complete and the next run works`(
    part: Int
  ) throws {
    let directory = try ScratchDirectory()
    var killer = try Killer(
      BadNight(in: directory.path), Self.tally, seed: UInt64(part) + (Soak.isOn ? 1000 : 0))
    var random = SplitMix64(seed: UInt64(part))
    var tries = 0
    while killer.landed < Self.hits {
      tries += 1
      try #require(tries < 20 * Self.hits, "kills come too late: \(killer.landed) landed of \(tries)")
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<4: try killer.strikeRun()
      case 4..<8: try killer.strikePublish()
      case 8: try killer.strikeFirstPublish()
      default: try killer.strikeStage()
      }
    }
    Self.tally.end()
  }

  /// Kills publish to a server.
  @Test(.enabled(if: Soak.isOn, "make soak"), arguments: [SoakTests.Store.postgresql, .redis])
  func `after killing a publish to a server, readers see one complete run`(store: SoakTests.Store)
    throws
  {
    let directory = try ScratchDirectory()
    if !SoakTests.Store.allCases.contains(store) { try Test.cancel("needs \(store)") }
    let tally = Tally("random kills of the loader of \(store)", cases: 1)
    var killer = try Killer(
      BadNight(in: directory.path, store: store.address(in: directory.path)), tally, seed: 7)
    var tries = 0
    let hits = Soak.count(10, soak: 250)
    while killer.landed < hits {
      tries += 1
      try #require(tries < 20 * hits, "kills come too late: \(killer.landed) landed of \(tries)")
      try killer.strikePublish()
    }
    tally.end()
  }
}
