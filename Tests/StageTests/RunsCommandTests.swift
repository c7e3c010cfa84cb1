import Foundation
import RunSchemas
import TestSupport
import Testing
import Text

/// Runs `nightjar runs` as a user does.
@Suite struct RunsCommandTests {
  private func runs(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["runs", product.pipelineFile, "--work", product.work] + arguments)
  }

  @Test func `complete and failed runs are listed, newest first, with the served generation`() throws {
    let product = try SmallProduct()
    #expect(try runs(product).lines.count == 1, "before the first run, only the header may be printed")
    try #require(try product.run().ending == .status(0))
    try product.replace("from", by: "frrm", in: "swipes.csv")
    let failed = try product.run()
    try #require(failed.ending != .status(0))
    let ended = try runs(product, "--json")
    #expect(ended.ending == .status(0) && ended.errors == "")
    let list = try JSONDecoder().decode(JSONValue.self, from: Data(ended.output.utf8)).elements
    #expect(list.map { $0["run"]?.integerValue } == [2, 1])
    #expect(list[0]["status"]?.stringValue?.hasPrefix("ingest failed (") == true)
    #expect(list[1]["status"] == "complete" && list[1]["rows"]?["people"] == 8)
    #expect(list[1]["served_by"]?.elements.count == 1 && list[0]["served_by"]?.elements.isEmpty == true)
    let csv = try runs(product, "--csv").lines
    #expect(
      csv.count == 3 && csv[0].hasPrefix("run,status,damaged,started,as_of,")
        && csv[2].hasPrefix("1,complete,,2"))
    let text = try runs(product).lines
    #expect(text.count == 3 && text[2].contains("8 people") && text[2].contains("served by"))
    #expect(SmallProduct.secrets(in: ended.output + csv.joined() + text.joined()) == [])
  }

  @Test func `two runs are compared by number or by directory, without ids`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    try #require(try product.run("--set", "rankings.partners.top=1").ending == .status(0))
    let ended = try Program.run("nightjar", ["diff", "1", "2", "--work", product.work])
    #expect(ended.ending == .status(0) && ended.errors == "")
    #expect(ended.output.contains("settings  rankings.partners.top") && ended.output.contains("\nlist "))
    #expect(SmallProduct.secrets(in: ended.output) == [])
    let runs = product.work + "/small/runs/"
    let other = try Program.run("nightjar", ["diff", runs + "1", runs + "2"])
    #expect(other.output == ended.output)
    let none = try Program.run("nightjar", ["diff", "1", "7", "--work", product.work])
    #expect(none.ending == .status(66) && none.errors.contains("7"), "\(none.errors)")
  }

  @Test func `a store that cannot be read is a warning`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    let ended = try runs(product, "--set", "publish.store=redis://127.0.0.1:1/0")
    #expect(ended.ending == .status(0) && ended.lines.count == 2)
    #expect(
      ended.errors.hasPrefix("warning: cannot determine which run a store serves: redis://127.0.0.1:1/0: "))
  }

  @Test func `a run with an evaluation ends with its quality, and has it in the list`() throws {
    let product = try SmallProduct()
    let ended = try product.run("--evaluate")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("\n  quality     partners: "))
    // Only the lines of the quality are below its label.
    let lines = ended.errors.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("  quality ") })
    #expect(lines[(start + 1)...].allSatisfy { $0.hasPrefix("              ") }, "\(ended.errors)")
    let list = try JSONDecoder().decode(JSONValue.self, from: Data(runs(product, "--json").output.utf8))
    #expect(list.elements[0]["quality"]?.members.keys.sorted() == ["partners"])
  }

  @Test(arguments: [
    ("run.json", "run", "incomplete"), ("snapshot/manifest.json", "ingest", "complete"),
    ("rankings/manifest.json", "rank", "complete"), ("evaluation/metrics.json", "evaluate", "complete"),
  ])
  func `a run with a damaged file is listed`(file: String, stage: String, status: String) throws {
    let product = try SmallProduct()
    try #require(try product.run("--evaluate").ending == .status(0))
    #expect(try runs(product).lines.last?.contains("damaged") == false)
    try Data("{".utf8).write(to: URL(filePath: product.run(1) + "/" + file))
    let ended = try runs(product, "--json")
    #expect(ended.ending == .status(0))
    let run = try JSONDecoder().decode(JSONValue.self, from: Data(ended.output.utf8)).elements[0]
    #expect(run["damaged"] == .array([.string(stage)]) && run["status"] == .string(status))
    #expect(try runs(product).lines.last?.contains("damaged \(stage)") == true)
  }

  @Test func `the run that holds the lock is running`() throws {
    let product = try SmallProduct()
    try #require(try product.run("--until", "rank").ending == .status(0))
    func status() throws -> JSONValue? {
      try JSONDecoder().decode(JSONValue.self, from: Data(runs(product, "--json").output.utf8)).elements[0][
        "status"]
    }
    #expect(try status() == "incomplete")
    let lock = try RunLock(of: product.work + "/small", holder: "the test")
    #expect(try status() == "running")
    _ = consume lock
  }
}
