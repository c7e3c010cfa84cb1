import Foundation
import Testing
import TestSupport

/// `nightjar run --lineage` as a user runs it.
struct LineageCommandTests {
  private struct Event: Decodable {
    struct Run: Decodable { var runId: String }
    struct Job: Decodable { var name: String }
    struct Dataset: Decodable { var namespace, name: String }
    var eventType: String
    var run: Run
    var job: Job
    var inputs, outputs: [Dataset]
  }

  private func events(_ text: String) throws -> [Event] {
    try text.split(separator: "\n").map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
  }

  @Test func `a file gets the events of a night, including a failed night`() throws {
    let product = try SmallProduct()
    let file = product.directory.path + "/lineage.jsonl"
    let run = ["run", product.pipelineFile, "--work", product.work, "--lineage", file]
    let ended = try Program.run("nightjar", run)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let events = try events(String(contentsOfFile: file, encoding: .utf8))
    let stages = ["ingest", "index", "fit", "rank", "publish"].map { "small." + $0 }
    #expect(events.map(\.job.name) == ["small"] + stages.flatMap { [$0, $0] } + ["small"])
    #expect(
      events.map(\.eventType) == ["START"] + stages.flatMap { _ in ["START", "COMPLETE"] } + ["COMPLETE"])
    #expect(Set(events.map(\.run.runId)).count == 1 + stages.count)
    // Every input of a stage is an output of an earlier stage, or an export.
    var known = Set(events[2].inputs.map(\.name))
    #expect(known.contains(product.directory.path + "/people.csv"))
    for event in events where event.eventType == "COMPLETE" {
      #expect(Set(event.inputs.map(\.name)).isSubset(of: known), "\(event.job.name)")
      known.formUnion(event.outputs.map(\.name))
    }
    #expect(events[10].outputs.map(\.name) == [product.directory.path + "/serving.sqlite"])

    try FileManager.default.removeItem(atPath: product.directory.path + "/people.csv")
    let failed = try Program.run("nightjar", run)
    #expect(failed.ending == .status(66))
    let later = try self.events(String(contentsOfFile: file, encoding: .utf8)).dropFirst(events.count)
    #expect(later.map(\.eventType) == ["START", "START", "FAIL", "FAIL"])
    #expect(later.map(\.job.name) == ["small", "small.ingest", "small.ingest", "small"])
  }

  /// Runs `nightjar run` with `script` in place of curl. `OUT` names the folder in which the script can keep
  /// the arguments and the input of curl.
  private func night(_ script: String, _ format: String...) throws -> (
    ended: Program.Finished, product: SmallProduct
  ) {
    let product = try SmallProduct()
    let folder = product.directory.path
    try "#!/bin/sh\n\(script)\n".write(toFile: folder + "/curl", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/curl")
    let ended = try Program.run(
      "/usr/bin/env",
      [
        "PATH=\(folder):/usr/bin:/bin", "OUT=\(folder)", "OPENLINEAGE_API_KEY=secretXQ",
        Program.products + "/nightjar", "run", product.pipelineFile, "--work", product.work, "--lineage",
        "http://127.0.0.1:9/?team=a%22b",
      ] + format)
    return (ended, product)
  }

  @Test func `an address gets each event, and the key is not an argument of curl`() throws {
    let (ended, product) = try night(
      "echo \"$@\" >> $OUT/arguments; cat >> $OUT/input; echo == >> $OUT/input")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let arguments = try String(contentsOfFile: product.directory.path + "/arguments", encoding: .utf8)
    #expect(arguments == String(repeating: "--config -\n", count: 12))
    let inputs = try String(contentsOfFile: product.directory.path + "/input", encoding: .utf8)
      .split(separator: "==\n")
    #expect(inputs.count == 12)
    for input in inputs {
      let lines = input.split(separator: "\n")
      #expect(lines.contains("url = \"http://127.0.0.1:9/api/v1/lineage?team=a%22b\""))
      #expect(lines.contains("header = \"Authorization: Bearer secretXQ\""))
      // Without this line, curl succeeds if the service answers with an HTTP error.
      #expect(lines.contains("fail"))
      #expect(lines.contains { $0.hasPrefix("data-raw = \"{\\\"eventTime\\\":") })
    }
    #expect(!(ended.errors + ended.output).contains("secretXQ"))
  }

  @Test(arguments: [["--log-format", "json"], []])
  func `a service that does not answer gives one warning, and the run succeeds`(_ format: [String]) throws {
    let (ended, product) =
      format.isEmpty
      ? try night("echo x >> $OUT/calls; echo 'curl: (7) no route' >&2; exit 7")
      : try night("echo x >> $OUT/calls; echo 'curl: (7) no route' >&2; exit 7", format[0], format[1])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(
      ended.errors.split(separator: "the lineage of this run is incomplete: curl: (7) no route").count == 2)
    #expect(try String(contentsOfFile: product.directory.path + "/calls", encoding: .utf8) == "x\n")
  }

  @Test(.enabled(if: Command.path(of: "curl") != nil, "curl is not installed"))
  func `the real curl reads its configuration, and cannot connect`() throws {
    let product = try SmallProduct()
    let ended = try Program.run(
      "nightjar",
      [
        "run", product.pipelineFile, "--work", product.work, "--lineage", "http://127.0.0.1:9", "--until",
        "ingest",
      ])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(
      ended.errors.contains("is incomplete: curl: (7) Failed to connect to 127.0.0.1"), "\(ended.errors)")
  }
}
