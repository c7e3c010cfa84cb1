import Foundation
import Glibc
import Testing
import TestSupport

/// Files that failed runs leave, and their removal or reuse in the next run.
struct LeftoverFilesTests {
  private let product: SmallProduct

  init() throws { product = try SmallProduct() }

  private var runs: String { product.work + "/small/runs" }

  private var numbers: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: runs).sorted() }
  }

  private var latest: String {
    get throws { try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") }
  }

  private func expectWell(_ ended: Program.Finished) {
    #expect(ended.ending == .status(0), "\(ended.errors)")
  }

  @Test func `failed runs do not accumulate, and keep_runs applies before a run`() throws {
    for _ in 0..<3 { expectWell(try product.run()) }
    for _ in 0..<4 {
      #expect(try product.run("--set", "publish.store=sqlite:/proc/nope/s.sqlite").ending != .status(0))
    }
    // The two newest failed runs are kept, because they can show the reason.
    #expect(try numbers == ["1", "2", "3", "6", "7"] && latest == "runs/3")
    expectWell(try product.run("--set", "keep_runs=1", "--until", "ingest"))
    #expect(try numbers == ["3", "7", "8"] && latest == "runs/3")
    expectWell(try product.run("--set", "keep_runs=1"))
    #expect(try numbers == ["9"] && latest == "runs/9")
  }

  @Test func `a run killed while it updated latest becomes the latest`() throws {
    expectWell(try product.run())
    expectWell(try product.run())
    // This is the state after a kill: the run is complete, but the link is not yet replaced.
    let link = product.work + "/small/latest"
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "runs/1")
    try FileManager.default.createSymbolicLink(atPath: link + ".4711.partial", withDestinationPath: "runs/2")
    let resumed = try product.run("--resume")
    #expect(
      resumed.ending == .status(66) && resumed.errors.contains("run 2 is complete"), "\(resumed.errors)")
    #expect(try latest == "runs/2")
    #expect(
      try !FileManager.default.contentsOfDirectory(atPath: product.work + "/small").contains {
        $0.hasSuffix(".partial")
      })
  }

  @Test func `a removed run is renamed before it loses files`() throws {
    for _ in 0..<2 { expectWell(try product.run()) }
    // This is the state after a kill during the removal.
    try FileManager.default.moveItem(atPath: runs + "/1", toPath: runs + "/.removed-1")
    try FileManager.default.removeItem(atPath: runs + "/.removed-1/models")
    let erased = try Program.run(
      "nightjar", ["erase", product.pipelineFile, "--work", product.work, "--user", SmallProduct.ids[0]])
    expectWell(erased)
    expectWell(try product.run())
    #expect(try numbers == ["2", "3"])
  }

  @Test func `names that no run has are ignored`() throws {
    expectWell(try product.run())
    try FileManager.default.createDirectory(atPath: runs + "/07", withIntermediateDirectories: false)
    try Data().write(to: URL(filePath: runs + "/9"))
    expectWell(try product.run())
    #expect(try latest == "runs/2")
  }

  @Test(arguments: ["snapshot/manifest.json", "run.json", "rankings/manifest.json"])
  func `a run succeeds if an earlier run is damaged`(file: String) throws {
    expectWell(try product.run())
    try Data().write(to: URL(filePath: product.run(1) + "/" + file))
    expectWell(try product.run())
    #expect(try latest == "runs/2")
  }

  @Test func `a snapshot keeps its as-of time, and another time is rejected`() throws {
    let (early, late) = ("2024-03-04T00:00:00Z", "2024-03-05T00:00:00Z")
    expectWell(try product.run("--until", "index", "--as-of", early))
    let other = try product.run("--resume", "--as-of", late)
    #expect(other.ending == .status(78), "\(other.errors)")
    #expect(
      other.errors.contains("already has a snapshot as of \(early)") && other.errors.contains("another time"),
      "\(other.errors)")
    expectWell(try product.run("--resume", "--as-of", early))
    #expect(try product.run("--from", "rank", "--as-of", late).ending == .status(78))
    expectWell(try product.run("--from", "rank"))
  }

  private func metric(_ name: String, _ file: String) throws -> Double? {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("nightjar_\(name){") }
      .flatMap { $0.split(separator: " ").last.flatMap { Double($0) } }
  }

  @Test func `a run that fails before it begins is in the metrics too`() throws {
    let metrics = product.directory("night.prom")
    expectWell(try product.run("--metrics", metrics))
    let success = try #require(try metric("last_success_timestamp_seconds", metrics))
    let failures: [([String], Int32)] = [
      (["--set", "rankings.partners.top=0"], 78), (["--set", "publish.store=foo://x"], 78),
      (["--resume"], 66),
    ]
    for (arguments, status) in failures {
      let ended = try Program.run(
        "nightjar",
        ["run", product.pipelineFile, "--work", product.work, "--metrics", metrics] + arguments)
      #expect(ended.ending == .status(status), "\(ended.errors)")
      #expect(try metric("run_status", metrics) == Double(status))
      #expect(try metric("last_success_timestamp_seconds", metrics) == success)
    }
    // This run serves nothing.
    expectWell(try product.run("--metrics", metrics, "--until", "rank"))
    #expect(try metric("run_status", metrics) == 0)
    #expect(try metric("last_success_timestamp_seconds", metrics) == success)
    try Data().write(to: URL(filePath: metrics + ".4711.partial"))
    expectWell(try product.run("--metrics", metrics))
    #expect(try #require(try metric("last_success_timestamp_seconds", metrics)) > success)
    #expect(!product.directory.exists("night.prom.4711.partial"))
    let device = try product.run("--metrics", product.directory("."))
    #expect(
      device.ending == .status(73) && device.errors.contains("it is not a regular file"), "\(device.errors)")
    let nowhere = try product.run("--metrics", product.directory("nowhere/night.prom"))
    #expect(nowhere.ending == .status(73) && !nowhere.errors.contains("publish"), "\(nowhere.errors)")
  }

  /// Runs `line` in a shell that finds the programs in its path.
  private func shell(_ line: String) throws -> Program.Finished {
    try Program.run("/bin/sh", ["-c", "PATH=\(Program.products):$PATH; " + line])
  }

  private var command: String { "nightjar run \(product.pipelineFile) --work \(product.work)" }

  @Test func `exceeding the file size limit is a write error that names the path`() throws {
    let ended = try shell("ulimit -f 1; exec \(command)")
    #expect(ended.ending == .status(74), "\(ended.errors)")
    #expect(ended.errors.contains(product.work) && ended.errors.contains("File too large"), "\(ended.errors)")
    expectWell(try product.run())
  }

  @Test func `a run continues if its log is closed or missing`() throws {
    let unread = try shell("{ \(command); echo $? > \(product.directory("status")); } 2>&1 | head -n 1")
    #expect(unread.output.hasPrefix("small, run 1"))
    #expect(try String(contentsOfFile: product.directory("status"), encoding: .utf8) == "0\n")
    #expect(try latest == "runs/1")
    let closed = try shell("exec \(command) 0<&- 1>&- 2>&-")
    #expect(closed.ending == .status(0))
    #expect(try latest == "runs/2")
    let lock = try String(contentsOfFile: product.work + "/small/lock", encoding: .utf8)
    #expect(!lock.contains("ingest"), "\(lock)")
  }
}
