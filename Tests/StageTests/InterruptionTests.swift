import Foundation
import Glibc
import Reproducible
import TestSupport
import Testing

/// SIGKILL at any moment: each stage directory is absent or whole, the store serves one whole generation, nothing
/// of the run lives on, and the next run makes the same lists.
///
/// Each case starts a run over lists that are served already, and waits for a sign of the stage before it kills:
/// so the stage is hit whatever the machine's speed. What is asserted holds wherever the kill lands.
struct InterruptionTests {
  enum Victim: String, Sendable { case stage, run }

  struct Case: CustomTestStringConvertible, Sendable {
    var stage: String
    var victim: Victim
    /// Of the time between the sign and the kill.
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

  @Test(arguments: cases) func `a kill leaves whole stages and a whole generation`(_ kill: Case) throws {
    let served = try Served()
    let running = try Program.start("nightjar", ["run"] + served.second)
    let wasHit = try strike(kill, running, served)
    let ended = running.wait()
    #expect(wasHit || kill.seed > 0, "who strikes at once comes in time")
    if wasHit {
      switch kill.victim {
      case .run: #expect(ended.ending == .signal(SIGKILL))
      case .stage:
        expectFailure(ended, status: 70, says: ["nightjar-\(kill.stage)", "signal 9", "untouched"])
      }
      #expect(ended.output == "")
    } else {
      #expect(ended.ending == .status(0))
    }

    try expectNothingLivesOn(served)

    for stage in ["snapshot", "index", "models", "rankings"] {
      try expectWholeOrAbsent(served.run(2) + "/" + stage)
    }
    let isComplete = ended.ending == .status(0)
    let lists = try served.lists()
    if kill.stage == "publish" {
      #expect(lists == served.first || lists == served.next, "one generation or the other")
    } else if !isComplete {
      #expect(lists == served.first, "what was served before")
    }
    let latest = try FileManager.default.destinationOfSymbolicLink(atPath: served.work + "/fusion/latest")
    #expect(latest == "runs/1" || lists == served.next, "a run whose lists are not served is not the latest")

    let again = try Program.run("nightjar", ["run"] + served.second)
    #expect(again.ending == .status(0), "\(again.errors)")
    let difference = try DirectoryContents(of: served.run(3) + "/rankings")
      .differences(from: DirectoryContents(of: SmallFusion.threes.get().path + "/rankings"))
    // The manifest names the store, which lies elsewhere.
    #expect(difference == ["manifest.json"])
    #expect(try served.lists() == served.next)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: served.work + "/fusion/latest") == "runs/3")
  }

  /// Expects that no process of the run is left, and that the lock is free. The kernel takes a moment for both.
  private func expectNothingLivesOn(_ served: Served) throws {
    let isEmpty = becomesTrue { Program.processes(mentioning: served.directory.path).isEmpty }
    #expect(isEmpty, "a process lives on")
    let lock = open(served.work + "/fusion/lock", O_RDWR | O_CLOEXEC)
    try #require(lock >= 0)
    defer { close(lock) }
    #expect(becomesTrue { flock(lock, LOCK_EX | LOCK_NB) == 0 }, "the lock is held")
  }

  /// Waits for the sign of the case's stage, then a little, and kills. False where the run was over before.
  private func strike(_ kill: Case, _ running: RunningProgram, _ served: Served) throws -> Bool {
    var random = SplitMix64(seed: kill.seed)
    // What stands before the stage begins: cheaper to look for than a process.
    let signs = [
      "ingest": "run.json", "index": "snapshot", "fit": "index", "rank": "models", "publish": "rankings",
    ]
    let sign = served.run(2) + "/" + signs[kill.stage, default: ""]
    while running.isRunning, access(sign, F_OK) != 0 { usleep(500) }
    var stage: Int32?
    while running.isRunning {
      stage = Program.children(of: running.process).first { Program.name(of: $0) == "nightjar-" + kill.stage }
      if stage != nil { break }
    }
    guard let stage else { return false }
    // The first kill of a pair strikes at once, the second within the stage's work.
    if kill.seed > 0 { usleep(UInt32.random(in: 2_000...60_000, using: &random)) }
    switch kill.victim {
    case .run:
      guard running.isRunning else { return false }
      running.kill()
      return true
    case .stage:
      // The process id may be another's by now: only the run's own child is killed.
      guard Program.children(of: running.process).contains(stage) else { return false }
      return Glibc.kill(stage, SIGKILL) == 0
    }
  }

  /// A stage that is stopped would never end by itself: it dies with the run, or this test finds it.
  @Test(arguments: ["fit", "rank"]) func `a stage dies with the run that started it`(stage: String) throws {
    let served = try Served()
    let directory = ["fit": "models", "rank": "rankings"][stage, default: ""]
    let running = try Program.start("nightjar", ["run"] + served.second)
    // Its hidden directory is the sign that the stage is at work.
    while running.isRunning, !exists("\(served.run(2))/.\(directory).partial") { usleep(200) }
    let process = try #require(
      Program.children(of: running.process).first { Program.name(of: $0) == "nightjar-" + stage },
      "the stage was over before it could be stopped")
    Glibc.kill(process, SIGSTOP)
    running.kill()
    #expect(running.wait().ending == .signal(SIGKILL))
    let isGone = becomesTrue { !exists("/proc/\(process)/exe") || Program.name(of: process) == "" }
    #expect(isGone, "the stage lives on")
    if !isGone { Glibc.kill(process, SIGKILL) }
    #expect(!exists("\(served.run(2))/\(directory)"))
    try expectNothingLivesOn(served)
    #expect(try served.lists() == served.first)
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
    #expect(isGone, "ingest lives on")
    for process in Program.processes(mentioning: product.run(1)) { Glibc.kill(process, SIGKILL) }
    #expect(!exists(product.run(1) + "/snapshot"))
    // The next run takes the next number, and leaves the broken one alone.
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    try product.directory.write(SmallProduct.swipes, to: "swipes.csv")
    #expect(try product.run().output == product.run(2) + "\n")
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Whether `condition` holds at some time; the limit is far beyond what the kernel needs.
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

/// A work directory and a store that serve lists of ten, over which a run for lists of three is interrupted.
private struct Served {
  /// The lists of some people: as they are served first, and as the second run makes them.
  let first: [String]
  let next: [String]
  let directory: ScratchDirectory
  private let run: FusionRun

  var work: String { directory("var") }

  /// A run that nobody changes; each case has its copy.
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

  /// What the store serves for the people now.
  func lists() throws -> [String] {
    try first.map { document in
      let id = try RankingsFiles.Line(json: document).user
      let ended = try Program.run("nightjar", ["show"] + run.chosen + ["--user", id, "--json"])
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

/// Expects that nothing stands at `path`, or a stage directory that its manifest describes in full.
func expectWholeOrAbsent(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  guard FileManager.default.fileExists(atPath: path) else { return }
  let manifest = try json(path + "/manifest.json")
  let outputs = try #require(manifest["outputs"] as? [[String: Any]])
  let listed = outputs.compactMap { $0["path"] as? String }
  let present = try DirectoryContents(of: path)
  #expect(
    listed + ["manifest.json"] == present.names.filter { $0 != "manifest.json" } + ["manifest.json"],
    sourceLocation: sourceLocation)
  // The digests by another program than ours.
  let sums = try Program.run("/usr/bin/sha256sum", listed, in: path)
  let lines = sums.lines.map { $0.split(separator: " ").map(String.init) }
  #expect(lines.map(\.first) == outputs.map { $0["sha256"] as? String }, sourceLocation: sourceLocation)
  for output in outputs {
    let name = try #require(output["path"] as? String)
    #expect(output["bytes"] as? Int == present.files[name]?.count, "\(name)", sourceLocation: sourceLocation)
  }
}
