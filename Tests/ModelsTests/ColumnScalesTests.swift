import Columns
import Concurrency
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features
@testable import Models

struct ColumnScalesTests {
  private static let scales = ColumnScales(
    columns: [0, 2], means: [10, 4], deviations: [5, 2], responseMean: 1, responseDeviation: 4)

  @Test func `a missing value is standardized to 0, which is the mean`() {
    let scales = Self.scales
    var z = [Double](repeating: .nan, count: 3)
    scales.standardize([.nan, 7, 8], into: &z)
    #expect(z == [1, 0, 2])
    scales.standardize([20, 7, .nan], into: &z)
    #expect(z == [1, 2, 0])
    #expect(scales.response(9) == 2)
    #expect(scales.response(-3) == -1)
    #expect(scales.parameterCount == 3)
  }

  @Test func `kept columns keep their own means and deviations`() {
    let kept = Self.scales.keeping { $0 == 2 }
    #expect(kept.columns == [2] && kept.means == [4] && kept.deviations == [2])
    #expect(kept.responseMean == 1 && kept.responseDeviation == 4 && kept.parameterCount == 2)
    let none = Self.scales.keeping { _ in false }
    #expect(none.columns == [] && none.means == [] && none.deviations == [] && none.parameterCount == 1)
    let all = Self.scales.keeping { _ in true }
    #expect(all.columns == [0, 2] && all.means == [10, 4] && all.deviations == [5, 2])
  }

  private static let prior = GaussianPrior(mean: [0.5, 1, -2], variances: [0.25, 1, 4], noise: 9)

  @Test func `a prior is stored in original units`() {
    let group = Self.scales.group(Self.prior, name: "g")
    #expect(group.name == "g")
    #expect(group.base == 3 && group.baseDeviation == 2 && group.noiseDeviation == 12)
    #expect(group.coefficients == [0.8, -4] && group.deviations == [0.8, 4])
    let shared = Self.scales.shared
    #expect(shared.map(\.column) == [0, 2])
    #expect(shared.map(\.mean) == [10, 4] && shared.map(\.scale) == [5, 2])
  }

  @Test func `a user without rows has the figures of the prior`() {
    let figures = Self.scales.figures(of: Self.prior)
    #expect(figures.observations == 0 && figures.base == 3 && figures.baseError == 2)
    // The intercept is 3 - 0.8 * 10 + 4 * 4.
    #expect(abs(figures.intercept - 11) < 1e-12)
    #expect(figures.residualSumOfSquares == 0 && figures.predictionError.isNaN)
  }

  private static func space(_ shapes: [(shape: any FeatureShape, columns: [String], entry: Int)])
    -> FeatureSpace
  {
    var (features, columns): ([BoundFeature], [String]) = ([], [])
    for (shape, own, entry) in shapes {
      features.append(
        BoundFeature(
          shape: shape, firstColumn: columns.count, width: own.count, name: own[0], entry: entry))
      columns += own
    }
    let nowhere = Positions(latitudes: [.nan], longitudes: [.nan])
    return FeatureSpace(features: features, columns: columns, candidates: nowhere, users: nowhere)
  }

  @Test func `the manifest describes a prior and its errors in original units`() throws {
    let space = Self.space([
      (NumberShape([0]), ["x"], 0), (NumberShape([0]), ["y"], 1), (NumberShape([0]), ["z"], 2),
    ])
    var result = PriorEstimation.Result(prior: Self.prior, information: [], moments: [])
    (result.passes, result.hasConverged) = (7, true)
    var errors = Self.prior
    errors.variances = [0.0625, 0.25, 1]
    let fact = SharedFitting.fact(result, errors, name: "g", Self.scales, space)
    let columns: [JSONValue] = [
      [
        "column": "x", "coefficient": .number(0.8), "standard_deviation": .number(0.8),
        "standard_error": .number(0.4),
      ],
      [
        "column": "z", "coefficient": .number(-4), "standard_deviation": .number(4),
        "standard_error": .number(2),
      ],
    ]
    let expected: JSONValue = [
      "group": "g", "passes": 7, "converged": .boolean(true), "base": .number(3),
      "base_standard_deviation": .number(2), "base_standard_error": .number(1),
      "noise_variance": .number(144), "columns": .array(columns),
    ]
    #expect(fact == expected, "\(fact)")
    result.hasConverged = false
    let other = SharedFitting.fact(result, errors, name: "", Self.scales, space)
    #expect(other["converged"] == .boolean(false) && other["group"] == "")
  }

  @Test func `the manifest describes the choice of features and spread`() {
    let space = Self.space([
      (NumberShape([0]), ["latitude"], 0), (NumberShape([0]), ["longitude"], 0),
      (NumberShape([0]), ["age"], 1),
    ])
    let chosen = SharedFitting.Chosen(
      scales: Self.scales, estimation: PriorEstimation(precisions: []),
      whole: PriorEstimation.Result(prior: Self.prior, information: [], moments: []),
      spread: SpreadChoice.Outcome(
        factor: 0.3, users: 12,
        tried: [SpreadChoice.Tried(factor: 0.1, concordance: 0.6, loss: 0.05, standardError: 0.02)]),
      strengths: [0.5, 0])
    let fact = chosen.fact(space, whole: 40)
    let features: [JSONValue] = [
      ["feature": "latitude, longitude", "strength": .number(0.5), "kept": .boolean(true)],
      ["feature": "age", "strength": .number(0), "kept": .boolean(false)],
    ]
    let tried: JSONValue = [
      "spread": .number(0.1), "concordance": .number(0.6), "loss": .number(0.05),
      "standard_error": .number(0.02),
    ]
    let expected: JSONValue = [
      "features": .array(features), "people": 40, "spread": .number(0.3), "tried": .array([tried]),
      "compared_users": 12,
    ]
    #expect(fact == expected, "\(fact)")
  }

  @Test func `a word without a coefficient shares a bin with all such words`() throws {
    let words = CodeShape([0, 1, 2], ["a", "b", "c"])
    let constant = CodeShape([0, 0, 0], ["only"])
    let space = Self.space([
      (NumberShape([1, 2, 3]), ["n"], 0), (constant, ["same=only"], 1),
      (words, ["word=a", "word=b", "word=c"], 2), (NumberShape([4, 5, 6]), ["m"], 3),
    ])
    let scales = ColumnScales(
      columns: [2, 4, 5], means: [0.25, 0.5, 10], deviations: [0.5, 0.25, 2], responseMean: 3,
      responseDeviation: 7)
    let layout = CompactLayout(scales, space)
    #expect(layout.categories.count == 1 && layout.sources == [1] && layout.dense.count == 1)
    let category = try #require(layout.categories.first)
    #expect(category.parameters == 1..<3 && category.binOfCode == [0, 2, 1])
    #expect(category.width == 2 && category.other == 2 && category.missing == 3 && category.binCount == 4)
    #expect(category.high == [1.5, 2] && category.low == [-0.5, -2] && category.step == [2, 4])
    let dense = try #require(layout.dense.first)
    // The other number is value 0 of a block. Its column has no spread, so it has no parameter.
    #expect(dense.source == 1 && dense.parameter == 3 && dense.mean == 10 && dense.deviation == 2)
    #expect(layout.parameterCount == 4 && layout.responseMean == 3 && layout.responseDeviation == 7)
  }

  /// The users fill more than one chunk of parallel work.
  @Test func `means and deviations of all rows equal a calculation in two passes`() throws {
    var world = RatedItems(seed: 81, people: 530, items: 40, missing: 0.2) {
      Int.random(in: 0...3, using: &$0)
    }
    for item in world.items.indices where item % 7 == 0 { world.items[item].kind = "" }
    // Two words occur only on items without ratings, so their columns are constant.
    for item in 38..<40 { world.items[item].kind = "k\(item)" }
    for person in world.ratings.indices { world.ratings[person].removeAll { $0.item >= 38 } }
    let fixture = try world.fitted("l2: 2")
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["ratings"])
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let names = ["x", "y", "z", "kind=blue", "kind=green", "kind=k38", "kind=k39", "kind=red"]
    try #require(space.columns == names)
    let scales = ColumnScales(LearningRows(table: table, space: space), threads: 2)
    #expect(scales.columns == [0, 1, 2, 3, 4, 7])
    let rated = world.ratings.joined().map { (item: world.items[$0.item], value: $0.value) }
    try #require(rated.count > 500)
    func moments(_ values: [Double?]) -> (mean: Double, deviation: Double) {
      let known = values.compactMap { $0 }
      let mean = known.reduce(0, +) / Double(known.count)
      let squares = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return (mean, (squares / Double(known.count)).squareRoot())
    }
    for (place, column) in scales.columns.enumerated() {
      let values: [Double?] = rated.map { row in
        if column < 3 { return row.item.numbers[column] }
        return row.item.kind.isEmpty ? nil : names[column] == "kind=" + row.item.kind ? 1 : 0
      }
      let expected = moments(values)
      #expect(abs(scales.means[place] - expected.mean) < 1e-12, "\(names[column])")
      #expect(abs(scales.deviations[place] - expected.deviation) < 1e-12, "\(names[column])")
    }
    let response = moments(rated.map(\.value))
    #expect(abs(scales.responseMean - response.mean) < 1e-12)
    #expect(abs(scales.responseDeviation - response.deviation) < 1e-12)
    // If all values are equal, their scale is 1.
    let equal = table.replacingValues([Double](repeating: 5, count: table.count))
    let constant = ColumnScales(LearningRows(table: equal, space: space), threads: 2)
    #expect(constant.responseMean == 5 && constant.responseDeviation == 1)
  }
}
