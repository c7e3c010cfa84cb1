import Columns
import Concurrency
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import System
import Testing
import Text

@testable import Models

/// Compares the errors of models and predictions with dense algebra, and checks the tables that `explain`
/// prints for models with a prior.
struct PredictionErrorTests {
  /// The standardized values of an item, with 1 for the base.
  private static func z(_ item: (numbers: [Double?], kind: String), _ columns: [PriorTable.SharedColumn])
    -> [Double]
  {
    // The feature space orders these columns as kind=blue, kind=green, kind=red.
    let words: [Double?] = ["blue", "green", "red"].map { item.kind == $0 ? 1 : 0 }
    let values: [Double?] = item.numbers + words
    return [1]
      + columns.map { column in values[Int(column.column)].map { ($0 - column.mean) / column.scale } ?? 0 }
  }

  private static func rows(_ world: RatedItems, _ person: Int, _ columns: [PriorTable.SharedColumn])
    -> PersonRows
  {
    var rows = PersonRows()
    for rating in world.ratings[person] {
      rows.z.append(z(world.items[rating.item], columns))
      rows.y.append(rating.value)
    }
    return rows
  }

  /// The inverse of Σ z z' / noise + diag(precisions), column by column.
  private static func covariance(_ rows: [[Double]], noise: Double, precisions: [Double]) -> [[Double]] {
    let order = precisions.count
    var matrix = [[Dense.Real]](repeating: [Dense.Real](repeating: 0, count: order), count: order)
    for j in 0..<order { matrix[j][j] = Dense.Real(precisions[j]) }
    for z in rows {
      for j in 0..<order {
        for k in 0..<order { matrix[j][k] += Dense.Real(z[j]) * Dense.Real(z[k]) / Dense.Real(noise) }
      }
    }
    return (0..<order).map { column in
      let unit = (0..<order).map { $0 == column ? 1 as Dense.Real : 0 }
      return Dense(rows: matrix).solve(unit).solution.map { Double($0) }
    }
  }

  /// z' C z.
  private static func variance(_ z: [Double], _ covariance: [[Double]]) -> Double {
    z.indices.reduce(0) { sum, j in z.indices.reduce(sum) { $0 + z[j] * covariance[j][$1] * z[$1] } }
  }

  private static func squares(_ rows: PersonRows, _ parameters: [Double]) -> Double {
    zip(rows.z, rows.y).reduce(0) { sum, row in
      let residual = zip(row.0, parameters).reduce(row.1) { $0 - $1.0 * $1.1 }
      return sum + residual * residual
    }
  }

  /// The parameters of a model in the units of its columns.
  private static func parameters(_ model: UserModel, _ columns: [PriorTable.SharedColumn]) -> [Double] {
    [model.base] + zip(model.terms, columns).map { $0.coefficient * $1.scale }
  }

  private static func isNear(_ found: Double?, _ expected: Double) -> Bool {
    abs((found ?? .nan) - expected) < 1e-8 * max(1, abs(expected))
  }

  private static func facts(_ table: ExplainTable) -> [String: Double] {
    Dictionary(table.facts.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  @Test func `errors under a population prior equal dense algebra`() throws {
    let world = RatedItems(seed: 22, people: 60, missing: 0.2) { Int.random(in: 0...12, using: &$0) }
    let fixture = try world.fitted("prior: population")
    let models = try fixture.models()
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let prior = try #require(models.prior)
    let group = prior.groups[0]
    let noise = group.noiseDeviation * group.noiseDeviation
    let deviations = [group.baseDeviation] + zip(group.deviations, prior.columns).map { $0 * $1.scale }
    var without = 0
    for person in world.people.indices {
      let model = try #require(try explained.model(ofUser: person))
      let rows = Self.rows(world, person, prior.columns)
      let covariance = Self.covariance(
        rows.z, noise: noise, precisions: deviations.map { 1 / ($0 * $0) })
      #expect(Self.isNear(model.baseStandardError, covariance[0][0].squareRoot()), "\(person)")
      for (place, column) in prior.columns.enumerated() {
        let expected = covariance[place + 1][place + 1].squareRoot() / column.scale
        #expect(Self.isNear(model.terms[place].standardError, expected), "\(person)")
      }
      #expect(
        Self.isNear(model.residualSumOfSquares, Self.squares(rows, Self.parameters(model, prior.columns))))
      let intercept = model.terms.reduce(model.base) { $0 - $1.coefficient * $1.mean }
      #expect(Self.isNear(model.intercept, intercept))
      if rows.z.isEmpty {
        without += 1
        #expect(models.predictionStandardError(person) == nil)
      } else {
        let sum = rows.z.reduce(0) { $0 + Self.variance($1, covariance) }
        let expected = (sum / Double(rows.z.count)).squareRoot()
        #expect(Self.isNear(models.predictionStandardError(person), expected), "\(person)")
      }
      let item = person % world.items.count
      let table = try explained.prediction(model, user: person, candidate: RatedItems.itemID(item))
      let facts = Self.facts(table)
      #expect(table.facts.map(\.name) == ["standard_error", "noise_standard_deviation"])
      let variance = Self.variance(Self.z(world.items[item], prior.columns), covariance)
      #expect(Self.isNear(facts["standard_error"], variance.squareRoot()), "\(person)")
      #expect(facts["noise_standard_deviation"] == group.noiseDeviation)
    }
    #expect(without > 0)
  }

  @Test func `errors of one regression for all users equal dense algebra`() throws {
    let world = RatedItems(seed: 23, people: 30, missing: 0.2) { Int.random(in: 0...12, using: &$0) }
    let fixture = try world.fitted("prior: everybody\nl2: 15")
    let models = try fixture.models()
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let prior = try #require(models.prior)
    let group = prior.groups[0]
    #expect(prior.groups.map(\.name) == [""])
    var all = PersonRows()
    for person in world.people.indices {
      let rows = Self.rows(world, person, prior.columns)
      all.z += rows.z
      all.y += rows.y
    }
    let order = prior.columns.count + 1
    let covariance = Self.covariance(
      all.z, noise: 1, precisions: [0] + [Double](repeating: 15, count: order - 1))
    // The number of parameters that the rows determine: the trace of A C.
    let used = (1..<order).reduce(Double(order)) { $0 - 15 * covariance[$1][$1] }
    let parameters = [group.base] + zip(group.coefficients, prior.columns).map { $0 * $1.scale }
    let noise = Self.squares(all, parameters) / (Double(all.y.count) - used)
    #expect(Self.isNear(group.noiseDeviation, noise.squareRoot()))
    #expect(Self.isNear(group.baseDeviation, (noise * covariance[0][0]).squareRoot()))
    for (place, column) in prior.columns.enumerated() {
      let expected = (noise * covariance[place + 1][place + 1]).squareRoot() / column.scale
      #expect(Self.isNear(group.deviations[place], expected))
    }
    for person in world.people.indices {
      let model = try #require(models[person])
      let rows = Self.rows(world, person, prior.columns)
      #expect(Self.isNear(model.residualSumOfSquares, Self.squares(rows, parameters)), "\(person)")
      let item = person % world.items.count
      let table = try explained.prediction(model, user: person, candidate: RatedItems.itemID(item))
      let facts = Self.facts(table)
      let variance = noise * Self.variance(Self.z(world.items[item], prior.columns), covariance)
      #expect(Self.isNear(facts["standard_error"], variance.squareRoot()), "\(person)")
      #expect(facts["noise_standard_deviation"] == group.noiseDeviation)
    }
  }

  @Test func `a regression per user has residuals, but no errors`() throws {
    let world = RatedItems(seed: 24, people: 20, missing: 0.2) { Int.random(in: 0...12, using: &$0) }
    let fixture = try world.fitted("l2: 3")
    let models = try fixture.models()
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let prior = try #require(models.prior)
    #expect(prior.groups.isEmpty)
    for person in world.people.indices {
      let rows = Self.rows(world, person, prior.columns)
      #expect(models.predictionStandardError(person) == nil && models.group(person) == nil)
      let found = try explained.model(ofUser: person)
      guard !rows.y.isEmpty else {
        #expect(found == nil)
        continue
      }
      let model = try #require(found)
      #expect(model.observations == rows.y.count)
      #expect(model.baseStandardError == nil && model.terms.allSatisfy { $0.standardError == nil })
      let squares = Self.squares(rows, Self.parameters(model, prior.columns))
      #expect(Self.isNear(model.residualSumOfSquares, squares), "\(person)")
      let table = try explained.prediction(model, user: person, candidate: RatedItems.itemID(0))
      #expect(table.facts.isEmpty)
    }
  }

  /// The JSON form of a table.
  private static func json(_ table: ExplainTable) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(table.lines(.json).joined(separator: "\n").utf8))
  }

  @Test func `the coefficients of a user are listed next to the population's`() throws {
    let world = RatedItems(seed: 25, people: 80) { Int.random(in: 0...6, using: &$0) }
    let fixture = try world.fitted("prior: population")
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let population = try #require(explained.models.prior).model(ofGroup: 0)
    for person in [0, 1, 2, 3] + world.people.indices.filter({ world.ratings[$0].isEmpty }).prefix(2) {
      let model = try #require(try explained.model(ofUser: person))
      let table = explained.coefficients(model, row: person)
      #expect(table.columns == ["column", "coefficient", "standard_error", "population", "learning_mean"])
      let json = try Self.json(table)
      let rows = json["terms"]?.elements ?? []
      let names = explained.models.columns.strings
      let found = rows.compactMap { $0["column"]?.stringValue }
      let expected = ["(intercept)", "(base)"] + model.terms.map { names[Int($0.column)] }
      #expect(found == expected && rows.count == expected.count)
      #expect(rows[0]["coefficient"]?.numberValue == model.intercept)
      #expect(rows[0]["population"]?.numberValue == population.intercept)
      #expect(rows[0]["standard_error"] == .null && rows[0]["learning_mean"] == .null)
      #expect(rows[1]["coefficient"]?.numberValue == model.base)
      #expect(rows[1]["standard_error"]?.numberValue == model.baseStandardError)
      #expect(rows[1]["population"]?.numberValue == population.base && rows[1]["learning_mean"] == .null)
      for (place, term) in model.terms.enumerated() {
        let row = rows[place + 2]
        #expect(row["coefficient"]?.numberValue == term.coefficient)
        #expect(row["standard_error"]?.numberValue == term.standardError)
        #expect(row["population"]?.numberValue == population.terms[place].coefficient)
        #expect(row["learning_mean"]?.numberValue == term.mean)
      }
      let error = explained.models.predictionStandardError(person)
      #expect((error == nil) == world.ratings[person].isEmpty)
      #expect(json["interactions"]?.numberValue == Double(world.ratings[person].count))
      #expect(json["base"]?.numberValue == model.base)
      #expect(json["prediction_standard_error"]?.numberValue == error)
      #expect(
        table.facts.map(\.name) == ["interactions", "base"]
          + (error == nil ? [] : ["prediction_standard_error"]))
    }
  }

  @Test func `a prediction lists the base, each feature in order, and the score`() throws {
    let world = RatedItems(seed: 26, people: 10) { _ in 8 }
    let fixture = try world.fitted("l2: 1")
    let explained = try ExplainedModel(fixture.pipeline, model: nil, run: fixture.run)
    let model = try #require(try explained.model(ofUser: 3))
    let table = try explained.prediction(model, user: 3, candidate: RatedItems.itemID(17))
    let rows = try Self.json(table)["terms"]?.elements ?? []
    let names = rows.compactMap { $0["term"]?.stringValue }
    #expect(names.count == 6 && names.first == "(base)" && names.last == "(score)")
    #expect(zip(names.dropFirst(), ["x", "y", "z", "kind"]).allSatisfy { $0.hasPrefix($1 + "=") })
    #expect(names[4] == "kind=" + world.items[17].kind)
    #expect(rows[0]["contribution"]?.numberValue == model.base)
    for (place, number) in world.items[17].numbers.enumerated() {
      let term = try #require(model.terms.first { $0.column == UInt32(place) })
      let expected = term.coefficient * ((number ?? .nan) - term.mean)
      #expect(Self.isNear(rows[place + 1]["contribution"]?.numberValue, expected))
    }
    let missing = #expect(throws: StageFailure.self) {
      try explained.prediction(model, user: 3, candidate: "nobody")
    }
    #expect(missing?.description.contains("--candidate") == true)
    let user = #expect(throws: StageFailure.self) { try explained.row(ofUser: "nobody") }
    #expect(user?.description.contains("--user") == true)
  }

  @Test func `JSON contains all facts and rows, and null for a missing number`() throws {
    var table = ExplainTable(columns: ["term", "first", "second"])
    table.add("a", [0.5, nil])
    table.add("b", [nil, 2])
    table.facts = [("rows", 3), ("share", 0.25)]
    let terms: [JSONValue] = [
      ["term": "a", "first": .number(0.5), "second": .null], ["term": "b", "first": .null, "second": 2],
    ]
    let expected: JSONValue = ["terms": .array(terms), "rows": 3, "share": .number(0.25)]
    #expect(try Self.json(table) == expected)
    #expect(table.lines(.csv) == ["term,first,second", "a,0.5,", "b,,2.0"])
  }
}
