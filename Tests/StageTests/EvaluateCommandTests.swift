import Foundation
import Testing
import TestSupport

/// Runs `nightjar evaluate` as a user does.
@Suite struct EvaluateCommandTests {
  private func evaluate(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar-evaluate", [product.pipelineFile, "--work", product.work] + arguments)
  }

  private func ran() throws -> SmallProduct {
    let product = try SmallProduct()
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.work, "--until", "publish"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return product
  }

  @Test func `evaluate prints tables, writes figures, and overwrites only with a flag`() throws {
    let product = try ran()
    let ended = try evaluate(product)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    for line in [
      "finding:", "ordering:", "difference: the pipeline minus the method", "definitions",
      "verdict: too few users",
    ] {
      #expect(ended.output.contains(line), "\(line)")
    }
    #expect(ended.errors.contains("  evaluate ") && ended.errors.contains(" s  tested on "))
    let run = product.work + "/small/runs/1"
    let manifest = try String(contentsOfFile: run + "/evaluation/manifest.json", encoding: .utf8)
    for file in [
      "metrics.json", "per_user.csv", "scores.csv", "trec/partners.pipeline.run", "trec/partners.qrels",
    ] {
      #expect(manifest.contains("\"\(file)\""))
      #expect(FileManager.default.fileExists(atPath: run + "/evaluation/" + file))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: run).filter { $0.hasPrefix(".") } == [])

    let again = try evaluate(product)
    #expect(again.ending == .status(73))
    #expect(again.errors.contains("--force"))
    #expect(again.errors.contains("--show"))
    let shown = try evaluate(product, "--show")
    #expect(shown.ending == .status(0) && shown.errors == "" && shown.output == ended.output)
    let forced = try evaluate(product, "--force", "--quiet", "--json")
    #expect(forced.ending == .status(0) && forced.errors == "")
    let metrics = try String(contentsOfFile: run + "/evaluation/metrics.json", encoding: .utf8)
    #expect(forced.output == metrics)
  }

  @Test func `no ids are printed by default`() throws {
    let product = try ran()
    let ended = try evaluate(product)
    let ids = try String(contentsOfFile: product.directory.path + "/people.csv", encoding: .utf8)
      .split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "," }) }
    #expect(ids.count > 3)
    for id in ids where id.count > 2 { #expect(!(ended.output + ended.errors).contains(id)) }
  }

  @Test func `invalid calls and missing runs have their statuses`() throws {
    let product = try SmallProduct()
    #expect(try evaluate(product).ending == .status(66))
    #expect(try evaluate(product, "--cut", "0.5").ending == .status(64))
    let wrong = try evaluate(product, "--set", "evaluation.cut=1")
    #expect(wrong.ending == .status(78))
    #expect(wrong.errors.contains("below 1"))
    let there = try ran()
    let unevaluated = try evaluate(there, "--show")
    #expect(unevaluated.ending == .status(66) && unevaluated.errors.contains("the run has no evaluation"))
    #expect(try evaluate(there, "--show", "--force").ending == .status(64))
    let previous = try evaluate(there, "--previous", "/nowhere")
    #expect(previous.ending == .status(66), "\(previous.errors)")
    let single = try evaluate(there, "--set", "rankings.partners.users=nobody")
    #expect(single.ending == .status(78))
  }

  @Test func `a run with --evaluate evaluates before it publishes`() throws {
    let product = try SmallProduct()
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.work, "--evaluate"])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("  evaluate ") && ended.errors.contains(" s  tested on "))
    #expect(FileManager.default.fileExists(atPath: product.work + "/small/latest/evaluation/metrics.json"))
  }
}
