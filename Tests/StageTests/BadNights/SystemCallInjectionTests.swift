import Concurrency
import Foundation
import Testing
import TestSupport

/// Injects SIGKILL and errors at system calls that write output. `make soak` covers all calls, and
/// a test run covers some of them.
///
/// After each fault, stages must be missing or complete, one complete run must be served, and the
/// next run must succeed. An error must have the right status and a message with the path.
@Suite(.enabled(if: TracedProgram.isAvailable, "needs strace and a build without a sanitizer"))
struct SystemCallInjectionTests {
  private static let programs = BadNight.programs + ["nightjar"]
  private static let tally = Tally("faults at system calls", cases: programs.count)
  /// The number of calls per program in an ordinary test run.
  private static let few = 8

  @Test(arguments: programs) func `a failing system call damages no existing file`(program: String)
    throws
  {
    let directory = try ScratchDirectory()
    var injected = try InjectedNight(BadNight(in: directory.path), program)
    let points = try injected.points()
    try #require(points.count > 10, "\(program) has too few system calls: \(points)")
    var faults = points.flatMap { point in TracedProgram.Fault.allCases.map { (point, $0) } }
    if Soak.isOn {
      Self.tally.add("system calls", points.count)
    } else {
      var random = SplitMix64(seed: UInt64(program.utf8.count))
      faults = Array(faults.shuffled(using: &random).prefix(Self.few))
    }
    for (point, fault) in faults {
      let hasFired = try injected.check(point, fault)
      Self.tally.add(fault.name, hasFired ? 1 : 0)
      Self.tally.add("ended before the system call", hasFired ? 0 : 1)
      Self.tally.add("outcomes checked")
    }
    Self.tally.end()
  }
}
