import Foundation
import Glibc
import Testing
import TestSupport

/// Tests `nightjar run --resume` and `--from`, and runs that are stopped by a signal.
struct ResumeTests {
  private func run(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["run", product.pipelineFile, "--work", product.work] + arguments)
  }

  /// Returns a product with a run that was interrupted after `stage`.
  private func interrupted(after stage: String) throws -> SmallProduct {
    let product = try SmallProduct()
    try #require(try run(product, "--until", stage).ending == .status(0))
    return product
  }

  @Test(arguments: ["ingest", "index", "fit", "rank"])
  func `an interrupted run resumes at its first missing stage, with the lists of a whole run`(
    stage: String
  )
    throws
  {
    let product = try interrupted(after: stage)
    let stages = ["ingest", "index", "fit", "rank"]
    let done = stages.prefix(through: try #require(stages.firstIndex(of: stage)))
    let snapshot = try DirectoryContents(of: product.run(1) + "/snapshot")
    let ended = try run(product, "--resume")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("already complete: " + done.joined(separator: ", ")))
    for stage in stages {
      #expect(ended.errors.contains("  \(stage.padded) started") == !done.contains(stage))
    }
    let whole = try SmallProduct()
    try #require(try run(whole).ending == .status(0))
    for directory in ["snapshot", "index", "models", "rankings"] {
      let found = try DirectoryContents(of: product.run(1) + "/" + directory)
      #expect(try found.differences(from: DirectoryContents(of: whole.run(1) + "/" + directory)) == [])
    }
    #expect(try DirectoryContents(of: product.run(1) + "/snapshot").differences(from: snapshot) == [])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/1")
    let again = try run(product, "--resume")
    #expect(again.ending == .status(66) && again.errors.contains("run 1 is complete"))
  }

  @Test(arguments: [
    "snapshot/entities/people/id.utf8", "index/people/rows.npy", "models/manifest.json", "run.json",
  ])
  func `--resume and --from reject a damaged file`(file: String) throws {
    let product = try interrupted(after: "fit")
    let path = product.run(1) + "/" + file
    let whole = try Data(contentsOf: URL(filePath: path))
    var damaged = whole
    damaged[damaged.count / 2] ^= 4
    try damaged.write(to: URL(filePath: path))
    let refused = try run(product, "--resume")
    #expect(refused.ending == .status(74) && refused.errors.contains(file), "\(refused.errors)")
    #expect(!product.directory.exists("serving.sqlite"))
    try whole.write(to: URL(filePath: path))
    #expect(try run(product, "--resume").ending == .status(0))
    if file == "run.json" { damaged = Data("{}".utf8) }
    try damaged.write(to: URL(filePath: path))
    let fromRank = try run(product, "--from", "rank")
    #expect(fromRank.ending == .status(74) && fromRank.errors.contains(file), "\(fromRank.errors)")
    #expect(!product.directory.exists("var/small/runs/2"))
  }

  @Test func `--from does not fall back to an older run if the record of the last one is damaged`() throws {
    let product = try SmallProduct()
    for top in 1...2 {
      try #require(try run(product, "--set", "rankings.partners.top=\(top)").ending == .status(0))
    }
    try product.directory.write("{}", to: "var/small/runs/2/run.json")
    let ended = try run(product, "--from", "publish", "--set", "rankings.partners.top=1")
    #expect(ended.ending == .status(74) && ended.errors.contains("runs/2/run.json"), "\(ended.errors)")
  }

  @Test(arguments: [1, 40, 400]) func `a truncated export makes --resume fail`(bytes: Int) throws {
    let product = try interrupted(after: "fit")
    let whole = try product.directory.bytes("swipes.csv")
    try product.directory.write(whole.dropLast(bytes).map { $0 }, to: "swipes.csv")
    let ended = try run(product, "--resume")
    #expect(ended.ending == .status(65) && ended.errors.contains("swipes.csv has changed"), "\(ended.errors)")
    try product.directory.write(whole, to: "swipes.csv")
    #expect(try run(product, "--resume").ending == .status(0))
  }

  /// Returns `count` swipes. The readers of these formats differ: they read blocks, documents or
  /// the whole file.
  private static func swipes(_ format: String, _ count: Int) -> String {
    let object = #"{"from":"adaXQ","to":"benXQ","answer":"right","at":"2024-03-01T10:00:00Z"}"#
    return switch format {
    case "jsonl": String(repeating: object + "\n", count: count)
    case "json": "[" + String(repeating: object + ",", count: count - 1) + object + "]"
    default: SmallProduct.swipes + String(repeating: "adaXQ,benXQ,right,2024-03-01T10:00:00Z\n", count: count)
    }
  }

  @Test(arguments: ["csv", "jsonl", "json"])
  func `an export that is truncated during --resume is an error, not a crash`(format: String) throws {
    let product = try SmallProduct()
    try product.replace("swipes.csv", by: "swipes.\(format)")
    try product.directory.write(Self.swipes(format, 12), to: "swipes.\(format)")
    let first = try run(product, "--until", "fit")
    try #require(first.ending == .status(0), "\(first.errors)")
    // The file is larger than the readers' buffers, so it is truncated while they read it.
    try product.directory.write(Self.swipes(format, 1_200_000), to: "swipes.\(format)")
    let path = product.directory("swipes.\(format)")
    for bytes: off_t in [40 << 20, 20 << 20, 3 << 20, 4_097, 1, 0] {
      let running = try Program.start(
        "nightjar", ["run", product.pipelineFile, "--work", product.work, "--resume"])
      usleep(20_000)
      truncate(path, bytes)
      let ended = running.wait()
      #expect(ended.ending == .status(65), "\(bytes): \(ended.ending) \(ended.errors)")
    }
  }

  @Test func `the next run first removes all incomplete runs except the newest`() throws {
    let product = try SmallProduct()
    let runs = { try FileManager.default.contentsOfDirectory(atPath: product.work + "/small/runs").sorted() }
    try #require(try run(product).ending == .status(0))
    try FileManager.default.moveItem(
      atPath: product.directory("swipes.csv"), toPath: product.directory("away"))
    for expected in [["1", "2"], ["1", "2", "3"], ["1", "3", "4"]] {
      #expect(try run(product).ending == .status(66))
      #expect(try runs() == expected)
    }
    try FileManager.default.moveItem(
      atPath: product.directory("away"), toPath: product.directory("swipes.csv"))
    #expect(try run(product).ending == .status(0))
    #expect(try runs() == ["1", "4", "5"])
    #expect(try run(product, "--until", "rank").ending == .status(0))
    #expect(try run(product).ending == .status(0))
    #expect(try runs() == ["1", "5", "6", "7"])
    #expect(try run(product, "--set", "keep_runs=1").ending == .status(0))
    #expect(try runs() == ["8"])
  }

  @Test func `--resume is rejected with the reason if something has changed`() throws {
    let product = try interrupted(after: "fit")
    let other = try run(product, "--resume", "--set", "rankings.partners.top=3")
    #expect(other.ending == .status(78) && other.errors.contains("rankings.partners.top"))
    try product.replace("adaXQ,benXQ,right", by: "adaXQ,benXQ,left", in: "swipes.csv")
    let changed = try run(product, "--resume")
    #expect(
      changed.ending == .status(65) && changed.errors.contains("swipes.csv has changed"), "\(changed.errors)")
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    #expect(try run(product, "--resume").ending == .status(66))
    try product.directory.write(SmallProduct.swipes, to: "swipes.csv")
    #expect(try run(product, "--resume").ending == .status(0))
    #expect(try run(try SmallProduct(), "--resume").ending == .status(66))
    #expect(try run(product, "--resume", "--from", "fit").ending == .status(64))
    #expect(try run(product, "--from", "rank", "--until", "fit").ending == .status(64))
  }

  @Test func `a run from a later stage uses earlier stages of the last complete run`() throws {
    let product = try SmallProduct()
    #expect(try run(product, "--from", "rank").ending == .status(66))
    try #require(try run(product).ending == .status(0))
    let ended = try run(product, "--from", "rank", "--set", "rankings.partners.top=2")
    #expect(
      ended.ending == .status(0) && ended.errors.contains("already complete: ingest, index, fit"),
      "\(ended.errors)")
    var (one, two) = (stat(), stat())
    #expect(stat(product.run(1) + "/snapshot/rejects.csv", &one) == 0)
    #expect(stat(product.run(2) + "/snapshot/rejects.csv", &two) == 0)
    #expect(one.st_ino == two.st_ino)
    let lists = try String(contentsOfFile: product.run(2) + "/rankings/partners.csv", encoding: .utf8)
    #expect(!lists.contains(",3,"))
    // The settings of earlier stages must be unchanged. The failed attempt does not affect a later
    // run.
    let changed = try run(product, "--from", "rank", "--set", "model.features=[distance]")
    #expect(changed.ending == .status(78) && changed.errors.contains("model.features"))
    #expect(!product.directory.exists("var/small/runs/3"))
    #expect(try run(product, "--from", "index", "--set", "model.features=[distance]").ending == .status(0))
    #expect(try run(product, "--from", "publish", "--set", "model.features=[distance]").ending == .status(0))
  }

  @Test func `leftovers of dead runs are removed by the next run`() throws {
    let product = try interrupted(after: "ingest")
    for name in [".rankings.partial", ".models.partial.stopped"] {
      try product.directory.write("x", to: "var/small/runs/1/\(name)/half")
    }
    try product.directory.write("x", to: "var/small/runs/1/kept-by-somebody")
    try #require(try run(product).ending == .status(0))
    #expect(!product.directory.exists("var/small/runs/1/.rankings.partial"))
    #expect(!product.directory.exists("var/small/runs/1/.models.partial.stopped"))
    #expect(product.directory.exists("var/small/runs/1/kept-by-somebody"))
  }

  /// Sends a signal to `nightjar run` during a stage. The run must end by itself without partial files, and
  /// `--resume` must complete it.
  @Test(
    arguments: [(SIGTERM, 75), (SIGINT, 130), (SIGHUP, 75)] as [(signal: Int32, status: Int32)],
    ["ingest", "fit", "publish"])
  func `a stopped run leaves only complete stages`(reported: (signal: Int32, status: Int32), stage: String)
    throws
  {
    // A run may end before the signal arrives, unless its export is a pipe that never ends.
    let holdsUp = stage == "ingest"
    for _ in 0..<(holdsUp ? 1 : 20) {
      if try endsRun(reported.signal, in: stage, with: reported.status, holdsUp: holdsUp) { return }
    }
    Issue.record("every run in \(stage) ended before its signal")
  }

  /// Returns whether the signal arrived before the run ended, and expects the documented effects.
  private func endsRun(_ signal: Int32, in stage: String, with status: Int32, holdsUp: Bool) throws -> Bool {
    let product = try SmallProduct()
    let endless = holdsUp ? try product.endlessPipe() : nil
    defer { try? endless?.writer.close() }
    let running = try Program.start(
      "nightjar",
      ["run", product.pipelineFile, "--work", product.work] + (holdsUp ? SmallProduct.swipesFromInput : []),
      input: endless?.path ?? "/dev/null")
    let signs = ["ingest": "run.json", "fit": "index", "publish": "rankings"]
    while running.isRunning, !product.directory.exists("var/small/runs/1/" + signs[stage, default: ""]) {
      usleep(500)
    }
    if holdsUp { usleep(20_000) }
    kill(running.process, signal)
    let ended = running.wait()
    let names = try FileManager.default.contentsOfDirectory(atPath: product.run(1))
    #expect(!names.contains { $0.hasPrefix(".") || $0.hasSuffix(".partial") }, "\(names)")
    if ended.ending == .status(0), !holdsUp { return false }
    #expect(ended.ending == .status(status), "\(ended.errors)")
    #expect(ended.errors.contains("stopped by SIG") && ended.errors.contains("--resume"))
    #expect(try run(product, "--resume").ending == .status(0))
    return true
  }

  @Test func `a stage run by hand can be stopped too`() throws {
    let product = try SmallProduct()
    let endless = try product.endlessPipe()
    defer { try? endless.writer.close() }
    let running = try Program.start(
      "nightjar-ingest",
      [product.pipelineFile, "--run-dir", product.directory("alone")] + SmallProduct.swipesFromInput,
      input: endless.path)
    while running.isRunning, !product.directory.exists("alone/lock") { usleep(500) }
    usleep(20_000)
    kill(running.process, SIGTERM)
    #expect(running.wait().ending == .status(75))
    #expect(try FileManager.default.contentsOfDirectory(atPath: product.directory("alone")) == ["lock"])
  }
}

extension String {
  /// The name of a stage with the padding of the log.
  fileprivate var padded: String { self + String(repeating: " ", count: max(0, 9 - count)) }
}
