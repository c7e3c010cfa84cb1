import Concurrency
import Foundation
import Testing
import TestSupport

/// Cuts the power at random times of runs. The file system then loses all unsynced data. The output
/// of every run with status 0 must survive, and every other file must be missing or complete.
///
/// Half of the cuts come right after the end of a run, when all data must be synced.
@Suite(.enabled(if: MountedDirectory.canMountImages, "cannot mount an image with a loop device"))
struct PowerCutTests {
  private static let parts = 2
  private static let tally = Tally("power cuts", cases: parts)
  private static let cycles = Soak.count(6, soak: 1000) / parts

  @Test(arguments: 0..<parts) func `results reported as complete survive a power cut`(part: Int) throws {
    let disk = try MountedDirectory(.image(96))
    let night = try BadNight(in: disk.path)
    var random = SplitMix64(seed: UInt64(part) + (Soak.isOn ? 1000 : 0))
    var served = BadNight.Length.threes
    // The list length of each run that was started.
    var lengths = [1: BadNight.Length.tens, 2: .threes]
    var typical = 0.5
    let clock = ContinuousClock()
    for cycle in 0..<Self.cycles {
      let length = served.other
      // In every fourth cycle, the store does not exist yet.
      let isFirst = cycle % 4 == 3
      if isFirst { try FileManager.default.removeItem(atPath: night.path + "/stores") }
      sync()
      let last = night.numbers.last ?? 0
      let start = clock.now
      let running = try Program.start("nightjar", night.runArguments(length))
      if Bool.random(using: &random) {
        _ = running.wait()
        let seconds = start.duration(to: clock.now) / .seconds(1)
        typical = 0.7 * typical + 0.3 * seconds
      } else {
        usleep(UInt32(random.nextUnit() * typical * 1.1e6))
      }
      let numbers = night.numbers
      if let number = numbers.last, number > last { lengths[number] = length }
      try disk.cutPower()
      running.kill()
      let ended = running.wait()
      try disk.remount()
      Self.tally.add("cuts")
      let number = night.numbers.last ?? 0
      // This run started after the check above and survived the cut.
      if number > last { lengths[number] = length }
      if ended.ending == .status(0) {
        Self.tally.add("complete after status 0")
        #expect(numbers.last == number, "a complete run is missing")
        #expect(night.latestNumber == number)
        for stage in BadNight.stages {
          #expect(
            night.differences(of: stage, in: night.run(number), length) == [], "\(stage) of run \(number)")
        }
        let wrongs = try night.wrongs(run: number, length, served: [length])
        #expect(wrongs.isEmpty, "after status 0: \(wrongs)")
        served = length
      } else {
        Self.tally.add("valid after an interruption")
        let wrongs = night.stagesWrongs(run: number, try #require(lengths[number]))
        #expect(wrongs.isEmpty, "\(wrongs)")
        served = try isFirst ? expectMended(night, length) : expectServed(night, [served, length])
        // The repairing run may have the number of a run that the power cut removed.
        if isFirst { lengths[night.numbers.last ?? 0] = length }
      }
    }
    Self.tally.end()
  }

  /// Expects that one of two runs is served and that `latest` points to a complete run.
  ///
  /// - Returns: The list length of the served run.
  private func expectServed(_ night: BadNight, _ lengths: [BadNight.Length]) throws
    -> BadNight.Length
  {
    let wrongs = try night.wrongs(run: 0, .tens, served: lengths)
    #expect(wrongs.isEmpty, "\(wrongs)")
    let found = try night.served()
    return try #require(lengths.first { night.documents[$0] == found })
  }

  /// Expects that the next run succeeds if no generation was served before, whatever remains of the
  /// store.
  private func expectMended(_ night: BadNight, _ length: BadNight.Length) throws -> BadNight.Length {
    let ended = try Program.run("nightjar", night.runArguments(length))
    try #require(ended.ending == .status(0), "after a power cut over a first publish: \(ended.errors)")
    let wrongs = try night.wrongs(run: night.numbers.last ?? 0, length, served: [length])
    #expect(wrongs.isEmpty, "\(wrongs)")
    return length
  }
}
