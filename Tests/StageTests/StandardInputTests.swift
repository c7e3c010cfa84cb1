import Foundation
import Testing
import TestSupport

/// An export can come from standard input with `path: "-"`.
struct StandardInputTests {
  private func product(_ format: String) throws -> SmallProduct {
    let product = try SmallProduct()
    try product.replace(
      "source: { path: people.csv }", by: "source: { path: \"-\", format: \(format) }")
    return product
  }

  private func programs(_ product: SmallProduct, input: String) throws -> [Program.Finished] {
    let file = product.pipelineFile
    return [
      try Program.run(
        "nightjar", ["run", file, "--work", product.work, "--until", "ingest"], input: input),
      try Program.run(
        "nightjar-ingest", [file, "--run-dir", product.directory("run"), "--now", "2030-01-01T00:00:00Z"],
        input: input),
      try Program.run("nightjar", ["check", file, "--work", product.work, "--json"], input: input),
    ]
  }

  @Test(arguments: [nil, "gzip"]) func `run, ingest and check read standard input`(tool: String?) throws {
    let product = try product("csv")
    let whole = try SmallProduct()
    try #require(try whole.run("--until", "ingest").ending == .status(0))
    let path = product.directory("people.csv")
    let input = try tool.map { try compress(path, by: $0) } ?? path
    let ended = try programs(product, input: input)
    for ended in ended { try #require(ended.ending == .status(0), "\(ended.errors)") }
    for run in [product.run(1), product.directory("run")] {
      let difference = try DirectoryContents(of: run + "/snapshot")
        .differences(from: DirectoryContents(of: whole.run(1) + "/snapshot"))
      #expect(difference == ["manifest.json"])
      let inputs = try #require(try json(run + "/snapshot/manifest.json")["inputs"] as? [[String: Any]])
      #expect(inputs.map { $0["path"] as? String } == ["-", "swipes.csv"])
      let sum = try Program.run("/usr/bin/sha256sum", [], input: input)
      #expect(sum.output == "\(inputs[0]["sha256"] ?? "")  -\n")
    }
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(ended[2].output.utf8)) as? [String: Any])
    let sources = try #require(report["sources"] as? [[String: Any]])
    #expect(sources.map { $0.integer("kept") } == [8, 12])
  }

  @Test func `the later stages work as usual`() throws {
    let product = try product("csv")
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.work],
      input: product.directory("people.csv"))
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.output == product.run(1) + "\n")
  }

  @Test(arguments: ["csv", "json", "firestore", "parse", "realtime"])
  func `empty standard input gives status 65 if the format has a header`(format: String) throws {
    let product = try product(format)
    for ended in try programs(product, input: "/dev/null") {
      #expect(ended.ending == .status(65), "\(ended.errors)")
      #expect(ended.errors.contains("standard input"), "\(ended.errors)")
    }
    #expect(!product.directory.exists("run/snapshot"))
  }

  @Test func `empty JSON Lines of people give status 65`() throws {
    let product = try product("jsonl")
    try product.directory.write("from,to,answer,at\n", to: "swipes.csv")
    for ended in try programs(product, input: "/dev/null") {
      #expect(ended.ending == .status(65))
      #expect(
        ended.errors.contains("people: expected rows.at_least 1, found 0 rows"), "\(ended.errors)")
    }
  }

  @Test func `truncated input gives status 65 and is named standard input`() throws {
    let product = try product("csv")
    let path = try compress(product.directory("people.csv"), by: "gzip")
    let whole = try Data(contentsOf: URL(filePath: path))
    try product.directory.write(whole.dropLast(20), to: "people.csv.gz")
    for ended in try programs(product, input: path) {
      #expect(ended.ending == .status(65))
      #expect(ended.errors.contains("standard input: compressed byte \(whole.count - 20)"), "\(ended.errors)")
    }
  }
}
