import Concurrency
import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import System
import Testing
import Text

@testable import Models

/// Pipelines with several models: their counts, and explanations of the chosen model.
@Suite struct NamedModelsTests {
  private static let features = "features: [number: x, number: y, number: z, category: kind]"

  /// The pipeline file of `RatedItems` with other models. A name of `nil` stands for the unnamed model.
  private static func yaml(_ models: [(name: String?, settings: String)], rankings: String) -> String {
    var text = RatedItems.yaml("l2: 1").components(separatedBy: "model:\n")[0]
    for (name, settings) in models where name == nil {
      text += "model: { learns_from: ratings, \(features), \(settings) }\n"
    }
    text += "models:\n"
    for (name, settings) in models {
      if let name { text += "  \(name): { learns_from: ratings, \(features), \(settings) }\n" }
    }
    return text + "rankings:\n" + rankings + "\n"
  }

  @Test(arguments: [false, true])
  func `named models have their own counts, beside the counts of the unnamed model`(hasUnnamed: Bool) throws {
    var world = RatedItems(seed: 61, people: 20) { _ in 4 }
    for person in [3, 19] { world.ratings[person] = [] }
    var models: [(name: String?, settings: String)] = [
      ("first", "l2: 3"), ("second", "prior: everybody, l2: 4"),
    ]
    if hasUnnamed { models.append((nil, "l2: 2")) }
    let fixture = try StageFixture(
      yaml: Self.yaml(
        models, rankings: "  best: { users: people, candidates: items, top: 3, model: first }"),
      files: world.files)
    try fixture.runStages()
    let counts = try Manifest(of: fixture.run + "/models").counts
    let byName = try #require(counts["by_name"]?.members)
    #expect(byName.keys.sorted() == ["first", "second"])
    for (name, penalty, systems) in [("first", 3, 18), ("second", 4, 1)] {
      let own = try #require(byName[name])
      #expect(own["models"] == 18 && own["without_interactions"] == 2, "\(name)")
      #expect(own["l2"]?.numberValue == Double(penalty), "\(name)")
      #expect(own["methods"] == ["cholesky": .integer(systems)], "\(name)")
    }
    // Without an unnamed model, only the number of all models is counted besides.
    #expect(counts["models"] == (hasUnnamed ? 18 : 36))
    #expect(counts["l2"]?.numberValue == (hasUnnamed ? 2 : nil))
    #expect(counts["without_interactions"]?.integerValue == (hasUnnamed ? 2 : nil))
    try Directories.remove(fixture.run + "/models")
    let progress = WorkProgress()
    _ = try FitStage.run(fixture.pipeline, in: fixture.run, threads: 2, progress: progress, tool: "test")
    let users = hasUnnamed ? 60 : 40
    #expect(progress.state == WorkProgress.State(unit: "users", done: users, total: users))
  }

  /// The standard errors need the penalty, which the manifest stores under the name of the model.
  @Test func `a named model is explained like the same model without a name`() throws {
    let world = RatedItems(seed: 62, people: 25, missing: 0.2) { Int.random(in: 1...9, using: &$0) }
    let plain = try world.fitted("prior: everybody\nl2: 15")
    let named = try StageFixture(
      yaml: Self.yaml(
        [("other", "prior: population"), ("same", "prior: everybody, l2: 15")],
        rankings: "  best: { users: people, candidates: items, top: 3, model: other }"), files: world.files)
    try named.runStages()
    let one = try ExplainedModel(plain.pipeline, model: nil, run: plain.run)
    let other = try ExplainedModel(named.pipeline, model: "same", run: named.run)
    for person in 0..<8 {
      let model = try #require(try one.model(ofUser: person))
      let same = try #require(try other.model(ofUser: person))
      #expect(
        one.coefficients(model, row: person).lines(.json)
          == other.coefficients(same, row: person).lines(.json))
      let item = RatedItems.itemID(person * 7)
      let table = try one.prediction(model, user: person, candidate: item)
      #expect(table.facts.map(\.name) == ["standard_error", "noise_standard_deviation"])
      #expect(table.columns == ["term", "contribution"])
      let again = try other.prediction(same, user: person, candidate: item)
      #expect(table.lines(.json) == again.lines(.json))
    }
  }

  @Test func `chances are explained only for mutual lists of the model, and follow the distance`() throws {
    let world = RandomExport(seed: 63, people: 30, swipes: 400)
    let head = RandomExport.yaml(features: "[position]", ranking: "    top: 5")
      .components(separatedBy: "model:\n")[0]
    let rules = "users: users, candidates: users, exclude: [self], top: 5"
    let fixture = try StageFixture(
      yaml: head + """
        models:
          a: { learns_from: swipes, features: [category: field, distance], compat: createml }
          b: { learns_from: swipes, features: [number: experience], compat: createml }
          c: { learns_from: swipes, features: [position], compat: createml }
        rankings:
          one: { \(rules), order_by: mutual, model: a }
          two: { \(rules), order_by: { mutual: { other: 2 } }, model: b }
          three: { \(rules), order_by: { mutual: { other: 0 } }, model: a }
          four: { \(rules), within_km: 900, minimum_score: -100, order_by: score, model: c }

        """, files: world.files)
    try fixture.runStages()
    func facts(_ rankings: [String]) -> [String] {
      rankings.flatMap { ["\($0).chance", "\($0).candidate_chance", "\($0).mutual_chance"] }
    }
    let expected: [(model: String, rankings: [String])] = [
      ("a", ["one", "three"]), ("b", ["two"]), ("c", []),
    ]
    let lists = try fixture.list("four")
    var compared = 0
    for (name, rankings) in expected {
      let explained = try ExplainedModel(fixture.pipeline, model: name, run: fixture.run)
      for line in lists {
        let row = try explained.row(ofUser: line.user)
        let model = try #require(try explained.model(ofUser: row))
        for entry in line.recommendations.prefix(2) {
          let table = try explained.prediction(model, user: row, candidate: entry.candidate)
          #expect(table.facts.map(\.name) == ["distance_km"] + facts(rankings), "\(name)")
          let distance = try #require(table.facts.first?.value)
          #expect(abs(distance - (entry.distance_km ?? .nan)) <= 0.05 + 1e-9)
          let column = rankings.isEmpty ? [] : ["candidate_contribution"]
          #expect(table.columns == ["term", "contribution"] + column, "\(name)")
          let names = table.lines(.csv).dropFirst().map { $0.split(separator: ",")[0] }
          #expect(names.first == "(base)" && names.last == "(score)", "\(name)")
          compared += 1
        }
      }
    }
    #expect(compared > 60)
  }

  @Test(
    arguments: [
      (["a", "b"], false, nil, ": a, b."), (["a", "b"], false, "x", "'x'. Choose one with --model: a, b."),
      (["a"], true, "x", "'x'. Choose one with --model: a."),
      ([], true, "x", "'x'. It has no named models, so omit --model."),
    ] as [([String], Bool, String?, String)])
  func `a wrong or missing name of a model is answered with the possible names`(
    names: [String], hasUnnamed: Bool, name: String?, text: String
  ) throws {
    var pipeline = try Pipeline(
      yaml: RandomExport.yaml(features: "[position]", ranking: "    top: 5"), file: "p.yaml")
    let model = try #require(pipeline.model)
    pipeline.namedModels = names.map { name in
      var model = model
      model.name = name
      return model
    }
    if !hasUnnamed { pipeline.model = nil }
    let error = #expect(throws: StageFailure.self) { try ExplainedModel.model(name, of: pipeline) }
    #expect(error?.exitStatus == .usage)
    #expect(error?.description.hasSuffix(text) == true, "\(error?.description ?? "")")
  }
}
