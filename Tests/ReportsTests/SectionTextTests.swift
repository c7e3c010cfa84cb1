import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The definitions at the end of a report.
@Suite struct DefinitionsSectionTests {
  private static func items(_ definitions: JSONValue?) throws -> [String] {
    let world = try RunByHand()
    if let definitions {
      let metrics: JSONValue = [
        "rankings": ["near": Found.ranking()], "split": [:], "definitions": definitions,
      ]
      try world.scratch.write(metrics.pretty, to: "evaluation/metrics.json")
    }
    // The last line is a paragraph about rounding.
    return try Array(Section.definitions(world.run()).shown.dropLast())
  }

  private static func terms(_ items: [String]) -> [String] { items.map { String($0.prefix { $0 != ":" }) } }

  @Test func `a report defines its own figures, and each metric at its greatest length`() throws {
    let items = try Self.items([
      "ndcg@3": "short", "ndcg@10": "the gain", "mrr@1": "one", "auc": "the area", "brier": "the error",
      "novelty": "new", "auc_weighted_mean": "weighted",
    ])
    let own = ["share rejected", "full list", "share of a step", "difference", "bold difference"]
    #expect(Self.terms(items) == own + ["AUC", "Brier", "nDCG@10", "fewer than 10"])
    #expect(Array(items[5...7]) == ["AUC: the area", "Brier: the error", "nDCG@10: the gain"])
    #expect(items[0] == "share rejected: rejected rows of a source / rows read from it")
    #expect(items[2] == "share of a step: users at the step / all users of the ranking")
    #expect(
      items[3]
        == "difference: mean over users of the pipeline’s value minus the other method’s value for the same user"
    )
    #expect(
      items[8]
        == "fewer than 10: smaller groups are hidden, and smaller counts are not shown exactly")
    #expect(try Self.terms(Self.items(nil)) == own + ["fewer than 10"])
  }
}

/// The section that identifies a run.
@Suite struct RunSectionTests {
  @Test func `the table has the generations, the settings and the program`() throws {
    var world = try RunByHand()
    world.asOfFrom = "given"
    world.record = .init(
      number: 2, started: nil, generations: [(store: "sqlite:a", generation: 4), ("postgres:b", 1200)])
    let run = try world.run()
    let digest = String(SHA256.digest(of: run.snapshot.configuration.pretty).prefix(12))
    #expect(run.configurationDigest == digest && digest.count == 12)
    #expect(
      Section.run(run).shown.dropLast() == [
        "The run that this page describes",
        "As-of time | set by --as-of or the pipeline file",
        "Generation served | 4 in sqlite:a; 1 200 in postgres:b",
        "Configuration | \(digest)",
        "Program | nightjar 0",
        "Positions | replaced by the centers of geohash cells of precision 6",
      ])
    #expect(run.title == "run 2")
  }

  @Test func `a manual run has no generation`() throws {
    var world = try RunByHand()
    world.record = nil
    let run = try world.run()
    let lines = Section.run(run).shown
    #expect(lines[1] == "Run | none: the stages ran one by one")
    #expect(lines[3] == "Generation served | none: this run has not been published")
    #expect(run.title == "a manual run")
    world.record = .init(number: 2, started: nil, generations: [])
    #expect(try Section.run(world.run()).shown[2] == lines[3])
  }

  @Test(arguments: [
    ("given", "set by --as-of or the pipeline file"), ("newest_interaction", "the newest interaction"),
    ("newest_check_in", "the newest check-in"), ("newest_request", "the newest request or answer"),
    ("clock", "the machine’s clock"),
  ])
  func `the origin of the as-of time is in words`(_ origin: String, _ words: String) throws {
    var world = try RunByHand()
    world.asOfFrom = .string(origin)
    #expect(try Section.run(world.run()).shown[1] == "As-of time | \(words)")
  }

  @Test func `a time has minutes for readers, and its exact value`() {
    let words = Instant(milliseconds: 1_700_000_000_001).inWords
    #expect(
      words.pieces == [.time("2023-11-14\u{A0}22:13\u{A0}UTC", exactly: "2023-11-14T22:13:20.001Z")])
  }
}

/// The tables of the section about rows.
@Suite struct DataSectionTests {
  @Test func `sources and rules have a row each, and equal numbers are ordered by rule`() throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(more: "dangling_limit: 0.3")
    world.sources = [
      "people": [
        "read": 50, "kept": 35, "rejected": ["bad_number": 5], "not_allowed": ["under_age": 5], "merged": 3,
        "later": 2,
      ],
      "swipes": [
        "read": 200, "kept": 189, "rejected": ["bad_time": 5], "dangling": ["unknown_user": 6],
      ],
    ]
    world.inputs = [
      FileDigest(path: "people.csv", bytes: 1200, sha256: String(repeating: "12", count: 32)),
      FileDigest(path: "in/swipes.csv", bytes: 7, sha256: String(repeating: "c", count: 64), rows: 0),
    ]
    let run = try world.run()
    #expect(run.sources.map(\.name) == ["people", "swipes"])
    let lines = Section.data(run).shown
    #expect(lines[0].contains("more than 20 % rejected rows or 30 % dangling rows"))
    let tables: [String] = [
      "Rows by outcome",
      "people | 50 | 35 | 5 (10.0 %) | 0 (0 %) | 5 (10.0 %) | "
        + "2 later than the as-of time; 3 merged (another row takes its place)",
      "swipes | 200 | 189 | 5 (2.5 %) | 6 (3.0 %) | 0 (0 %) | –",
      "Rejected, dangling and not allowed rows by rule, most frequent rule first",
      "unknown_user (a user who is absent or was left out) | dangling | swipes | 6 (3.0 %)",
      "bad_number (not a decimal number within ±1e100) | rejected | people | 5 (10.0 %)",
      "bad_time (the time is missing or unreadable) | rejected | swipes | 5 (2.5 %)",
    ]
    #expect(Array(lines[1...7]) == tables)
    #expect(
      lines[8]
        == "under_age (the user was younger than the minimum age at the time of the request) | not allowed | people | 5 (10.0 %)"
    )
    #expect(lines[9].hasPrefix("The file snapshot/rejects.csv of the run lists"))
    #expect(
      lines[10...] == [
        "Input files in the manifest of the snapshot", "people.csv | – | 1 200 | 121212121212…",
        "swipes.csv | 0 | 7 | cccccccccccc…",
      ])
  }

  @Test(arguments: ["rejected", "dangling", "not_allowed"])
  func `one row of any outcome gives the table of rules`(_ outcome: String) throws {
    var world = try RunByHand()
    world.sources = ["swipes": ["read": 100, "kept": 99, outcome: ["unknown_user": 1]]]
    let lines = try Section.data(world.run()).shown
    let words = outcome == "not_allowed" ? "not allowed" : outcome
    let row = "unknown_user (a user who is absent or was left out) | \(words) | swipes | 1 (1.0 %)"
    #expect(lines.count { $0 == row } == 1, "\(lines)")
  }

  @Test func `a source without rows has no shares`() throws {
    var world = try RunByHand()
    world.sources = ["swipes": ["read": 0, "kept": 0]]
    let lines = try Section.data(world.run()).shown
    #expect(
      lines == [
        "The exports contain no rows. Check that they are the right files.", "Rows by outcome",
        "swipes | 0 | 0 | 0 | 0 | 0 | –", "Input files in the manifest of the snapshot",
      ])
  }

  @Test func `each source with times has its own age`() throws {
    var world = try RunByHand()
    world.asOf = Instant(milliseconds: 10 * 86_400_000)
    world.sources = [
      "people": ["read": 3, "kept": 3, "newest": ["milliseconds": 0]],
      "swipes": ["read": 1, "kept": 1, "newest": ["milliseconds": 777_600_000]],
    ]
    let lines = try Section.data(world.run()).shown
    #expect(
      lines[4...6] == [
        "Age of the newest row of each source at the as-of time", "people | 10 days", "swipes | 1 day",
      ])
  }
}

/// All lines of the section about lists.
@Suite struct FunnelTextTests {
  @Test func `the funnel has its steps, its reasons and its pairs`() throws {
    var world = try RunByHand()
    world.lists = [
      "near": [
        "users": [
          "total": 100, "full_lists": 20, "empty_lists": 30,
          "shortfall": ["none_left": 30, "no_position": 30, "none_in_radius": 40],
        ],
        "candidates": [
          "counted_users": 40, "pairs": 200, "out_of_reach": 20, "excluded": ["self": 100, "friends": 8],
          "not_above_minimum": 5, "beyond_top": 25, "listed": 42,
        ],
      ]
    ]
    let section = try Section.funnel(world.run())
    let lines = section.shown
    #expect(
      lines.dropLast() == [
        "From all users to full lists of near", "all users | 100 | 100 %",
        "who see at least one candidate | 70 | 70.0 %", "with a full list of 10 | 20 | 20.0 %",
        "Why lists of near are short or empty", "no other candidate is within the radius | 40",
        "the user has no position, and the list has a radius | 30",
        "no other candidate is left, for example because the user has decided on all of them | 30",
        "Pairs of 40 users and candidates", "out of reach | 20 | 10.0 %", "owned by a friend | 8 | 4.0 %",
        "the user, or owned by the user | 100 | 50.0 %", "score not above the minimum | 5 | 2.5 %",
        "below the last place of a full list | 25 | 12.5 %", "on the list | 42 | 21.0 %",
      ])
    let figure = try #require(section.blocks.charts.first)
    #expect(figure.name == "funnel-near" && figure.data.fields == ["step", "users"])
    let rows: [[JSONValue]] = [
      [.string("all users"), .integer(100)], [.string("who see at least one candidate"), .integer(70)],
      [.string("with a full list of 10"), .integer(20)],
    ]
    #expect(figure.data.rows == rows)
    #expect(
      figure.description.shown
        == "One bar per step: all users 100, who see at least one candidate 70, with a full list of 10 20.")
    let chart = try #require(figure.chart as? RowChart)
    #expect(chart.contained == [100] && chart.title == nil)
    var bars: [String] = []
    for row in chart.rows {
      for mark in row.marks { if case .bar(let value, let text) = mark { bars.append("\(value) \(text)") } }
    }
    #expect(bars == ["100.0 100", "70.0 70", "20.0 20"])
  }

  @Test(
    arguments: [
      (
        "{ at_most: 3, at_least: 2 }", 8.0, 12 as Double?,
        "Limits on exposure: 4 candidates on as many lists as the ranking allows, and 1 candidate on fewer than 2 lists. "
          + "The total score of the lists is 66.7 % of the total without limits."
      ),
      ("{ at_most: 3 }", 9, 0, "Limits on exposure: 4 candidates on as many lists as the ranking allows."),
      (
        "{ at_least: 1 }", 12, 12,
        "Limits on exposure: 1 candidate on fewer than 1 list. "
          + "The total score of the lists is 100 % of the total without limits."
      ),
      ("", 8, nil, nil),
    ] as [(String, Double, Double?, String?)])
  func `the effect of limits on exposure has a sentence`(
    limits: String, value: Double, unlimited: Double?, sentence: String?
  ) throws {
    var world = try RunByHand()
    if !limits.isEmpty {
      world.yaml = world.yaml.replacing("exclude: [self] }", with: "exclude: [self], exposure: \(limits) }")
    }
    var counts = RunByHand.list(users: 100, full: 20, empty: 3).members
    if let unlimited {
      counts["exposure"] = [
        "at_ceiling": 4, "below_floor": 1, "value": .number(value),
        "value_without_limits": .number(unlimited),
      ]
    }
    world.lists = ["near": .object(counts)]
    #expect(try Section.funnel(world.run()).shown.first { $0.hasPrefix("Limits") } == sentence)
  }

  @Test func `lists by word count lists, and users with all lists full`() throws {
    func shown(_ per: String) throws -> (last: String, column: String) {
      var world = try RunByHand()
      world.yaml = world.yaml.replacing("exclude: [self] }", with: "exclude: [self]\(per) }")
      world.lists = ["near": RunByHand.list(users: 10, full: 5, empty: 1, shortfall: ["none_left": 12])]
      let section = try Section.funnel(world.run())
      var columns: [String] = []
      for block in section.blocks {
        if case .table(let table) = block { columns.append(table.columns[1].title) }
      }
      return (section.shown[3], columns.joined())
    }
    let (plain, each) = (try shown(""), try shown(", per: city"))
    #expect(plain.last == "with a full list of 10 | 5 | 50.0 %" && plain.column == "Users")
    #expect(each.last == "with all lists full | 5 | 50.0 %" && each.column == "Lists")
  }

  @Test func `catalogs and matches are counted by name, and a run may have no lists`() throws {
    let world = try RunByHand()
    let run = try world.run()
    let manifest = Manifest(
      tool: "nightjar 0", stage: "rankings", pipeline: run.name, configuration: run.snapshot.configuration,
      asOf: world.asOf, seed: 0,
      counts: ["catalogs": ["dogs": 1, "cities": 3], "matches": ["pairs": 2, "couples": 1]])
    try world.scratch.write(manifest.json, to: "rankings/manifest.json")
    let other = try ReportedRun(world.scratch.path, record: nil)
    #expect(
      Section.funnel(other).shown == [
        "This pipeline makes no lists for users.",
        "The run also wrote 3 entries in cities, 1 entry in dogs, 1 pair in couples, 2 pairs in pairs.",
      ])
    #expect(!Section.funnel(run).shown.contains { $0.hasPrefix("The run also wrote") })
  }
}

/// The counts of a run that several sections read.
@Suite struct RunCountsTests {
  @Test func `users without a model are counted by the ranking's own model`() throws {
    var world = try RunByHand()
    let models = ["taste", "trust"].map {
      "  \($0): { learns_from: swipes, features: [{ category: city }] }\n"
    }
    let rankings = ["near": "taste", "far": "trust"].sorted { $0.key < $1.key }.map { name, model in
      "  \(name): { users: people, candidates: people, top: 10, exclude: [self], model: \(model) }\n"
    }
    world.yaml = RunByHand.yaml(rankings: []).replacing(
      "rankings:\n", with: "models:\n" + models.joined() + "rankings:\n" + rankings.joined())
    let list = RunByHand.list(users: 100, full: 20, empty: 30)
    world.lists = ["near": list, "far": list]
    world.entities = ["people": ["positioned": 60, "without_position": 40]]
    world.models = ["by_name": ["taste": ["models": 70], "trust": ["models": 89]]]
    let run = try world.run()
    #expect(run.lists.map(\.ranking.name) == ["far", "near"])
    #expect(run.lists.map { FunnelSteps($0, run).withoutModel } == [11, 30])
    #expect(run.fit(ofModel: "taste")?["models"]?.integerValue == 70 && run.fit(ofModel: "none") == nil)
    #expect(run.fit(ofModel: nil) == nil)
  }

  @Test func `counts that a run lacks are zero`() throws {
    let run = try RunByHand().run()
    let list = ListCounts(ranking: run.pipeline.rankings[0], counts: [:])
    #expect(list.users == 0 && list.shareServed == 0 && list.shareFull == 0 && list.shortfalls.isEmpty)
    #expect(list.lost.map(\.rule) == ["out_of_reach", "not_above_minimum", "beyond_top"])
    #expect(list.lost.map(\.pairs) == [0, 0, 0] && list.allPairs == 0 && list.listedPairs == 0)
    let source = ReportedSource(name: "swipes", counts: [:])
    #expect(source.read == 0 && source.share(.rejected) == 0 && source.newest == nil)
    #expect(source.others.isEmpty && source.absentFields.isEmpty)
  }
}

/// The text of the section about quality.
@Suite struct QualitySectionTests {
  private static func lines(_ split: JSONValue, _ figures: JSONValue = Found.ranking()) throws -> [String] {
    var world = try RunByHand()
    world.split = split
    world.judged = ["near": figures]
    return try Section.quality(world.run()).shown
  }

  private static func learned(_ when: String) -> String {
    "The evaluation fitted models and made lists from the 900 swipes \(when). It compared both with the "
      + "100 later swipes. Each method ranks the same candidates for the same users."
  }

  @Test(
    arguments: [
      ([["cut_ms": 1_700_000_000_000]], [], "up to 2023-11-14 22:13 UTC"),
      ([["cut_ms": 1000], ["cut_ms": 2000]], [], "up to a cut in each of 2 groups"),
      ([], [], "up to a cut in each of 0 groups"),
      ([["cut_ms": 1000]], ["leave_last"], "without each user’s last interactions"),
    ] as [([JSONValue], [String], String)])
  func `the split is described with its counts`(_ groups: [JSONValue], _ leaks: [String], _ when: String)
    throws
  {
    let lines = try Self.lines([
      "interactions": "swipes", "learning": 900, "test": 100, "groups": .array(groups),
      "leaks": .array(leaks.map { .string($0) }),
    ])
    #expect(lines[0] == Self.learned(when))
  }

  @Test func `each leak has a sentence, in order`() throws {
    let leaks = [
      "later_profiles_as_exported", "profiles_without_updated", "groups_share_candidates", "leave_last",
      "moon",
    ]
    let lines = try Self.lines(["leaks": .array(leaks.map { .string($0) })])
    let starts = [
      "Profiles that changed after the cut", "Profiles have no update times", "Some learning interactions",
      "This split leaks the future", "The evaluation leaks the future: moon.",
    ]
    let shown = lines.suffix(5)
    for (line, start) in zip(shown, starts) { #expect(line.hasPrefix(start), "\(line)") }
    #expect(try !Self.lines([:]).contains { $0.contains("leaks") })
  }

  @Test func `each metric has its own number of users, its own chart and a conclusion`() throws {
    let figures = Found.ranking(
      area: Found.estimate(0.7, users: 40), gain: Found.estimate(0.3, users: 60),
      more: ["left_out": ["popular": "no likes", "createml": "it needs numbers"]])
    var world = try RunByHand()
    world.judged = ["near": figures]
    let section = try Section.quality(world.run())
    let lines = section.shown
    let paragraph: String =
      "nDCG@10 measures whether the candidates that users liked later were on their lists, and at which "
      + "rank. It is the mean over 60 users with a later like. AUC measures whether later likes have higher "
      + "scores than later passes; 0.5 is chance. It is the mean over 40 users with later likes and later "
      + "passes."
    #expect(lines[1] == paragraph)
    #expect(
      lines.contains {
        $0.hasPrefix(
          "In finding later likes: the pipeline is better than random order. In ordering likes before passes: "
            + "the pipeline is better than random order. A method counts")
      })
    #expect(section.blocks.charts.map(\.name) == ["ndcg-differences-near", "auc-differences-near"])
    let missing = lines.filter { $0.hasPrefix("The method ‘") }
    #expect(
      missing == [
        "The method ‘Create ML regression’ is missing: it needs numbers",
        "The method ‘most popular first’ is missing: no likes",
      ])
    #expect(
      lines.suffix(2) == [
        "random order | nDCG@10 | +0.200 | 0.001 | 0.50 | 50",
        "random order | AUC | +0.200 | 0.001 | 0.50 | 50",
      ])
  }

  @Test func `an evaluation without lists says so`() throws {
    var world = try RunByHand()
    world.judged = [:]
    let lines = try Section.quality(world.run()).shown
    #expect(lines.count == 2 && lines[1] == "No list of this pipeline could be evaluated.")
    #expect(try !Self.lines([:]).contains("No list of this pipeline could be evaluated."))
  }
}

/// The captions and charts of the comparison with other methods.
@Suite struct MethodChartTests {
  @Test(
    arguments: [
      (0.1...0.3, "the pipeline is better", .third), (-0.3...(-0.1), "the method is better", .second),
      (-0.1...0.3, "no significant difference", .sixth),
    ] as [(ClosedRange<Double>, String, ChartColor)])
  func `a chart has its numbers, its color and its legend`(
    _ interval: ClosedRange<Double>, _ result: String, _ color: ChartColor
  ) throws {
    let methods = MethodTable(
      Found.judged(Found.ranking(areaDifference: Found.estimate(0.2, interval))))
    let figure = methods.chart("auc")
    #expect(figure.name == "auc-differences-near")
    #expect(figure.title.shown == "near: AUC difference, pipeline minus each other method")
    #expect(
      figure.description.shown.hasSuffix(
        "By the declared tests, the pipeline is better than random order."))
    #expect(figure.data.fields == ["method", "difference", "low", "high", "result"])
    let row: [JSONValue] = [
      .string("random order"), .number(0.2), .number(interval.lowerBound), .number(interval.upperBound),
      .string(result),
    ]
    #expect(figure.data.rows == [row])
    let chart = try #require(figure.chart as? RowChart)
    #expect(chart.title == "difference of AUC" && chart.rows.map(\.name) == ["random order"])
    #expect(
      chart.legend.map(\.name) == [
        "the pipeline is better", "the method is better", "no significant difference",
      ])
    #expect(chart.legend.map(\.color) == [.third, .second, .sixth])
    #expect(chart.lines.map(\.value) == [0] && chart.lines.map(\.isDashed) == [false])
    var marks: [String] = []
    for mark in chart.rows[0].marks {
      if case .point(let value, let ends, let band, let shown) = mark {
        marks.append("\(value) \(ends?.low ?? 9) \(ends?.high ?? 9) \(band == nil) \(shown)")
      }
    }
    #expect(marks == ["0.2 \(interval.lowerBound) \(interval.upperBound) true \(color)"])
    #expect(figure.table.caption.shown == "near: AUC difference, pipeline minus the method")
    #expect(figure.table.columns.map(\.title) == ["Method", "Difference", "95 % interval"])
  }

  @Test func `intervals in the table are over clusters if there are enough clusters`() {
    let area = Found.estimate(0.55, 0.54...0.56, byCluster: 0.4...0.6)
    func table(_ clusters: Int) -> Table {
      MethodTable(Found.judged(Found.ranking(area: area, clusters: .integer(clusters)))).table
    }
    #expect(
      table(5).caption.shown.contains(
        "with 95 % bootstrap intervals, resampled by cluster (5 clusters of users who share candidates). "
          + "A difference is bold"))
    #expect(
      table(4).caption.shown.contains(
        "with 95 % bootstrap intervals, resampled by user. A difference is bold"))
    #expect(table(5).rows[0][3].shown == "0.550 (0.400 to 0.600)")
    #expect(table(4).rows[0][3].shown == "0.550 (0.540 to 0.560)")
    #expect(
      table(5).columns.map(\.title) == [
        "Method", "nDCG@10", "Difference in nDCG@10", "AUC", "Difference in AUC",
      ])
    #expect(table(5).rows[0][0].words.isStrong && !table(5).rows[1][0].words.isStrong)
    #expect(table(5).rows.map { $0[2].shown } == ["–", "*+0.200* (+0.100 to +0.300)"])
    #expect(table(4).rows.map { $0[1].shown } == ["0.300 (0.250 to 0.340)", "0.100 (0.050 to 0.140)"])
  }

  @Test func `a method that its short name does not describe has its title below`() {
    var figures = Found.ranking(tests: [Found.test("popular", "auc", difference: 0.2, p: 0.001)]).members
    var methods = figures["methods"]?.members ?? [:]
    let popular: JSONValue = ["title": "the most liked candidates", "finding": [:], "ordering": [:]]
    methods["popular"] = popular
    figures["methods"] = .object(methods)
    figures["method_order"] = .array(["pipeline", "popular", "random"])
    let rows = MethodTable(Found.judged(.object(figures))).table.rows
    #expect(rows[1][0].shown == "most popular first (the most liked candidates)")
    #expect(rows[0][0].below.plain == "" && rows[2][0].below.plain == "")
  }

  @Test func `every length has a table, the shortest first`() {
    let tables = MethodTable(Found.judged(Found.ranking())).everyMetric
    #expect(
      tables.map(\.caption.shown) == [
        "near, the first 3 places: means over 50 users", "near, the first 10 places: means over 50 users",
      ])
    #expect(tables.map { $0.columns.map(\.title) } == [["Method", "nDCG"], ["Method", "nDCG"]])
    #expect(tables[0].shown == ["this pipeline | 0.300", "random order | 0.100"])
  }
}
