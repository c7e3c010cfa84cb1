import Files
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

extension Found {
  /// The ranking `figures` with other results for the method `random`.
  static func changing(_ figures: JSONValue, random change: [String: JSONValue]) -> JSONValue {
    var members = figures.members
    var methods = members["methods"]?.members ?? [:]
    let random = methods["random"]?.members ?? [:]
    methods["random"] = .object(random.merging(change) { _, new in new })
    members["methods"] = .object(methods)
    return .object(members)
  }
}

/// The tables and the chart of the section about calibration.
@Suite struct CalibrationSectionTests {
  private static let own: JSONValue = [
    "decisions": 30, "brier": .number(0.2), "brier_of_base_rate": .number(0.25), "slope": .number(1.1),
    "intercept": .number(-0.1),
    "bins": .array([
      ["decisions": 12, "mean_prediction": .number(0.25), "liked": .number(0.125)],
      ["decisions": 18, "mean_prediction": .number(0.75), "liked": .number(0.5)],
    ]),
  ]

  private static func section(_ figures: JSONValue) throws -> Section {
    var world = try RunByHand()
    world.judged = ["near": figures]
    return try #require(Section.calibration(world.run()))
  }

  @Test func `each method has its errors and its bins`() throws {
    let other: JSONValue = [
      "decisions": 30, "bins": .array([["decisions": 10, "mean_prediction": .number(0.5), "liked": 1]]),
    ]
    let figures = Found.changing(Found.ranking(calibration: Self.own), random: ["calibration": other])
    let section = try Self.section(figures)
    let lines = section.shown
    let conclusion: String =
      "The slope is 1.10, so predicted and observed likes vary about equally. The mean squared error (Brier) "
      + "is 0.200, compared with 0.250 for predicting the base rate for all users. Calibration matters only "
      + "if an app shows scores or compares them between users. It does not affect the order of a list."
    #expect(lines[0] == conclusion)
    #expect(
      lines.dropFirst() == [
        "near: predicted and observed share of likes", "this pipeline | 25.0 % | 12.5 % | 12",
        "this pipeline | 75.0 % | 50.0 % | 18", "random order | 50.0 % | 100 % | 10",
        "near: accuracy over the 30 later decisions that all these methods predict",
        "*this pipeline* | 0.200 | 0.250 | 1.10 | -0.10", "random order | – | – | – | –",
      ])
    let figure = try #require(section.blocks.charts.first)
    #expect(figure.name == "calibration-near")
    #expect(figure.data.fields == ["method", "predicted", "liked", "decisions"])
    let first: [JSONValue] = [.string("this pipeline"), .number(0.25), .number(0.125), .integer(12)]
    #expect(figure.data.rows.count == 3 && figure.data.rows[0] == first)
    let chart = try #require(figure.chart as? CurveChart)
    #expect(chart.curves.map(\.name) == ["this pipeline", "random order"] && chart.hasMarks)
    #expect(
      chart.curves[0].points.map(\.x) == [0.25, 0.75] && chart.curves[0].points.map(\.y) == [0.125, 0.5])
    #expect([chart.titles.x, chart.titles.y] == ["predicted", "liked"])
  }

  @Test func `a method that equals the pipeline has no row`() throws {
    let figures = Found.ranking(tests: [], calibration: Self.own)
    let lines = try Self.section(Found.changing(figures, random: ["calibration": Self.own])).shown
    #expect(lines.count { $0.contains("this pipeline") } == 3)
    #expect(!lines.contains { $0.contains("random order") })
  }

  @Test(arguments: [
    ("slope", "The calibration cannot be measured"), ("brier", "The calibration cannot be measured"),
    ("brier_of_base_rate", "The calibration cannot be measured"), ("intercept", "The slope is 1.10"),
  ])
  func `a conclusion needs the slope and both errors`(_ missing: String, _ start: String) throws {
    var values = Self.own.members
    values[missing] = nil
    let lines = try Self.section(Found.ranking(calibration: .object(values))).shown
    #expect(lines[0].hasPrefix(start))
  }
}

/// The tables and the chart of the section about exposure.
@Suite struct ExposureTextTests {
  private static func section(_ own: JSONValue, _ random: JSONValue) throws -> Section {
    var world = try RunByHand()
    world.judged = ["near": Found.changing(Found.ranking(lists: own), random: ["lists": random])]
    return try #require(Section.exposure(world.run()))
  }

  private static let own: JSONValue = [
    "candidates": 20, "coverage": .number(0.75), "never_shown": 5, "gini": .number(0.25),
    "lorenz": .array([0, .number(0.125), .number(0.25), .number(0.5), 1]), "distance_km": ["median": 12],
  ]

  @Test func `without reciprocal entries there is no table of pairs`() throws {
    let random: JSONValue = ["candidates": 20, "lorenz": .array([0, .number(0.375), 1])]
    let section = try Self.section(Self.own, random)
    #expect(
      section.shown == [
        "75.0 % of 20 candidates are on at least one list.", "near: distribution of exposure",
        "the lower 50.0 % | 25.0 % | 100 %", "the lower 100 % | 100 % | –",
        "near: exposure of 20 candidates in the lists as of the cut",
        "*this pipeline* | 75.0 % | 5 | 0.250 | – | 12 km", "random order | – | – | – | – | –",
      ])
    let figure = try #require(section.blocks.charts.first)
    #expect(figure.name == "exposure-near" && figure.data.fields == ["method", "candidates", "exposure"])
    let candidates: [Double?] = [0, 0.25, 0.5, 0.75, 1, 0, 0.5, 1]
    let exposures: [Double?] = [0, 0.125, 0.25, 0.5, 1, 0, 0.375, 1]
    #expect(figure.data.rows.map { $0[1].numberValue } == candidates)
    #expect(figure.data.rows.map { $0[2].numberValue } == exposures)
    #expect(figure.table.columns.map(\.title) == ["Candidates", "this pipeline", "random order"])
    let chart = try #require(figure.chart as? CurveChart)
    #expect(chart.curves.map(\.name) == ["this pipeline", "random order"] && !chart.hasMarks)
    #expect([chart.titles.x, chart.titles.y] == ["candidates, least shown first", "share of exposure"])
  }

  @Test func `pairs of one method give a table of pairs`() throws {
    let random: JSONValue = [
      "candidates": 20, "listed_both_ways": .number(0.125),
      "later_matches": ["pairs": 30, "on_one_list": 20, "on_both_lists": 10],
    ]
    let lines = try Self.section(Self.own, random).shown
    #expect(
      lines.suffix(3) == [
        "near: reciprocal entries, where each user is on the other’s list, and pairs who liked each other after the cut",
        "*this pipeline* | – | – | – | –", "random order | 12.5 % | 30 | 20 | 10",
      ])
  }

  @Test func `lists without figures have unknown exposure`() throws {
    let lines = try Self.section(["candidates": 10], ["candidates": 10]).shown
    #expect(lines[0] == "The exposure of the candidates is unknown.")
  }
}

/// The charts of groups of users.
@Suite struct SliceChartTests {
  private static func slice(_ name: String, _ users: Int, _ mean: Double, _ interval: ClosedRange<Double>)
    -> JSONValue
  {
    let estimate = Found.estimate(mean, users: users, interval)
    return ["slice": .string(name), "users": .integer(users), "auc": estimate, "ndcg@10": estimate]
  }

  private static func figures(_ more: [String: JSONValue]) throws -> [ChartFigure] {
    ReportedSlicing.all(of: Found.judged(Found.ranking(more: more))).flatMap(\.blocks.charts)
  }

  private static let slices: JSONValue = [
    "city": .array([slice("Galway", 30, 0.6, 0.5...0.7), slice("Cork", 9, 0.1, 0.0...0.2)]),
    "age": .array([slice("20-29", 12, 0.8, 0.75...0.9)]),
  ]

  @Test func `all groups of a ranking have the same axis, with chance and the mean of all`() throws {
    let figures = try Self.figures(["slices": Self.slices])
    #expect(figures.map(\.name) == ["slices-age-near", "slices-city-near"])
    for figure in figures {
      let chart = try #require(figure.chart as? RowChart)
      #expect(chart.contained == [0.5, 0.9] && chart.title == "AUC")
      #expect(chart.lines.map(\.value) == [0.5, 0.7] && chart.lines.map(\.isDashed) == [true, false])
      #expect(figure.description.shown.hasSuffix("of all users, 0.700, and 0.500, which is chance."))
      #expect(figure.data.fields == ["group", "users", "auc", "low", "high"])
    }
    let row: [JSONValue] = [.string("Galway"), .integer(30), .number(0.6), .number(0.5), .number(0.7)]
    #expect(figures[1].data.rows == [row])
    let chart = try #require(figures[1].chart as? RowChart)
    #expect(chart.rows.map(\.name) == ["Galway"])
    var marks: [String] = []
    for mark in chart.rows[0].marks {
      if case .point(let value, let ends, let band, let color) = mark {
        marks.append("\(value) \(ends?.low ?? 9) \(ends?.high ?? 9) \(band == nil) \(color)")
      }
    }
    #expect(marks == ["0.6 0.5 0.7 true first"])
  }

  @Test func `an axis includes chance below and above all groups`() throws {
    let low: JSONValue = ["city": .array([Self.slice("Galway", 30, 0.3, 0.2...0.4)])]
    let chart = try #require(Self.figures(["slices": low]).first?.chart as? RowChart)
    #expect(chart.contained == [0.2, 0.5])
    let none = Found.estimate(0.6, users: 30)
    let slice: JSONValue = ["slice": "Galway", "users": 30, "auc": none, "ndcg@10": none]
    let without = try Self.figures(["slices": ["city": .array([slice])]])
    let empty = try #require(without.first?.chart as? RowChart)
    #expect(empty.contained == [0.5, 0.5] && empty.rows.isEmpty)
  }

  @Test func `with likes alone, chance is the value of random lists`() throws {
    let figures = try Self.figures(["slices": Self.slices, "decisions": ["likes": 5, "passes": 0]])
    let figure = try #require(figures.last)
    let chart = try #require(figure.chart as? RowChart)
    #expect(chart.contained == [0.1, 0.9] && chart.lines.map(\.value) == [0.1, 0.3])
    #expect(chart.title == "nDCG@10" && figure.data.fields[2] == "ndcg")
    #expect(
      figure.description.shown.hasSuffix(
        "of all users, 0.300, and 0.100, which is the value of random lists."))
    #expect(figure.table.columns.map(\.title) == ["Group", "Users", "nDCG@10"])
  }

  @Test func `the first app's model has a column if its differences are known`() throws {
    var slice = Self.slice("Galway", 30, 0.6, 0.5...0.7).members
    slice["auc_less_createml"] = Found.estimate(0.2, users: 9, 0.1...0.3)
    let slices: JSONValue = ["city": .array([.object(slice)])]
    func table(_ tests: [JSONValue]) throws -> Table {
      let ranking = Found.judged(Found.ranking(tests: tests, more: ["slices": slices]))
      return try #require(ReportedSlicing.all(of: ranking).first?.blocks.charts.first).table
    }
    let with = try table([Found.test("createml", "auc", difference: 0.2, p: 0.5)])
    #expect(
      with.columns.map(\.title) == ["Group", "Users", "nDCG@10", "AUC", "AUC minus Create ML"])
    #expect(with.caption.shown.hasSuffix("the AUC minus the AUC of the Create ML regression"))
    #expect(with.rows[0].last?.shown == "–", "a difference of nine users must be hidden")
    let without = try table([])
    #expect(without.columns.map(\.title) == ["Group", "Users", "nDCG@10", "AUC"])
  }

  @Test func `several omitted groups are counted`() throws {
    var world = try RunByHand()
    let small = ["a", "b", "c"].map { Self.slice($0, 9, 0.5, 0.4...0.6) }
    let slices: JSONValue = ["city": .array(small + [Self.slice("d", 10, 0.5, 0.4...0.6)])]
    world.judged = ["near": Found.ranking(more: ["slices": slices])]
    let lines = try #require(Section.slices(world.run())).shown
    #expect(lines.contains("This table omits 3 groups with fewer than 10 users."))
    #expect(lines[0].contains("It hides groups of fewer than 10 users"))
  }
}

/// The tables of a comparison, and the text around them.
@Suite struct ComparisonTextTests {
  @Test func `each metric of both runs has a row, and other figures have a table`() throws {
    let calibration: JSONValue = ["brier": .number(0.2), "slope": .number(1.5)]
    let lists: JSONValue = [
      "coverage": .number(0.75), "gini": .number(0.25), "listed_both_ways": .number(0.125),
    ]
    let one = Found.ranking(lists: lists, calibration: calibration)
    let other = Found.ranking(
      area: Found.estimate(0.6, 0.5...0.62), lists: ["coverage": .number(0.5)])
    let pair = JudgedPair(one: Found.judged(one), other: Found.judged(other), titles: ("run 1", "run 2"))
    let lines = pair.blocks.flatMap(\.shown)
    #expect(
      lines[0...3] == [
        "near: the pipeline’s own ranking in both runs, with 95 % intervals",
        "nDCG@10 | 0.300 (0.250 to 0.340) | 0.300 (0.250 to 0.340) | 0.000",
        "AUC | 0.700 (0.650 to 0.740) | 0.600 (0.500 to 0.620) | *-0.100*",
        "A change is bold if the two intervals do not overlap.",
      ])
    #expect(
      lines[4...] == [
        "near: AUC of every method in both runs", "this pipeline | 0.700 | 0.600",
        "random order | 0.500 | 0.500", "near: predictions and lists", "Brier | 0.200 | –",
        "slope | 1.500 | –", "candidates on at least one list | 75.0 % | 50.0 %", "Gini | 0.250 | –",
        "reciprocal entries | 12.5 % | –",
      ])
    let figure = try #require(pair.blocks.charts.first)
    #expect(figure.name == "auc-near" && figure.data.fields == ["method", "run", "auc", "low", "high"])
    let row: [JSONValue] = [
      .string("this pipeline"), .string("run 2"), .number(0.6), .number(0.5), .number(0.62),
    ]
    #expect(figure.data.rows[1] == row)
    #expect((figure.chart as? RowChart)?.title == "AUC")
  }

  @Test func `only methods of both runs are compared`() throws {
    var figures = Found.ranking().members
    figures["method_order"] = .array(["pipeline"])
    let (one, other) = (Found.judged(.object(figures)), Found.judged(Found.ranking()))
    for (left, right) in [(one, other), (other, one)] {
      let pair = JudgedPair(one: left, other: right, titles: ("run 1", "run 2"))
      #expect(try #require(pair.blocks.charts.first).data.rows.count == 2)
    }
  }

  @Test func `runs of two pipelines have their names in titles and labels`() throws {
    var (one, other) = (try RunByHand(), try RunByHand())
    one.record = nil
    other.record = .init(number: 7, started: nil, generations: [])
    let same = try RunPair(one.run(), other.run())
    #expect(same.kind == "Two runs of small" && [same.titles.0, same.titles.1] == ["a manual run", "run 7"])
    #expect([same.labels.0, same.labels.1] == ["by-hand", "7"])
    other.yaml = other.yaml.replacing("pipeline: small", with: "pipeline: large")
    let different = try RunPair(one.run(), other.run())
    #expect(different.kind == "Two runs")
    #expect([different.titles.0, different.titles.1] == ["small, a manual run", "large, run 7"])
    #expect([different.labels.0, different.labels.1] == ["by-hand", "large-7"])
  }

  @Test func `a comparison has both verdicts, the figures and the settings`() throws {
    var (one, other) = (try RunByHand(), try RunByHand())
    one.record = .init(number: 1, started: nil, generations: [])
    one.judged = ["near": Found.ranking()]
    other.yaml = RunByHand.yaml(rejectLimit: "0.3")
    other.sources = ["swipes": ["read": 200, "kept": 150]]
    let scratch = try ScratchDirectory()
    let path = try Comparison.write(one.run(), other.run(), to: scratch("reports"))
    #expect(path == scratch("reports/small/compare-1-2.html"))
    let html = try scratch.text("reports/small/compare-1-2.html")
    #expect(html.contains("<title>Two runs of small: run 1 and run 2</title>"))
    #expect(html.contains("<li>run 1: The scores put"))
    #expect(html.contains("<li>run 2: The quality of the lists is unknown"))
    #expect(html.contains("<p class=\"note\">No list was evaluated in both runs.</p>"))
    let ids = html.components(of: "<section aria-labelledby=\"")
    #expect(ids == ["verdicts", "figures", "quality", "settings"])
    #expect(html.contains("Settings that differ</caption>") && html.contains("<code>reject_limit</code>"))
    #expect(html.contains("swipes kept") && html.contains("<data value=\"50\">+50</data>"))
    let equal = try Comparison.write(one.run(), one.run(), to: scratch("reports"))
    #expect(equal == scratch("reports/small/compare-1-1.html"))
    let page = try scratch.text("reports/small/compare-1-1.html")
    #expect(page.contains("Both runs used the same settings."))
    #expect(page.contains("the pipeline’s own ranking in both runs"))
    #expect(scratch.exists("reports/small/compare-1-1/auc-near.csv"))
  }

  @Test(arguments: [(60, 60, ""), (61, 60, " (the first 60 of 61)")])
  func `at most sixty settings are listed`(_ count: Int, _ shown: Int, _ rest: String) throws {
    var (one, other) = (try RunByHand(), try RunByHand())
    let cities = (0..<count).map { "city_\($0): { type: category }" }.joined(separator: ", ")
    one.yaml = one.withoutAttributes
    other.yaml = other.yaml.replacing(
      "{ city: { type: category }, age: { type: number } }", with: "{ \(cities) }")
    let (left, right) = (try one.run(), try other.run())
    let all = SettingDifference.all(left.snapshot.configuration, right.snapshot.configuration)
    let scratch = try ScratchDirectory()
    let path = try Comparison.write(left, right, to: scratch.path)
    let html = try scratch.text("small/compare-2-2.html")
    #expect(path == scratch("small/compare-2-2.html"))
    // Each attribute is one setting.
    #expect(all.count == count)
    #expect(html.components(of: "<code>entities.people.attributes.").count == shown)
    let caption = html.replacing("<data value=\"60\">", with: "").replacing("<data value=\"61\">", with: "")
      .replacing("</data>", with: "")
    #expect(caption.contains("Settings that differ\(rest)</caption>"))
  }
}

extension String {
  /// The texts after each `start`, up to the next quotation mark or tag.
  fileprivate func components(of start: String) -> [String] {
    ranges(of: start).map { found in String(self[found.upperBound...].prefix { !"\"<".contains($0) }) }
  }
}
