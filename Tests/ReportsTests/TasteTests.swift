import Columns
import Files
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Reports

/// The preferences of people. Values of few people are hidden.
@Suite struct TasteTests {
  private static func table(
    _ columns: [String], _ write: (inout StageDirectory) throws(FileError) -> Void
  ) throws -> ModelTable {
    let scratch = try ScratchDirectory()
    var directory = try StageDirectory("models", in: scratch.path)
    try write(&directory)
    _ = try directory.complete(
      Manifest(
        tool: "", stage: "models", pipeline: "", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: [:]))
    return try ModelTable(scratch("models"), columns: columns)
  }

  private static func rare() throws -> RareWords {
    let world = try RunByHand()
    try world.writeCities([("Cork", 9), ("Galway", 10)])
    return try RareWords(world.run())
  }

  private static func model(_ prior: String = "") throws -> Pipeline.Model {
    let pipeline = try Pipeline(
      yaml: RunByHand.yaml(
        more: "model: { learns_from: swipes, features: [{ category: city }, distance]\(prior) }"),
      file: "small.yaml")
    return try #require(pipeline.model)
  }

  /// Writes one model per person. For each column, the coefficients are 1, 2, 3, and so on.
  private static func perPerson(_ people: [(column: UInt32, people: Int)], _ columns: [String]) throws
    -> Taste
  {
    let models = people.flatMap { column, people in
      (1...people).map { person in
        UserModel(
          observations: 5, base: 0, intercept: 0, residualSumOfSquares: 0,
          terms: [UserModel.Term(column: column, coefficient: Double(person), mean: 0)])
      }
    }
    let table = try table(columns) { (directory) throws(FileError) in
      try ModelTable.write(models + [nil], columns: columns, to: &directory)
    }
    return try Taste.all(table, [:], model(), rare())[0]
  }

  @Test(arguments: [["taste"], ["taste", "trust"]])
  func `several models have a heading each, and a single model has none`(_ names: [String]) throws {
    var world = try RunByHand()
    let models = names.map { "  \($0): { learns_from: swipes, features: [{ category: city }] }\n" }
    world.yaml = RunByHand.yaml(more: "models:\n" + models.joined())
    world.models = ["by_name": .object(Dictionary(uniqueKeysWithValues: names.map { ($0, ["models": 1]) }))]
    try world.writeCities([("Galway", 40)])
    for name in names {
      var directory = try StageDirectory(name, in: world.scratch("models"))
      try ModelTable.write([nil], columns: ["city=Galway"], to: &directory)
      _ = try directory.complete(
        Manifest(
          tool: "", stage: "", pipeline: "", configuration: .null, asOf: world.asOf, seed: 0, counts: [:]))
    }
    let headings = try Section.taste(world.run()).blocks.compactMap {
      if case .heading(let words) = $0 { words.shown } else { nil }
    }
    #expect(headings == (names.count > 1 ? names.map { "The model \($0)" } : []))
  }

  @Test func `a column with few people or for a rare word is not named`() throws {
    let taste = try Self.perPerson(
      [(0, 10), (1, 9), (2, 20), (3, 20), (4, 20)],
      ["city=Galway", "distance", "city=Cork", "geohash=u281", "age"])
    // Columns are ordered by their number of people.
    #expect(taste.rows.map(\.column) == ["age", "city=Galway"] && taste.hidden == 3)
    #expect(taste.rows.map(\.users) == [20, 10])
    let lines = taste.blocks(isIntroduced: true).flatMap(\.shown)
    #expect(
      lines.contains(
        "This table omits 3 columns, for example places and words that occur fewer than 10 times.")
        && !lines.contains { $0.contains("Cork") })
    #expect(lines[0].hasPrefix("Each of 79 users has a separate regression"))
  }

  @Test func `coefficients of people are shown by median and middle four fifths`() throws {
    let taste = try Self.perPerson([(0, 11)], ["age"])
    #expect(taste.rows[0].coefficient == 6 && taste.rows[0].spread == 2...10)
    #expect(
      taste.blocks(isIntroduced: true).flatMap(\.shown).contains("age | 11 | +6.000 | +2.000 to +10.000"))
  }

  @Test func `a chart and its file have at most forty columns`() throws {
    let columns = (10..<55).map { "feature_\($0)" }
    let taste = try Self.perPerson((0..<45).map { (UInt32($0), 10) }, columns)
    let figure = try #require(taste.blocks(isIntroduced: true).charts.first)
    #expect(taste.rows.count == 45 && figure.data.rows.count == 40)
    #expect(try #require(figure.chart as? RowChart).rows.count == 40)
  }

  /// A prior with three columns. One of them is for a word that only nine people have.
  private static func shared(_ prior: String, errors: [Double], deviations: [Double] = [0.25, 1, 0.5]) throws
    -> Taste
  {
    let columns = ["city=Galway", "city=Cork", "distance"]
    let table = try table(columns) { (directory) throws(FileError) in
      try ModelTable.write(
        SharedModels(),
        PriorTable(
          columns: [
            .init(column: 0, mean: 0, scale: 1), .init(column: 1, mean: 0, scale: 1),
            .init(column: 2, mean: 0, scale: 4),
          ],
          groups: [
            .init(
              name: "", base: 0, baseDeviation: 0, noiseDeviation: 0, coefficients: [0.5, 9, -0.25],
              deviations: deviations)
          ]), columns: columns, to: &directory)
    }
    let facts: JSONValue = [
      "prior": .array([
        [
          "columns": .array(
            zip(columns, errors).map { ["column": .string($0), "standard_error": .number($1)] })
        ]
      ])
    ]
    return try Taste.all(table, facts, model(prior), rare())[0]
  }

  @Test func `the population's preferences are listed strongest first, with error and spread`() throws {
    let taste = try Self.shared(", prior: population", errors: [0.25, 1, 0.1249])
    // Columns are ordered by the coefficient per standard deviation of the column.
    #expect(taste.rows.map(\.column) == ["distance", "city=Galway"] && taste.hidden == 1)
    #expect(taste.rows.map(\.error) == [0.1249, 0.25])
    #expect(taste.rows.map(\.spread) == [-0.75...0.25, 0.25...0.75])
    // The chart contains the 95 % interval and the spread, per standard deviation.
    let rows = try #require(taste.blocks(isIntroduced: true).charts.first).data.rows.map {
      $0.compactMap(\.numberValue)
    }
    let expected = [[-1.0, -1.979216, -0.020784, -3, 1], [0.5, 0.01, 0.99, 0.25, 0.75]]
    for (row, numbers) in zip(rows, expected) {
      #expect(row.count == 5 && zip(row, numbers).allSatisfy { abs($0 - $1) < 1e-9 }, "\(row)")
    }
    #expect(rows.count == 2)
    // A mean is emphasized only if it is more than two standard errors from 0.
    let lines = taste.blocks(isIntroduced: true).flatMap(\.shown)
    #expect(
      lines.contains("distance | *-0.250* | 0.125 | 0.500")
        && lines.contains("city=Galway | +0.500 | 0.250 | 0.250"))
  }

  @Test func `with one model for all users, the deviation is the error`() throws {
    let taste = try Self.shared(", prior: everybody", errors: [7, 7, 7])
    #expect(taste.rows.map(\.error) == [0.5, 0.25] && taste.rows.allSatisfy { $0.spread == nil })
    #expect(taste.blocks(isIntroduced: true).flatMap(\.shown).contains("distance | -0.250 | 0.500"))
  }

  /// Two groups with two columns. The second coefficient of the second group is not a number.
  private static func groups(_ prior: String = ", prior: population") throws -> [Taste] {
    let columns = ["age", "distance"]
    let table = try table(columns) { (directory) throws(FileError) in
      try ModelTable.write(
        SharedModels(),
        PriorTable(
          columns: [.init(column: 1, mean: 0, scale: 2), .init(column: 0, mean: 0, scale: 1)],
          groups: [
            .init(
              name: "a", base: 0, baseDeviation: 0, noiseDeviation: 0, coefficients: [0.5, -1],
              deviations: [0.25, .infinity]),
            .init(
              name: "b", base: 0, baseDeviation: 0, noiseDeviation: 0, coefficients: [3, .nan],
              deviations: [1, 1]),
          ]), columns: columns, to: &directory)
    }
    let facts: JSONValue = [
      "prior": .array([
        ["columns": .array([["column": "age", "standard_error": .number(0.125)]])],
        ["columns": .array([["column": "distance", "standard_error": .number(0.5)]])],
      ])
    ]
    return try Taste.all(table, facts, model(prior), rare())
  }

  @Test func `each group has its own coefficients, errors and name`() throws {
    let tastes = try Self.groups()
    #expect(tastes.map(\.group) == ["a", "b"] && tastes.map(\.hidden) == [0, 1])
    // The two columns of the first group are equally strong, so they keep their order.
    #expect(tastes.map { $0.rows.map(\.column) } == [["distance", "age"], ["distance"]])
    #expect(tastes[0].rows.map(\.coefficient) == [0.5, -1] && tastes[0].rows.map(\.scale) == [2, 1])
    let (errors, others): ([Double?], [Double?]) = ([nil, 0.125], [0.5])
    #expect(tastes[0].rows.map(\.error) == errors && tastes[1].rows.map(\.error) == others)
    let (spreads, wider): ([ClosedRange<Double>?], [ClosedRange<Double>?]) = ([0.25...0.75, nil], [2...4])
    #expect(tastes[0].rows.map(\.spread) == spreads && tastes[1].rows.map(\.spread) == wider)
    let lines = tastes[0].blocks(isIntroduced: true).flatMap(\.shown)
    #expect(
      lines[0] == "The group a" && lines[1].hasPrefix("The mean is the average coefficient of all users"))
    #expect(
      lines[2...] == [
        "Tastes, and the differences between users, of a", "distance | +0.500 | – | 0.250",
        "age | *-1.000* | 0.125 | –",
      ])
    #expect(lines[1].contains("of all users in this group; the spread"))
    let second = tastes[1].blocks(isIntroduced: false)
    #expect(second.flatMap(\.shown)[1] == "Tastes, and the differences between users, of b")
    #expect(second.charts.map(\.name) == ["taste-group-b"])
    #expect(
      second.flatMap(\.shown).last
        == "This table omits 1 column, for example places and words that occur fewer than 10 times.")
  }

  @Test func `each kind of model has its own words and axis`() throws {
    func facts(_ taste: Taste) throws -> [String] {
      let blocks = taste.blocks(isIntroduced: true)
      let figure = try #require(blocks.charts.first)
      let chart = try #require(figure.chart as? RowChart)
      let columns = figure.table.columns.map(\.title).joined(separator: ", ")
      return [figure.name, figure.title.shown, chart.title ?? "", columns]
    }
    #expect(
      try facts(Self.perPerson([(0, 11)], ["age"])) == [
        "taste", "Users’ own coefficients", "coefficient", "Column, Users, Median, 10 % to 90 %",
      ])
    #expect(
      try facts(Self.shared(", prior: everybody", errors: [])) == [
        "taste", "Coefficients of the one model for all users", "per standard deviation",
        "Column, Coefficient, Error",
      ])
    #expect(
      try facts(Self.shared(", prior: population", errors: [])) == [
        "taste", "Tastes, and the differences between users", "per standard deviation",
        "Column, Mean, Error, Spread of users",
      ])
    let chart = try #require(
      Self.shared(", prior: population", errors: [0.25, 1, 0.125]).blocks(isIntroduced: false).charts.first?
        .chart as? RowChart)
    #expect(chart.rows.map(\.name) == ["distance", "city=Galway"] && chart.lines.map(\.value) == [0])
    var marks: [[Double]] = []
    for mark in chart.rows.flatMap(\.marks) {
      if case .point(let value, let interval?, let band?, _) = mark {
        marks.append([value, interval.low, interval.high, band.low, band.high])
      }
    }
    let expected = [[-1, -1.98, -0.02, -3, 1], [0.5, 0.01, 0.99, 0.25, 0.75]]
    #expect(marks.count == 2)
    for (mark, numbers) in zip(marks, expected) {
      #expect(zip(mark, numbers).allSatisfy { abs($0 - $1) < 1e-9 }, "\(mark)")
    }
  }

  @Test func `a model without a shown column says so, and columns of equal users keep their order`() throws {
    let hidden = try Self.perPerson([(0, 9)], ["age"])
    #expect(
      hidden.blocks(isIntroduced: false).flatMap(\.shown) == [
        "This page shows no coefficients of this model. It hides geohash cells, coefficients that are not finite, and columns with fewer than 10 users or occurrences."
      ])
    let equal = try Self.perPerson([(1, 10), (0, 10), (2, 12)], ["age", "distance", "born"])
    #expect(equal.rows.map(\.column) == ["born", "age", "distance"])
    // Of ten sorted coefficients, the 10 %, 50 % and 90 % quantiles are at the places 0.9, 4.5 and 8.1,
    // rounded to whole places.
    #expect(equal.rows[1].spread == 2...9 && equal.rows[1].coefficient == 6)
    #expect(
      try Section.taste(RunByHand().run()).shown == ["This pipeline has no model, so no taste is learned."])
  }
}
