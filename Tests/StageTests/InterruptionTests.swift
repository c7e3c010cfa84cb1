import Concurrency
import Foundation
import Glibc
import Testing
import TestSupport

/// Sends SIGKILL at different times. Each stage directory must then be absent or complete, and the
/// store must serve one complete generation. No process of the run may survive, and the next run
/// must make the same lists.
///
/// In each case, lists are already served. The test waits for the stage's process before the kill,
/// so the kill hits the stage on fast and slow machines. All assertions hold for a kill at any
/// time.
struct InterruptionTests {
  enum Victim: String, Sendable { case stage, run }

  struct Case: CustomTestStringConvertible, Sendable {
    var stage: String
    var victim: Victim
    /// The seed of the time between the start of the stage and the kill.
    var seed: UInt64

    var testDescription: String {
      "\(victim == .run ? "nightjar run" : "nightjar-\(stage)") during \(stage), moment \(seed)"
    }
  }

  static let cases = ["ingest", "index", "fit", "rank", "publish"].flatMap { stage in
    [Victim.stage, .run].flatMap { victim in
      (0..<2 as Range<UInt64>).map { Case(stage: stage, victim: victim, seed: $0) }
    }
  }

  @Test(arguments: cases) func `a kill leaves complete stages and a complete generation`(_ kill: Case) throws
  {
    let (served, ended) = try interrupted(kill)
    switch kill.victim {
    case .run: #expect(ended.ending == .signal(SIGKILL))
    case .stage:
      expectFailure(
        ended, status: 75,
        says: ["nightjar \(kill.stage)", "Signal 9 killed", "no store has changed"])
    }
    #expect(ended.output == "")

    try expectNothingLivesOn(served)

    for stage in ["snapshot", "index", "models", "rankings"] {
      try expectWholeOrAbsent(served.run(2) + "/" + stage)
    }
    let lists = try served.lists()
    // A kill during publish can come after the commit. Other stages never write to the store.
    let whole = kill.stage == "publish" ? [served.first, served.next] : [served.first]
    #expect(whole.contains(lists), "the store must serve one complete generation")
    let latest = try FileManager.default.destinationOfSymbolicLink(atPath: served.work + "/fusion/latest")
    #expect(
      latest == "runs/1" || lists == served.next, "a run whose lists are not served must not be the latest")

    let again = try Program.run("nightjar", ["run"] + served.second)
    #expect(again.ending == .status(0), "\(again.errors)")
    let difference = try DirectoryContents(of: served.run(3) + "/rankings")
      .differences(from: DirectoryContents(of: SmallFusion.threes.get().path + "/rankings"))
    // The manifest contains the path of the store, which differs.
    #expect(difference == ["manifest.json"])
    #expect(try served.lists() == served.next)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: served.work + "/fusion/latest") == "runs/3")
  }

  /// Expects that all processes of the run have ended and that the lock is free. The kernel needs a
  /// moment for both.
  private func expectNothingLivesOn(_ served: Served) throws {
    let isEmpty = becomesTrue { Program.processes(mentioning: served.directory.path).isEmpty }
    #expect(isEmpty, "a process of the run still exists")
    let lock = open(served.work + "/fusion/lock", O_RDWR | O_CLOEXEC)
    try #require(lock >= 0)
    defer { close(lock) }
    #expect(becomesTrue { flock(lock, LOCK_EX | LOCK_NB) == 0 }, "the lock is held")
  }

  /// Returns a run that `kill` has killed. On a busy machine, a stage may end before the
  /// signal arrives, so this tries several times.
  private func interrupted(_ kill: Case) throws -> (Served, Program.Finished) {
    var random = SplitMix64(seed: kill.seed)
    for _ in 0..<40 {
      let served = try Served()
      let running = try Program.start("nightjar", ["run"] + served.second)
      // With seed 0, the kill comes at once. Otherwise it comes while the stage works.
      let pause = kill.seed == 0 ? 0 : UInt32.random(in: 0...30_000, using: &random)
      let wasHit = try strike(kill, running, served, after: pause)
      let ended = running.wait()
      if wasHit, ended.ending != .status(0) { return (served, ended) }
    }
    throw NeverHit(description: kill.testDescription)
  }

  private struct NeverHit: Error, CustomStringConvertible {
    var description: String
  }

  /// Waits for the stage of `kill`, waits another `pause` microseconds, and sends the signal.
  /// Returns false if the stage had already ended.
  private func strike(_ kill: Case, _ running: RunningProgram, _ served: Served, after pause: UInt32) throws
    -> Bool
  {
    // These files exist before each stage starts. Checking for a file is cheaper than searching for
    // a process.
    let signs = [
      "ingest": "run.json", "index": "snapshot", "fit": "index", "rank": "models", "publish": "rankings",
    ]
    let sign = served.run(2) + "/" + signs[kill.stage, default: ""]
    while running.isRunning, !exists(sign) { usleep(500) }
    guard let stage = process(of: kill.stage, in: running) else { return false }
    usleep(pause)
    // The process id may already belong to another process, so this kills only a child of the run.
    guard Program.children(of: running.process).contains(stage), Program.name(of: stage) != "" else {
      return false
    }
    switch kill.victim {
    case .run: running.kill()
    case .stage: Glibc.kill(stage, SIGKILL)
    }
    return true
  }

  /// Returns the process of `stage` as soon as it exists, or `nil` if the run ends first.
  private func process(of stage: String, in running: RunningProgram) -> Int32? {
    while running.isRunning {
      let children = Program.children(of: running.process)
      if let child = children.first(where: { Program.name(of: $0) == "nightjar-\(stage)".prefix(15) }) {
        return child
      }
    }
    return nil
  }

  /// A stopped stage cannot end by itself, so it must die with its run.
  @Test(arguments: ["fit", "rank"]) func `a stage dies with the run that started it`(stage: String) throws {
    let directory = ["fit": "models", "rank": "rankings"][stage, default: ""]
    let (served, running, process) = try stopped(stage, writing: directory)
    running.kill()
    #expect(running.wait().ending == .signal(SIGKILL))
    let isGone = becomesTrue { Program.name(of: process) == "" }
    #expect(isGone, "the stage's process still exists")
    if !isGone { Glibc.kill(process, SIGKILL) }
    #expect(!exists("\(served.run(2))/\(directory)"))
    try expectNothingLivesOn(served)
    #expect(try served.lists() == served.first)
  }

  /// Returns a run whose `stage` is stopped while it works. This tries several runs, because a
  /// stage can end too soon.
  private func stopped(_ stage: String, writing directory: String) throws -> (Served, RunningProgram, Int32) {
    for _ in 0..<40 {
      let served = try Served()
      let running = try Program.start("nightjar", ["run"] + served.second)
      // The hidden directory exists while the stage works.
      let hidden = "\(served.run(2))/.\(directory).partial"
      while running.isRunning, !exists(hidden), !exists("\(served.run(2))/\(directory)") { usleep(100) }
      if exists(hidden), let process = process(of: stage, in: running) {
        Glibc.kill(process, SIGSTOP)
        if exists(hidden), Program.name(of: process) != "" { return (served, running, process) }
        Glibc.kill(process, SIGCONT)
      }
      running.kill()
      _ = running.wait()
    }
    throw NeverHit(description: stage)
  }

  @Test func `ingest dies with the run, even while it waits for an export`() throws {
    let product = try SmallProduct()
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    try #require(mkfifo(product.directory("swipes.csv"), 0o600) == 0)
    let running = try Program.start("nightjar", ["run", product.pipelineFile, "--work", product.work])
    while running.isRunning, Program.processes(mentioning: product.run(1)).isEmpty { usleep(1000) }
    try #require(running.isRunning)
    running.kill()
    _ = running.wait()
    let isGone = becomesTrue { Program.processes(mentioning: product.run(1)).isEmpty }
    #expect(isGone, "the process of ingest still exists")
    for process in Program.processes(mentioning: product.run(1)) { Glibc.kill(process, SIGKILL) }
    #expect(!exists(product.run(1) + "/snapshot"))
    // The next run gets the next number.
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    try product.directory.write(SmallProduct.swipes, to: "swipes.csv")
    #expect(try product.run().output == product.run(2) + "\n")
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Waits until `condition` holds. The time limit is far longer than the kernel needs.
  private func becomesTrue(_ condition: () -> Bool) -> Bool {
    let clock = ContinuousClock()
    let limit = clock.now + .seconds(60)
    while clock.now < limit {
      if condition() { return true }
      usleep(1000)
    }
    return condition()
  }
}

/// A work directory and a store that serve lists of ten entries. The second run makes lists of
/// three entries and is interrupted.
private struct Served {
  /// The lists of some people: those served first, and those that the second run makes.
  let first: [String]
  let next: [String]
  let directory: ScratchDirectory
  private let run: FusionRun

  var work: String { directory("var") }

  /// A complete run. Each case works on a copy of it.
  private static let template = Result {
    try FusionRun(
      exports: SmallFusion.exports.get().path, ["--as-of", FusionRun.newestSwipe], untilExit: true)
  }

  init() throws {
    let template = try Self.template.get()
    run = try FusionRun(copying: template)
    directory = run.directory
    first = try Self.documents(of: template.path)
    next = try Self.documents(of: SmallFusion.threes.get().path)
    let lists = try lists()
    try #require(lists == first && first != next)
  }

  func run(_ number: Int) -> String { "\(work)/fusion/runs/\(number)" }

  /// The arguments of the second run.
  var second: [String] {
    run.chosen + ["--as-of", FusionRun.newestSwipe, "--set", "rankings.partners.top=3"]
  }

  /// The lists that the store currently serves.
  func lists() throws -> [String] {
    try first.map { document in
      let id = try RankingsFiles.Line(json: document).user
      let ended = try Program.run(
        "nightjar", ["show"] + run.chosen + ["--user", id, "--list", "partners", "--json"])
      try #require(ended.ending == .status(0), "\(ended.errors)")
      return ended.output
    }
  }

  private static func documents(of run: String) throws -> [String] {
    let text = try String(contentsOfFile: run + "/rankings/partners/part-00000.jsonl", encoding: .utf8)
    let lines = text.split(separator: "\n")
    return stride(from: 0, to: lines.count, by: 70).map { lines[$0] + "\n" }
  }
}

/// Expects that `path` does not exist, or that it is a stage directory with all outputs of its
/// manifest.
func expectWholeOrAbsent(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  guard FileManager.default.fileExists(atPath: path) else { return }
  let manifest = try json(path + "/manifest.json")
  let outputs = try #require(manifest["outputs"] as? [[String: Any]])
  let listed = outputs.compactMap { $0["path"] as? String }
  let present = try DirectoryContents(of: path)
  #expect(
    listed + ["manifest.json"] == present.names.filter { $0 != "manifest.json" } + ["manifest.json"],
    sourceLocation: sourceLocation)
  // An independent program computes the digests.
  let sums = try Program.run("/usr/bin/sha256sum", listed, in: path)
  let lines = sums.lines.map { $0.split(separator: " ").map(String.init) }
  #expect(lines.map(\.first) == outputs.map { $0["sha256"] as? String }, sourceLocation: sourceLocation)
  for output in outputs {
    let name = try #require(output["path"] as? String)
    #expect(output["bytes"] as? Int == present.files[name]?.count, "\(name)", sourceLocation: sourceLocation)
  }
}
