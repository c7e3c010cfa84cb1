import Files
import Testing
import RunSchemas
import TestSupport
import Text

@testable import Reports

/// Compares two runs on one page.
@Suite struct ComparisonTests {
  private static func lines(_ one: JSONValue, _ other: JSONValue) -> [String] {
    JudgedPair(one: Found.judged(one), other: Found.judged(other), titles: ("run 1", "run 2")).blocks
      .flatMap(\.shown)
  }

  @Test(
    arguments: [
      (0.5...0.6, 0.61...0.7, true), (0.5...0.6, 0.6...0.7, false), (0.61...0.7, 0.5...0.6, true),
      (0.5...0.7, 0.55...0.6, false),
    ] as [(ClosedRange<Double>, ClosedRange<Double>, Bool)])
  func `a change is highlighted if the intervals do not overlap`(
    _ one: ClosedRange<Double>, _ other: ClosedRange<Double>, _ isApart: Bool
  ) {
    let lines = Self.lines(
      Found.ranking(area: Found.estimate(0.5, one)), Found.ranking(area: Found.estimate(0.75, other)))
    let change = isApart ? "*+0.250*" : "+0.250"
    #expect(lines.contains { $0.hasPrefix("AUC | 0.500") && $0.hasSuffix(" | \(change)") }, "\(lines)")
  }

  @Test func `a metric with fewer than ten users in either run is not compared`() {
    let (few, many) = (
      Found.ranking(area: Found.estimate(0.5, users: 9), otherArea: Found.estimate(0.5, users: 9)),
      Found.ranking()
    )
    for lines in [Self.lines(few, many), Self.lines(many, few)] {
      #expect(!lines.contains { $0.hasPrefix("AUC |") } && lines.contains { $0.hasPrefix("nDCG@10 |") })
      #expect(!lines.contains { $0.hasPrefix("random order |") })
    }
    let none = Found.ranking(area: Found.estimate(0.5, users: 9), gain: Found.estimate(0.5, users: 9))
    #expect(
      Self.lines(none, many) == [
        "The evaluations of near cannot be compared, because too few users liked a candidate after the cut."
      ])
    let ten = Found.ranking(area: Found.estimate(0.5, users: 10))
    #expect(Self.lines(ten, many).contains { $0.hasPrefix("AUC |") })
  }

  @Test func `the chart has a row for each method, with a point for each run`() throws {
    let pair = JudgedPair(
      one: Found.judged(Found.ranking()), other: Found.judged(Found.ranking()), titles: ("run 1", "run 2"))
    let figure = try #require(pair.blocks.charts.first)
    #expect(figure.data.rows.count == 4)
    let chart = try #require(figure.chart as? RowChart)
    #expect(chart.rows.map(\.marks.count) == [2, 2] && chart.legend.map(\.name) == ["run 1", "run 2"])
    var colors: [ChartColor] = []
    for mark in chart.rows[0].marks { if case .point(_, _, _, let color) = mark { colors.append(color) } }
    #expect(chart.legend.map(\.color) == colors && Set(colors).count == 2)
  }

  private static func input(_ digest: String) -> [FileDigest] {
    [FileDigest(path: "x.csv", bytes: 1, sha256: digest)]
  }

  @Test func `only runs that were judged by the same later interactions are compared`() throws {
    var (one, other) = (try RunByHand(), try RunByHand())
    (one.inputs, other.inputs) = (Self.input("aa"), Self.input("aa"))
    (one.judged, other.judged) = (["near": Found.ranking()], ["near": Found.ranking()])
    #expect(try RunPair(one.run(), other.run()).answer == "Yes")

    other.split = ["groups": .array([["cut_ms": 2000]])]
    #expect(
      try RunPair(one.run(), other.run()).verdict.shown.contains("but they were not evaluated on the same"))
    other.split = one.split
    other.asOf = Instant(milliseconds: one.asOf.milliseconds + 1)
    #expect(try !RunPair(one.run(), other.run()).haveSameTest)
    other.asOf = one.asOf
    other.inputs = Self.input("ab")
    let pair = try RunPair(one.run(), other.run())
    #expect(pair.answer == "With care" && pair.verdict.shown.hasPrefix("The runs read different exports"))
  }
}

/// The index page that lists all pipelines.
@Suite struct ReportIndexTests {
  private static func html(_ entries: [PipelineRuns], besides names: [String] = []) throws
    -> String
  {
    let scratch = try RunByHand().scratch
    for name in names { try scratch.write("", to: name) }
    _ = try ReportIndex.write(entries, to: scratch.path, tool: "nightjar 0")
    return try scratch.text("index.html")
  }

  private static func runs(_ runs: [RunByHand], unfinished: [UnfinishedRun] = []) throws
    -> PipelineRuns
  {
    .init(name: "small", runs: try runs.map { try $0.run() }, unfinished: unfinished, unreadable: [])
  }

  @Test func `a run's line shows its worst list and hides metrics of few users`() throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: ["far", "near"])
    world.sources = ["swipes": ["read": 100, "kept": 75, "rejected": ["bad_id": 25]]]
    world.lists = [
      "far": RunByHand.list(users: 100, full: 50, empty: 25),
      "near": RunByHand.list(users: 100, full: 75, empty: 50),
    ]
    world.judged = [
      "far": Found.ranking(area: Found.estimate(0.7, users: 9), gain: Found.estimate(0.3, users: 10))
    ]
    let figures = RunFigures(try world.run())
    #expect(figures.read == 100 && figures.rejected == 0.25)
    #expect(figures.served == 0.5 && figures.full == 0.5)
    #expect(figures.finding == 0.3 && figures.ordering == nil)
    world.sources = [:]
    world.lists = ["far": RunByHand.list(users: 0, full: 0, empty: 0)]
    let none = RunFigures(try world.run())
    #expect(none.rejected == nil && none.served == nil && none.full == nil)
  }

  @Test func `a trend has a line per figure of any run`() throws {
    var (one, two) = (try RunByHand(), try RunByHand())
    one.record = .init(number: 1, started: nil, generations: [])
    two.judged = ["near": Found.ranking()]
    let table = Table("Runs", [.text("Run")])
    let figure = Trend(entry: try Self.runs([one, two]), table: table).figure
    let chart = try #require(figure.chart as? TrendChart)
    #expect(
      chart.lines.map { "\($0.name) \($0.values.map { $0.map { "\($0)" } ?? "-" }) \($0.isShare)" } == [
        #"rows rejected ["0.0", "0.0"] true"#, #"users served ["1.0", "1.0"] true"#,
        #"full lists ["0.8", "0.8"] true"#, #"nDCG ["-", "0.3"] false"#, #"AUC ["-", "0.7"] false"#,
      ])
    // The data have shares, and not percentages.
    let written: [[JSONValue]] = [
      [1, "rows rejected", .number(0.0)], [2, "rows rejected", .number(0.0)],
      [1, "users served", .number(1.0)],
      [2, "users served", .number(1.0)],
      [1, "full lists", .number(0.8)], [2, "full lists", .number(0.8)], [2, "nDCG", .number(0.3)],
      [2, "AUC", .number(0.7)],
    ]
    #expect(figure.data.rows == written)
    let first = Trend(entry: try Self.runs([one, one]), table: table).figure.chart as? TrendChart
    #expect(first?.lines.count == 3, "a figure that no run has must have no line")
  }

  /// A table with a column per run would be too wide.
  @Test(.enabled(if: BrowserTool.isAvailable, "needs Chromium: make tools"), arguments: [1, 30])
  func `the index of few and many runs is readable everywhere`(_ count: Int) throws {
    let scratch = try ScratchDirectory()
    let runs = try (1...count).map { number in
      var run = try RunByHand()
      run.record = .init(number: number, started: nil, generations: [])
      run.judged = ["near": Found.ranking(area: Found.estimate(0.5 + 0.01 * Double(number)))]
      return run
    }
    _ = try ReportIndex.write([Self.runs(runs)], to: scratch.path, tool: "nightjar 0")
    for (name, view) in try BrowserTool.views(of: scratch("index.html"), pictures: scratch.path) {
      #expect(view.findings == [], "\(name)")
      #expect(name == "print" || view.charts == (count > 1 ? 1 : 0))
    }
    let html = try scratch.text("index.html")
    #expect(html.ranges(of: "Complete runs, newest first").count == 1)
    #expect(html.ranges(of: "<details open>").count == (count > 1 ? 1 : 0))
  }

  @Test func `only reports next to the index are linked`() throws {
    let entry = try Self.runs([RunByHand()])
    #expect(try Self.html([entry]).contains("<a href=\"#pipeline-small\">small</a>"))
    #expect(try Self.html([entry], besides: ["small.html"]).contains("href=\"small.html\""))
  }

  @Test func `a pipeline with a bad last run needs attention`() throws {
    var (good, bad) = (try RunByHand(), try RunByHand())
    good.judged = ["near": Found.ranking()]
    bad.judged = ["near": Found.ranking(verdict: "nothing_learned")]
    let both = try Self.html([Self.runs([bad, good]), Self.runs([good, bad])])
    #expect(both.contains("<p class=\"sentence\">small needs attention.</p>"))
    let fine = try Self.html([Self.runs([good])])
    #expect(
      fine.contains("The last run of each pipeline can be trusted.")
        && fine.contains("Does any pipeline need attention?"))
    #expect(try Self.html([]).contains("No pipeline has a run yet."))
    let failed = try Self.html([
      Self.runs([good], unfinished: [UnfinishedRun(number: 3, failure: nil)])
    ])
    #expect(failed.contains("was interrupted or is still running"))
  }
}
