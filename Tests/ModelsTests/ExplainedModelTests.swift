import Columns
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import System
import Testing
import Text

@testable import Models

struct ExplainedModelTests {
  private static func fixture(_ ranking: String = "    exclude: [self]\n    order_by: score\n    top: 5")
    throws
    -> (StageFixture, RandomExport)
  {
    let world = RandomExport(seed: 3, people: 30, swipes: 300)
    let yaml = RandomExport.yaml(
      features: "[{ category: field }, distance, { number: experience }]", ranking: ranking)
    let fixture = try StageFixture(yaml: yaml, files: world.files)
    try fixture.runStages(asOf: Instant(milliseconds: 60))
    return (fixture, world)
  }

  /// Returns the values of the terms in the JSON form by name.
  private static func terms(_ table: ExplainTable, _ value: String) throws -> [String: Double] {
    let json = try JSONDecoder().decode(
      JSONValue.self, from: Data(table.lines(.json).joined(separator: "\n").utf8))
    var terms: [String: Double] = [:]
    for term in json["terms"]?.elements ?? [] {
      let name = term["term"]?.stringValue ?? term["column"]?.stringValue ?? ""
      terms[name] = term[value]?.numberValue
    }
    return terms
  }

  @Test func `contributions add up to the score, which equals the list's score`() throws {
    let (fixture, world) = try Self.fixture()
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    var compared = 0
    for line in try fixture.list("near") {
      let row = try explained.row(ofUser: line.user)
      guard let model = explained.models[row] else { continue }
      for recommendation in line.recommendations {
        let table = try explained.prediction(model, user: row, candidate: recommendation.candidate)
        var terms = try Self.terms(table, "contribution")
        let score = try #require(terms["(score)"])
        terms["(score)"] = nil
        #expect(abs(terms.values.reduce(0, +) - score) < 1e-9)
        #expect(abs(score - (recommendation.score ?? .nan)) < 1e-9)
        let distance = try Self.facts(table)["distance_km"]
        #expect((distance == nil) == (recommendation.distance_km == nil))
        #expect(abs((distance ?? 0) - (recommendation.distance_km ?? 0)) <= 0.05 + 1e-9)
        compared += 1
      }
    }
    #expect(compared > world.people.count)
  }

  /// The facts in the JSON form.
  private static func facts(_ table: ExplainTable) throws -> [String: Double] {
    let json = try JSONDecoder().decode(
      JSONValue.self, from: Data(table.lines(.json).joined(separator: "\n").utf8))
    return json.members.compactMapValues(\.numberValue)
  }

  @Test(arguments: ["{ known: ignore }", "{ other: 0.5, known: likes }", "{ known: all }"])
  func `a mutual order is explained by the predictions and the chances of both people`(settings: String)
    throws
  {
    let (fixture, world) = try Self.fixture(
      "    exclude: [self]\n    order_by: { mutual: \(settings) }\n    top: 5")
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    var (predicted, known) = (0, 0)
    for user in 0..<10 {
      for candidate in 10..<20 {
        guard let model = explained.models[user] else { continue }
        let id = world.people[candidate].id
        let table = try explained.prediction(model, user: user, candidate: id)
        let own = try Self.terms(table, "contribution")
        let score = try #require(own["(score)"])
        let facts = try Self.facts(table)
        let chance = max(0, min(1, (score + 1) / 2))
        #expect(facts["near.chance"] == chance)
        var other = 0.5
        if let back = explained.models[candidate] {
          let reverse = try explained.prediction(back, user: candidate, candidate: world.people[user].id)
          let terms = try Self.terms(reverse, "contribution")
          #expect(try Self.terms(table, "candidate_contribution") == terms)
          other = max(0, min(1, (try #require(terms["(score)"]) + 1) / 2))
        }
        let swipes = world.swipes.filter { $0.user == candidate && $0.candidate == user }
        let last = swipes.filter { $0.at == swipes.map(\.at).max() }.last?.value
        if !settings.contains("ignore"), last == 1 { (other, known) = (1, known + 1) }
        if settings.contains("all"), last == -1 { (other, known) = (0, known + 1) }
        #expect(facts["near.candidate_chance"] == other)
        let exponent = settings.contains("0.5") ? 0.5 : 1
        #expect(facts["near.mutual_chance"] == chance * pow(other, exponent))
        predicted += 1
      }
    }
    #expect(predicted > 50 && (known > 5) == !settings.contains("ignore"))
  }

  @Test func `coefficients equal the model's, with the intercept first`() throws {
    let (fixture, _) = try Self.fixture()
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let row = try #require(
      (0..<explained.models.count).first { explained.models[$0]?.terms.isEmpty == false })
    let model = try #require(explained.models[row])
    let table = explained.coefficients(model, row: row)
    let coefficients = try Self.terms(table, "coefficient")
    #expect(coefficients["(intercept)"] == model.intercept)
    for term in model.terms {
      #expect(coefficients[explained.models.columns.string(Int(term.column))] == term.coefficient)
    }
    #expect(table.facts.map(\.name) == ["interactions", "base"])
    let lines = table.lines(.text(width: nil))
    // Two facts, an empty line, the header and the intercept precede the terms.
    #expect(lines.count == 5 + model.terms.count)
    #expect(lines[0] == "interactions  \(model.observations)" && lines[4].hasPrefix("(intercept)"))
  }

  @Test func `an unknown person, candidate or model is a failure`() throws {
    let (fixture, _) = try Self.fixture()
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let person = #expect(throws: StageFailure.self) { try explained.row(ofUser: "P1000") }
    #expect(person?.exitStatus == .missingInput)
    let model = #expect(throws: StageFailure.self) {
      try ExplainedModel(fixture.pipeline, model: "x", run: fixture.run)
    }
    #expect(model?.exitStatus == .usage && model?.description.contains("'x'") == true)
    let pipeline = try Pipeline(
      yaml: "pipeline: p\nentities: { users: { source: { path: u.csv, format: csv }, id: id } }\n",
      file: "p.yaml")
    let none = #expect(throws: StageFailure.self) {
      try ExplainedModel(pipeline, model: nil, run: fixture.run)
    }
    #expect(none?.exitStatus == .badPipelineFile)
  }

  @Test(arguments: [
    (true, ["a", "b"], nil as String?, "unnamed" as String?), (true, ["a", "b"], "b", "b"),
    (false, ["a"], nil, "a"), (false, ["a", "b"], nil, nil), (true, [], nil, "unnamed"),
  ])
  func `without a name, the unnamed model or the only model is chosen`(
    hasUnnamed: Bool, names: [String], name: String?, expected: String?
  ) throws {
    let (fixture, _) = try Self.fixture()
    var pipeline = fixture.pipeline
    let model = try #require(pipeline.model)
    pipeline.namedModels = names.map { name in
      var model = model
      model.name = name
      return model
    }
    if !hasUnnamed { pipeline.model = nil }
    guard let expected else {
      #expect(throws: StageFailure.self) { try ExplainedModel.model(name, of: pipeline) }
      return
    }
    let chosen = try #require(try ExplainedModel.model(name, of: pipeline))
    #expect(chosen.name ?? "unnamed" == expected)
  }

  @Test func `columns are aligned, and contain no control sequences`() {
    var table = ExplainTable(columns: ["term", "contribution"])
    table.add("a\u{1B}", [1.0 / 3])
    table.add("b", [nil])
    table.facts = [("rows", 3000), ("share", 0.25)]
    #expect(
      table.lines(.text(width: 80)) == [
        "rows   3 000", "share  0.250000", "", "term     contribution", "a\\u001b      0.333333", "b",
      ])
    #expect(table.lines(.csv) == ["term,contribution", "a\\u001b,0.3333333333333333", "b,"])
    // Without facts, the table begins at once.
    table.facts = []
    #expect(
      table.lines(.text(width: 80)) == ["term     contribution", "a\\u001b      0.333333", "b"])
  }
}
