import Columns
import Concurrency
import Features
import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// Small rules of fitting: samples, groups, penalties, counts in the manifest, and progress.
struct FitRulesTests {
  private static func counts(_ fixture: StageFixture) throws -> JSONValue {
    try Manifest(of: fixture.run + "/models").counts
  }

  @Test(arguments: [
    ("l2: 2", "ridge"), ("prior: everybody\nl2: 2", "everybody"), ("prior: population", "population"),
  ])
  func `the manifest counts users with and without interactions`(model: String, method: String) throws {
    var world = RatedItems(seed: 82, people: 30) { _ in 4 }
    for person in [0, 7, 29] { world.ratings[person] = [] }
    let fixture = try world.fitted(model)
    let manifest = try Manifest(of: fixture.run + "/models")
    #expect(manifest.stage == "models" && manifest.pipeline == "ratings" && manifest.seed == 7)
    #expect(manifest.tool == "test" && manifest.parents.keys.sorted() == ["index", "snapshot"])
    let counts = manifest.counts
    #expect(counts["models"] == 27 && counts["without_interactions"] == 3)
    #expect(counts["method"] == .string(method))
    #expect(counts["methods"] == ["cholesky": .integer(method == "everybody" ? 1 : 27)])
    let penalty: JSONValue? = method == "population" ? nil : .integer(2)
    #expect(counts["l2"] == penalty)
    #expect((counts["prior"] != nil) == (method == "population"))
    #expect(counts["choice"] == nil && counts["negatives"] == nil && counts["discovery"] == nil)
    #expect(counts["response_bounds"] != nil)
  }

  @Test func `a pipeline without a model has no models, and a bounded value needs no bounds`() throws {
    let world = RatedItems(seed: 83, people: 4) { _ in 3 }
    let yaml = RatedItems.yaml("l2: 1")
    let start = try #require(yaml.range(of: "model:"))
    let end = try #require(yaml.range(of: "rankings:"))
    var plain = yaml
    plain.removeSubrange(start.lowerBound..<end.lowerBound)
    let without = try StageFixture(yaml: plain, files: world.files)
    try without.runStages()
    #expect(try Self.counts(without) == ["models": 0, "without_interactions": 0, "methods": [:]])
    let bounded = try StageFixture(
      yaml: yaml.replacing("value: stars", with: "value: { from: stars, range: [-100, 100] }"),
      files: world.files)
    try bounded.runStages()
    #expect(try Self.counts(bounded)["response_bounds"] == nil)
    #expect(try Self.counts(bounded)["models"] == 4)
  }

  @Test(arguments: ["l2: 2", "prior: everybody", "prior: population", "compat: createml"])
  func `fitting ends with all users done`(model: String) throws {
    let world = RatedItems(seed: 84, people: 20) { Int.random(in: 0...5, using: &$0) }
    let fixture = try world.fitted(model)
    try Directories.remove(fixture.run + "/models")
    let progress = WorkProgress()
    let manifest = try FitStage.run(
      fixture.pipeline, in: fixture.run, threads: 2, progress: progress, tool: "other")
    #expect(progress.state == WorkProgress.State(unit: "users", done: 20, total: 20))
    #expect(manifest.tool == "other")
  }

  @Test func `a group has its own prior if at least fifty of its people have interactions`() throws {
    // Fifty people have the role a, and 49 the role b. Of 51 people with the role c, two have no interaction.
    let roles =
      [String](repeating: "a", count: 50) + [String](repeating: "b", count: 49)
      + [String](repeating: "c", count: 51)
    var world = RatedItems(seed: 85, people: 150) { _ in 3 }
    for person in roles.indices { world.people[person].role = roles[person] }
    for person in [148, 149] { world.ratings[person] = [] }
    let fixture = try world.fitted("prior: { population: by role }")
    let models = try fixture.models()
    let prior = try #require(models.prior)
    #expect(prior.groups.map(\.name) == ["", "a"])
    // The manifest describes each prior in the units of the prior's tables.
    let facts = try Self.counts(fixture)["prior"]?.elements ?? []
    try #require(facts.count == 2)
    let names = prior.columns.map { models.columns.string(Int($0.column)) }
    for (fact, group) in zip(facts, prior.groups) {
      #expect(fact["group"] == .string(group.name) && (fact["passes"]?.integerValue ?? 0) > 1)
      #expect(fact["base"]?.numberValue == group.base)
      #expect(fact["base_standard_deviation"]?.numberValue == group.baseDeviation)
      let columns = fact["columns"]?.elements ?? []
      #expect(columns.compactMap { $0["column"]?.stringValue } == names)
      #expect(columns.compactMap { $0["coefficient"]?.numberValue } == group.coefficients)
      #expect(columns.compactMap { $0["standard_deviation"]?.numberValue } == group.deviations)
    }
    let errors = facts.compactMap { $0["base_standard_error"]?.numberValue }
    // A third of the people know less about the mean than all of them.
    try #require(errors.count == 2)
    #expect(errors[0] > 0 && errors[1] > errors[0])
    for (person, role) in roles.enumerated() {
      #expect(models.group(person) == (role == "a" ? 1 : 0), "\(person)")
    }
  }

  @Test func `a sample has a limit of memory, and its order depends on ids and the seed`() throws {
    #expect(LearningSample.bytesPerUser(order: 1001) == 16_040_024)
    #expect(LearningSample.limit(order: 1001) == 100 && LearningSample.limit(order: 100) == 1669)
    #expect(LearningSample.limit(order: 20) == 20_000)
    #expect(LearningSample.rowLimit(order: 1001) == 33_255 && LearningSample.rowLimit(order: 7) == 2_236_962)
    var world = RatedItems(seed: 86, people: 40) { _ in 2 }
    for person in 0..<40 where person % 5 == 0 { world.ratings[person] = [] }
    let fixture = try world.fitted("l2: 1")
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["ratings"])
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let rows = LearningRows(table: table, space: space)
    let ids = try #require(snapshot.entities["people"]).ids
    let sample = LearningSample(rows, ids: ids, seed: 9)
    let active = (0..<40).filter { $0 % 5 != 0 }
    let mixes = active.map { person in
      Mix64.finalized(Mix64.hash(Array(RatedItems.personID(person).utf8).span) ^ 9)
    }
    let expected = zip(mixes, active).sorted { $0.0 < $1.0 }.map(\.1)
    #expect(sample.drawn == expected)
    #expect(sample.users(limit: 10) == expected.prefix(10).sorted())
    #expect(sample.users(limit: 100) == active)
    let odd = sample.users(limit: 3, where: { $0 % 2 == 1 })
    #expect(odd == expected.filter { $0 % 2 == 1 }.prefix(3).sorted())
  }

  @Test(
    arguments: [
      ([2, 2, 2], 2), ([2, 2, 3], nil), ([3, 2, 2], nil), ([2, 3, 2], nil), ([5], 5), ([], nil),
    ] as [([Double], Double?)])
  func `a user has an only value if all values are equal`(values: [Double], expected: Double?) throws {
    var world = RatedItems(seed: 87, people: 3) { _ in 2 }
    world.ratings[1] = values.enumerated().map { (item: $0, value: $1) }
    let fixture = try world.fitted("l2: 1")
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["ratings"])
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    #expect(LearningRows(table: table, space: space).onlyValue(of: 1) == expected)
  }

  /// Five rows fill one block of four rows and a part of another one.
  @Test(
    arguments: [
      ([7, 7, 7, 7, 7], [1, 1, 1, 1, 1], true), ([7, 7, 7, 7, 8], [1, 1, 1, 1, 1], false),
      ([8, 7, 7, 7, 7], [1, 1, 1, 1, 1], false), ([7, 7, 7, 7, 7], [1, 1, 1, 1, 0], false),
      ([7, 7, 7, 7, 7], [0, 1, 1, 1, 1], false), ([7, 7, 7, 7, 7], [1, 1, .max, 1, 1], false),
      ([.nan, .nan, .nan, .nan, .nan], [.max, .max, .max, .max, .max], true), ([7], [0], true),
    ] as [([Double], [UInt32], Bool)])
  func `rows are alike if all of their columns are equal`(
    numbers: [Double], codes: [UInt32], areAlike: Bool
  ) {
    let layout = CompactLayout(
      categories: [
        CompactLayout.Category(
          parameters: 1..<3, high: [1, 1], low: [-1, -1], step: [2, 2], binOfCode: [0, 1])
      ], sources: [0], dense: [CompactLayout.Dense(source: 0, parameter: 3, mean: 5, deviation: 2)],
      parameterCount: 4)
    var rows = CompactRows(layout)
    rows.resize(numbers.count)
    // Responses do not matter.
    rows.setVector(1, numbers.indices.map(Double.init), at: 0, mean: 0, deviation: 1)
    rows.setVector(2, numbers, at: 0, mean: 5, deviation: 2)
    rows.setBins(0, codes, at: 0)
    #expect(rows.areAllAlike == areAlike)
  }

  /// The information is [[8, 2], [2, 4]] and the precisions are 0 and 2, so A is [[8, 2], [2, 6]] with the
  /// determinant 44. A⁻¹ I A⁻¹ has the diagonal (a' I a) of the columns of A⁻¹.
  @Test func `the errors of the mean follow from the information and the prior precisions`() throws {
    let estimation = PriorEstimation(precisions: [0, 2])
    let prior = GaussianPrior(mean: [3, 4], variances: [0.5, 0.25], noise: 0.75)
    let result = PriorEstimation.Result(prior: prior, information: [8, 0, 2, 4], moments: [1, 1])
    let errors = try estimation.errors(of: result)
    let columns = [[6.0 / 44, -2.0 / 44], [-2.0 / 44, 8.0 / 44]]
    for (found, column) in zip(errors.variances, columns) {
      let (a, b) = (column[0], column[1])
      #expect(abs(found - (8 * a * a + 4 * a * b + 4 * b * b)) < 1e-9)
    }
    #expect(errors.mean == [3, 4] && errors.noise == 0.75)
  }

  @Test func `an entry without any effect gets the largest precision`() throws {
    let found = try FeatureStrengths(entries: [nil, 0, 1, 1]).precisions(
      information: [10, 0, 0, 0, 0, 40, 0, 0, 0, 0, 20, 0, 0, 0, 0, 20], moments: [5, 0, 0, 100],
      least: [0, 0.25, 0.25, 0.25])
    #expect(found[0] == 0 && found[1] == FeatureStrengths.largestPrecision)
    #expect(FeatureStrengths.largestPrecision == 1e6 && found[2] == found[3])
  }

  // MARK: Penalties

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `an automatic penalty for all users minimizes the generalized cross-validation error`(seed: UInt64)
    throws
  {
    let truth = GaussianPrior(
      mean: [0.2, 0.3, -0.1, 0], variances: [0, 0, 0, 0], noise: [0.1, 2, 20][Int(seed % 3)])
    let rows = GaussianPeople(seed: seed, people: 1, truth) { _ in 25 }.rows[0]
    let total = SumsOfProducts(rows, order: 4)
    var errors: [(penalty: Double, error: Double)] = []
    for step in -12...4 {
      let penalty = 25 * pow(10, Double(step) / 2)
      let variances = [Double.infinity] + [Double](repeating: 1 / penalty, count: 3)
      let mean = rows.minimiser(mean: [0, 0, 0, 0], variances: variances, noise: 1)
      let squares = zip(rows.z, rows.y).reduce(0) { sum, row in
        let residual = zip(row.0, mean).reduce(row.1) { $0 - $1.0 * $1.1 }
        return sum + residual * residual
      }
      // The leverage of a row is its fitted value if its own value is 1 and all others are 0.
      var trace = 0.0
      for place in rows.y.indices {
        var unit = rows
        unit.y = rows.y.indices.map { $0 == place ? 1 : 0 }
        let fitted = unit.minimiser(mean: [0, 0, 0, 0], variances: variances, noise: 1)
        trace += zip(rows.z[place], fitted).reduce(0) { $0 + $1.0 * $1.1 }
      }
      errors.append((penalty, squares / ((25 - trace) * (25 - trace))))
    }
    let best = try #require(errors.min { $0.error < $1.error })
    let found = try SharedFitting.everybody(.automatic, total)
    #expect(abs(found.penalty / best.penalty - 1) < 1e-12, "\(errors)")
    #expect(try SharedFitting.everybody(.fixed(3), total).penalty == 3)
    // If all values are 0, all penalties have the error 0, and the largest wins.
    var nothing = rows
    nothing.y = rows.y.map { _ in 0 }
    let zero = try SharedFitting.everybody(.automatic, SumsOfProducts(nothing, order: 4))
    #expect(abs(zero.penalty / 2500 - 1) < 1e-12)
  }

  @Test(arguments: [("model: ", "", "learning"), ("models: { first: ", " }", "first/learning")])
  func `drawn pairs can be deleted, and the manifest counts them`(
    before: String, after: String, folder: String
  ) throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id, attributes: { size: { type: number } } }
        interactions: { likes: { source: { path: likes.csv }, user: a, candidate: b, at: at, value: v } }
        \(before){ learns_from: likes, features: [{ number: size }], negatives: { per_positive: 2 }, l2: 1 }\(after)
        """,
      files: [
        "people.csv": "id,size\n" + (0..<9).map { "p\($0),\($0 * $0 % 7)\n" }.joined(),
        "likes.csv": "a,b,at,v\np0,p1,1,1\np0,p2,2,1\np1,p3,3,-1\np4,p5,4,1\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 100))
    // p0 has two likes and p4 has one. A pass draws nothing.
    let counts = try Self.counts(fixture)
    #expect((counts["by_name"]?["first"] ?? counts)["negatives"] == 6)
    let model = try #require(fixture.pipeline.models.first)
    let snapshot = try fixture.snapshot()
    let combined = try #require(try LearnedTable.read(model, snapshot, run: fixture.run))
    #expect(combined.count == 10)
    try Directories.remove(fixture.run + "/models/" + folder)
    let deleted = try LearnedTable.read(model, snapshot, run: fixture.run)
    #expect(deleted.map(\.count) == nil)
  }

  @Test(arguments: ["l2: 2", "l2: auto", "prior: everybody", "prior: population"])
  func `without interactions, no user has a model`(model: String) throws {
    var world = RatedItems(seed: 89, people: 5) { _ in 1 }
    for person in world.ratings.indices { world.ratings[person] = [] }
    let fixture = try world.fitted(model)
    let counts = try Self.counts(fixture)
    #expect(counts["models"] == 0 && counts["without_interactions"] == 5 && counts["methods"] == [:])
    #expect(counts["l2"] == nil && counts["prior"] == nil)
    let models = try fixture.models()
    #expect(models.count == 5 && (0..<5).allSatisfy { models[$0] == nil })
  }

  /// All penalties have the error 0.
  @Test func `if all ratings are equal, the automatic penalty per user is the largest`() throws {
    var world = RatedItems(seed: 88, people: 12) { _ in 5 }
    for person in world.ratings.indices {
      for row in world.ratings[person].indices { world.ratings[person][row].value = 2 }
    }
    #expect(try Self.counts(world.fitted("l2: auto"))["l2"]?.numberValue == 10_000)
  }
}
