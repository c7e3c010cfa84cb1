import Foundation
import Testing
import TestSupport

/// Tests `nightjar synthesize --users N --swipes-per-user M` and the pipeline file that it writes.
struct CrowdTests {
  private func synthesize(_ directory: ScratchDirectory, _ arguments: String...) throws -> Program.Finished {
    try Program.run(
      "nightjar",
      ["synthesize", "--users", "600", "--swipes-per-user", "30", "--seed", "3", "--out", directory("crowd")]
        + arguments)
  }

  private func run(_ directory: ScratchDirectory, until stage: String) throws -> String {
    let ended = try Program.run(
      "nightjar",
      ["run", directory("crowd/pipeline.yaml"), "--work", directory("var"), "--until", stage])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return directory("var/crowd/runs/1")
  }

  @Test func `models fitted on a crowd are better than chance and better than one model for all users`()
    throws
  {
    let directory = try ScratchDirectory()
    try #require(synthesize(directory).ending == .status(0))
    let run = try run(directory, until: "evaluate")
    let metrics = try #require(
      try JSONSerialization.jsonObject(
        with: Data(contentsOf: URL(filePath: run + "/evaluation/metrics.json"))) as? [String: Any])
    let methods = metrics.object("rankings").object("partners").object("methods")
    func area(_ method: String) throws -> (mean: Double, low: Double) {
      let auc = methods.object(method).object("ordering").object("auc")
      return (
        try #require(auc["mean"] as? Double), try #require((auc["interval_by_cluster"] as? [Double])?.first)
      )
    }
    // The measured values are 0.71 and 0.67 with this seed.
    #expect(try area("pipeline").low > 0.6)
    #expect(try area("pipeline").mean > area("everybody").mean)
  }

  @Test(arguments: [
    ["--format", "csv", "--compress", "gzip"], ["--format", "csv", "--compress", "zstd"],
    ["--format", "jsonl"], ["--format", "jsonl", "--compress", "gzip"],
    ["--format", "jsonl", "--compress", "zstd"],
  ])
  func `every format has the same content, and runs`(options: [String]) throws {
    let plain = try ScratchDirectory()
    try #require(synthesize(plain).ending == .status(0))
    let other = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar",
      ["synthesize", "--users", "600", "--swipes-per-user", "30", "--seed", "3", "--out", other("crowd")]
        + options)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let difference = try DirectoryContents(of: run(other, until: "ingest") + "/snapshot")
      .differences(from: DirectoryContents(of: run(plain, until: "ingest") + "/snapshot"))
    #expect(difference == ["manifest.json"])
  }

  @Test func `the printed counts match the files, and nothing is replaced without --force`() throws {
    let directory = try ScratchDirectory()
    let first = try synthesize(directory, "--threads", "1")
    try #require(first.ending == .status(0), "\(first.errors)")
    let summary = try #require(
      try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any])
    #expect(summary.integer("users") == 600 && summary.integer("swipes") == 18_000)
    let files = try #require(summary["files"] as? [[String: Any]])
    #expect(files.compactMap { $0["path"] as? String } == ["users.csv", "swipes.csv"])
    let written = try DirectoryContents(of: directory("crowd"))

    let again = try synthesize(directory, "--threads", "2")
    #expect(again.ending == .status(73) && again.errors.contains("add --force"))
    #expect(try DirectoryContents(of: directory("crowd")).differences(from: written) == [])
    let forced = try synthesize(directory, "--threads", "2", "--force")
    #expect(forced.ending == .status(0) && forced.output == first.output)
    #expect(try DirectoryContents(of: directory("crowd")).differences(from: written) == [])
  }

  @Test(arguments: [
    ["--like", "fusion", "--swipes-per-user", "5"], ["--like", "fusion", "--format", "csv"],
    ["--compress", "gzip"], ["--like", "crowd", "--swipes", "5"], ["--swipes-per-user", "0"],
    ["--swipes-per-user", "251"], ["--like", "crowd", "--users", "19"],
    ["--like", "crowd", "--format", "tsv"],
    ["--like", "crowd", "--compress", "xz"], ["--swipes-per-user", "5", "--threads", "0"],
  ])
  func `incompatible options give status 64, and nothing is written`(options: [String]) throws {
    let directory = try ScratchDirectory()
    let ended = try Program.run("nightjar", ["synthesize", "--out", directory("crowd")] + options)
    #expect(ended.ending == .status(64))
    #expect(!FileManager.default.fileExists(atPath: directory("crowd")))
  }
}
