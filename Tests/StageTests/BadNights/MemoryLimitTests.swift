import Concurrency
import Foundation
import Glibc
import Testing
import TestSupport

/// A memory limit ends each stage. The directory of the stage must then be missing, and all other
/// files must be unchanged.
///
/// The suite is disabled under a sanitizer, because a sanitizer reserves terabytes of address space.
@Suite(
  .enabled(if: Command.path(of: "prlimit") != nil && !Program.isSanitized, "needs prlimit, no sanitizer"))
struct MemoryLimitTests {
  private static let tally = Tally("memory limits", cases: BadNight.programs.count)
  private static let tries = Soak.count(3, soak: 100)

  @Test(arguments: BadNight.programs) func `a memory limit ends a stage and damages nothing`(
    program: String
  )
    throws
  {
    let directory = try ScratchDirectory()
    let night = try BadNight(in: directory.path)
    let stage = BadNight.programs.firstIndex(of: program).flatMap {
      $0 < BadNight.stages.count ? BadNight.stages[$0] : nil
    }
    var served = BadNight.Length.threes
    var random = SplitMix64(seed: 3)
    // Bisects between a limit below which no program starts and a limit that always suffices.
    var (little, enough) = (1 << 24, 1 << 34)
    var ends = 0
    for attempt in 0..<Self.tries + 14 {
      let limit =
        attempt < 14 ? (little + enough) / 2 : Int.random(in: little * 3 / 4...enough, using: &random)
      let length = stage == nil ? served.other : .threes
      let run = night.run(length == .tens ? 1 : 2)
      let arguments = night.stageArguments(program, length, run: run) + ["--threads", "2"]
      if let stage { try FileManager.default.removeItem(atPath: "\(run)/\(stage)") }
      let running = try Program.start(
        Command.path(of: "prlimit") ?? "prlimit",
        // The program gets the environment of a run. Otherwise OpenBLAS would start a thread per processor
        // and wait for memory forever.
        ["--as=\(limit)", "--core=0", "/usr/bin/env", "SWIFT_BACKTRACE=enable=no"]
          + [Program.products + "/" + program] + arguments)
      let ended = running.wait(limit: .seconds(60))
      #expect(ended.ending != .signal(SIGKILL), "\(program) hangs under a limit of \(limit) bytes")
      if ended.ending == .status(0) {
        if attempt < 14 { enough = limit }
      } else {
        if attempt < 14 { little = limit }
        ends += 1
        Self.tally.add("\(program) ended by its limit")
      }
      let wrongs = try night.wrongs(
        run: 2, .threes, served: [served, length], isWhole: ended.ending == .status(0))
      #expect(wrongs.isEmpty, "\(limit) bytes, \(ended.ending): \(wrongs)")
      if ended.ending != .status(0) {
        let again = try Program.run(program, arguments)
        #expect(again.ending == .status(0) || again.ending == .status(73), "\(again.errors)")
      }
      if stage == nil { served = length }
      let whole = try night.wrongs(run: 2, .threes, served: [served])
      #expect(whole.isEmpty, "after \(limit) bytes: \(whole)")
    }
    #expect(ends > 0, "no limit ended \(program)")
    Self.tally.add("tries", Self.tries + 14)
    Self.tally.end()
  }
}
