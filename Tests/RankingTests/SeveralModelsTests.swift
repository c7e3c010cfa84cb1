import Files
import Foundation
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Ranking

/// If a pipeline has several models, each must equal the same model in a pipeline of its own.
@Suite struct SeveralModelsTests {
  private static let plain =
    "{ learns_from: swipes, features: [{ category: field }, distance], compat: createml }"
  private static let population =
    "{ learns_from: swipes, features: [{ number: experience }, distance], prior: population }"

  private func yaml(_ models: String, _ rankings: String) -> String {
    let all = RandomExport.yaml(features: "[position]", ranking: "    top: 5")
    let lines = all.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = lines.firstIndex { $0.hasPrefix("model:") } ?? 0
    return (lines[..<start] + [models, "rankings:", rankings, ""]).joined(separator: "\n")
  }

  private func run(_ models: String, _ rankings: String, _ people: RandomExport) throws -> StageFixture {
    let fixture = try StageFixture(yaml: yaml(models, rankings), files: people.files)
    try fixture.runStages()
    return fixture
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func `each list has the bytes that its model alone would give`(seed: UInt64) throws {
    let people = RandomExport(seed: seed, people: 60, swipes: 500, spread: 2, center: (50, 8))
    func ranking(_ name: String, _ model: String) -> String {
      "  \(name): { users: users, candidates: users, within_km: 300, exclude: [self], top: 5\(model) }"
    }
    let both = try run(
      "models:\n  first: \(Self.plain)\n  second: \(Self.population)",
      ranking("a", ", model: first") + "\n" + ranking("b", ", model: second"), people)
    for (list, model, name) in [("a", Self.plain, "first"), ("b", Self.population, "second")] {
      let one = try run("model: \(model)", ranking(list, ""), people)
      for file in ["\(list)/part-00000.jsonl", "\(list).csv"] {
        #expect(try both.bytes("rankings/" + file) == one.bytes("rankings/" + file), "\(file)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: one.run + "/models").filter {
        $0 != "manifest.json"
      }
      #expect(names.count > 5)
      for file in names {
        #expect(try both.bytes("models/\(name)/\(file)") == one.bytes("models/\(file)"), "\(file)")
      }
      let counts = try Manifest(of: both.run + "/models").counts
      #expect(try counts["by_name"]?[name] == Manifest(of: one.run + "/models").counts)
    }
    let lists = try ["a", "b"].map { try both.bytes("rankings/\($0).csv") }
    #expect(lists[0] != lists[1])
  }

  @Test func `an evaluation judges the named model`() throws {
    let people = RandomExport(seed: 5, people: 60, swipes: 900, spread: 2, center: (50, 8))
    let ranking =
      "{ users: users, candidates: users, exclude: [self, interacted], top: 5, minimum_score: -100"
    let models = "models:\n  first: \(Self.plain)\n  second: \(Self.population)"
    for (model, list) in [("", "a"), ("evaluation: { model: second }\n", "b")] {
      let fixture = try StageFixture(
        yaml: yaml(models, "  a: \(ranking), model: first }\n  b: \(ranking), model: second }") + model,
        files: people.files)
      try fixture.runStages()
      let metrics = try fixture.evaluate().metrics
      #expect(metrics["rankings"]?.members.keys.sorted() == [list])
    }
  }
}
