internal import RunSchemas
import Testing
import Text

@testable import Reports

/// The caveats of a report. The tests use the exact thresholds.
@Suite struct CaveatsTests {
  /// Returns the caveats that contain `words`.
  private static func caveats(
    _ words: String, _ figures: JSONValue = Found.ranking(), _ change: (inout RunByHand) -> Void = { _ in }
  ) throws -> [String] {
    var world = try RunByHand()
    world.judged = ["near": figures]
    change(&world)
    return try (Section.caveats(world.run())?.shown ?? []).filter { $0.contains(words) }
  }

  private static func figures(_ more: [String: JSONValue]) -> JSONValue { Found.ranking(more: more) }

  @Test(arguments: [(0, false), (1, true), (99, true), (100, false)])
  func `shares of fewer than a hundred users are coarse`(_ users: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats("so its shares are coarse") {
      $0.lists = ["near": RunByHand.list(users: users, full: 0, empty: 0)]
    }
    #expect(reported.isEmpty == !isReported)
  }

  @Test(arguments: [(9, "fewer than 10"), (10, "10"), (99, "99"), (100, nil)] as [(Int, String?)])
  func `an AUC over fewer than a hundred users gets a caveat`(_ users: Int, _ count: String?) throws {
    let reported = try Self.caveats(
      "Few users determine", Found.ranking(area: Found.estimate(0.7, users: users, 0.69...0.71)))
    #expect(
      reported == (count.map { ["Few users determine the AUC of near: \($0)."] } ?? []))
  }

  @Test(arguments: [(0.5, 0.59, 10, false), (0.5, 0.61, 10, true), (0.5, 0.61, 9, false)])
  func `an interval wider than a tenth is reported as wide`(
    _ low: Double, _ high: Double, _ users: Int, _ isReported: Bool
  ) throws {
    let reported = try Self.caveats(
      "wide interval", Found.ranking(area: Found.estimate(0.55, users: users, low...high)))
    #expect(reported.isEmpty == !isReported)
  }

  /// If there are enough clusters, the interval by clusters decides.
  @Test func `the interval by clusters counts if there is one`() throws {
    let area = Found.estimate(0.55, 0.54...0.56, byCluster: 0.4...0.6)
    #expect(try Self.caveats("wide interval", Found.ranking(area: area, clusters: 5)).count == 1)
    #expect(try Self.caveats("wide interval", Found.ranking(area: area, clusters: 4)).isEmpty)
  }

  @Test(arguments: [(4, true), (5, false)])
  func `fewer than five clusters leave intervals too narrow`(_ clusters: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats("treat users as independent", Found.ranking(clusters: .integer(clusters)))
    #expect(reported.isEmpty == !isReported)
  }

  @Test(arguments: [(100, false), (90, false), (89, true), (0, true)])
  func `more than a tenth of likes out of reach is reported`(_ reachable: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats(
      "No list could have contained them",
      Self.figures(["decisions": ["likes": 100], "users": ["reachable_likes": .integer(reachable)]]))
    #expect(reported.isEmpty == !isReported)
    if let reported = reported.first {
      #expect(reported.hasPrefix("\(reachable == 0 ? "100 %" : "11.0 %") of later likes in near"))
    }
  }

  @Test(arguments: [(0, false), (10, false), (11, true)])
  func `more than a tenth of users without a list is reported`(_ without: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats(
      "had an empty list",
      Self.figures(["users": ["with_likes": 100, "with_likes_without_list": .integer(without)]]))
    #expect(reported.isEmpty == !isReported)
  }

  @Test(
    arguments: ["of_later_users", "with_later_candidates", "decided_before", "not_the_latest", "taken_back"])
  func `more than a tenth of later interactions that do not count is reported`(_ key: String) throws {
    func reported(_ lost: Int) throws -> Bool {
      try !Self.caveats(
        "do not count for near",
        Self.figures(["decisions": ["interactions": 100, key: .integer(lost)]])
      ).isEmpty
    }
    // A retracted row does not count as a lost decision.
    #expect(try !reported(10) && reported(11) == (key != "taken_back"))
  }

  @Test(arguments: [
    (10, "unknown", nil), (11, "unknown", "treats their values as missing."),
    (11, "as_exported", "uses their current values."),
  ])
  func `more than a tenth of unknown profiles is reported`(
    _ unknown: Int, _ setting: String, _ ending: String?
  ) throws {
    let reported = try Self.caveats("changed after the cut") {
      $0.split = [
        "entities": ["people": ["as_of_cut": 100, "unknown_profile": .integer(unknown)]],
        "later_profiles": .string(setting),
      ]
    }
    #expect(reported.isEmpty == (ending == nil))
    if let reported = reported.first, let ending {
      #expect(reported.hasPrefix("11.0 % of people") && reported.hasSuffix("The evaluation " + ending))
    }
  }

  @Test func `the caveat about the past needs enough users`() throws {
    #expect(try Self.caveats("An evaluation uses the past").count == 1)
    #expect(try Self.caveats("An evaluation uses the past", Found.ranking(verdict: "too_few_users")).isEmpty)
  }

  @Test func `only a readable earlier run has a table of changes`() throws {
    let run = try RunByHand().run()
    #expect([.none, .unreadable(7)].allSatisfy { Section.changes(run, since: $0) == nil })
    let shown = try #require(Section.changes(run, since: .read(run))).shown
    #expect(shown.contains { $0.hasPrefix("swipes kept | ") })
  }

  @Test func `without an evaluation, one section explains how to evaluate`() throws {
    let run = try RunByHand().run()
    let sections = [
      Section.quality(run), Section.slices(run), Section.calibration(run), Section.exposure(run),
    ]
    #expect(sections.compactMap { $0?.id } == ["headline"])
  }
}

/// The verdict about calibration. The tests use the exact thresholds.
@Suite struct ReportedCalibrationTests {
  private static func calibration(
    slope: Double? = 1, brier: Double = 0.2, base: Double = 0.25, bins: [Int] = [10, 9]
  ) -> JSONValue {
    [
      "decisions": 30, "brier": .number(brier), "brier_of_base_rate": .number(base),
      "slope": slope.map { .number($0) } ?? .null, "intercept": .number(0.1),
      "bins": .array(
        bins.map { ["decisions": .integer($0), "mean_prediction": .number(0.5), "liked": .number(0.25)] }),
    ]
  }

  private static func own(_ calibration: JSONValue) throws -> MethodCalibration {
    try #require(MethodCalibration(Found.judged(Found.ranking(calibration: calibration)), "pipeline"))
  }

  @Test(
    arguments: [
      (0.79, false, "overconfident"), (0.8, true, "vary about equally"), (1.25, true, "vary about equally"),
      (1.26, false, "underconfident"),
    ])
  func `a slope is right from 0.8 to 1.25`(_ slope: Double, _ isRight: Bool, _ words: String) throws {
    let own = try Self.own(Self.calibration(slope: slope))
    #expect(own.isCalibrated == isRight && own.conclusion.shown.contains(words))
  }

  @Test(arguments: [(0.25, false), (0.2501, true), (0.24, false)])
  func `an error above the base rate's error is worse`(_ brier: Double, _ isWorse: Bool) throws {
    let own = try Self.own(Self.calibration(brier: brier))
    #expect(own.isWorseThanBaseRate == isWorse)
    #expect(own.conclusion.shown.contains("worse than predicting the base rate") == isWorse)
  }

  @Test func `a bin of fewer than ten decisions is not shown`() throws {
    #expect(try Self.own(Self.calibration(bins: [9, 10, 11])).bins.map(\.decisions) == [10, 11])
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(calibration: Self.calibration(bins: [9, 9]))]
    #expect(
      try (Section.calibration(world.run())?.shown ?? ["none"]).allSatisfy {
        $0.hasPrefix("This ranking has no calibration")
      })
    world.judged = ["near": Found.ranking(calibration: Self.calibration())]
    let section = try #require(Section.calibration(world.run()))
    #expect(section.shown.contains("this pipeline | 50.0 % | 25.0 % | 10"))
    #expect(section.blocks.charts.count == 1)
  }

  @Test func `without a slope there is no judgment and no warning`() throws {
    let own = try Self.own(Self.calibration(slope: nil))
    #expect(
      own.isCalibrated
        && own.conclusion.shown
          == "The calibration cannot be measured, for example because all predictions are equal."
    )
  }

  @Test(arguments: [(1, 0.2, false), (0.5, 0.2, true), (1, 0.3, true)])
  func `wrong predictions are a caveat`(_ slope: Double, _ brier: Double, _ isReported: Bool) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(calibration: Self.calibration(slope: slope, brier: brier))
    ]
    #expect(
      try (Section.caveats(world.run())?.shown ?? []).contains {
        $0.hasPrefix("The scores of near are not probabilities")
      } == isReported)
  }
}

/// The table that compares the pipeline with other methods.
@Suite struct MethodTableTests {
  @Test func `the longest length is the largest number`() {
    #expect(MethodTable(Found.judged(Found.ranking())).finding == "ndcg@10")
  }

  @Test(arguments: [(9, "–"), (10, "0.700 (0.650 to 0.740)")])
  func `a mean of fewer than ten users is not shown`(_ users: Int, _ shown: String) {
    let table = MethodTable(
      Found.judged(Found.ranking(area: Found.estimate(0.7, users: users, 0.65...0.74)))
    ).table
    #expect(table.rows[0].map(\.shown)[3] == shown)
  }

  @Test(
    arguments: [
      (9, 0.1...0.3, "–"), (10, 0.1...0.3, "*+0.200* (+0.100 to +0.300)"),
      (10, 0.0...0.4, "+0.200 (0.000 to +0.400)"), (10, -0.4...(-0.1), "*+0.200* (-0.400 to -0.100)"),
      (10, -0.4...0.0, "+0.200 (-0.400 to 0.000)"),
    ] as [(Int, ClosedRange<Double>, String)])
  func `a difference is highlighted if its interval excludes 0`(
    _ users: Int, _ interval: ClosedRange<Double>, _ shown: String
  ) {
    let methods = MethodTable(
      Found.judged(Found.ranking(areaDifference: Found.estimate(0.2, users: users, interval))))
    #expect(methods.table.rows[1].map(\.shown)[4] == shown)
    #expect(methods.chart("auc").data.rows.count == (users < 10 ? 0 : 1))
    #expect(methods.chart("auc").table.rows.count == (users < 10 ? 0 : 1))
  }

  @Test(
    arguments: [
      (0.1...0.3, "the pipeline is better"), (0.0...0.3, "no significant difference"),
      (-0.3...0.0, "no significant difference"),
      (-0.3...(-0.1), "the method is better"),
    ] as [(ClosedRange<Double>, String)])
  func `a chart shows a winner if an interval is on one side of 0`(
    _ interval: ClosedRange<Double>, _ reported: String
  ) {
    let methods = MethodTable(
      Found.judged(Found.ranking(areaDifference: Found.estimate(0.2, interval))))
    #expect(methods.chart("auc").data.rows[0][4] == .string(reported))
  }

  /// Nearest first is the order of the pipeline itself, so no test compares the two.
  @Test func `a method that equals the pipeline has no difference`() {
    var figures = Found.ranking().members
    figures["method_order"] = .array(["pipeline", "nearest", "random"])
    figures["differences"] = ["random": ["auc": Found.estimate(0.2, 0.1...0.3)]]
    let rows = MethodTable(Found.judged(.object(figures))).table.rows
    #expect(rows.map { $0.map(\.shown)[4] } == ["–", "same as the pipeline", "*+0.200* (+0.100 to +0.300)"])
  }

  @Test func `tests and metrics of fewer than ten users are not shown`() {
    func methods(_ users: Int) -> MethodTable {
      MethodTable(
        Found.judged(
          Found.ranking(
            otherGain: Found.estimate(0.1, users: users),
            tests: [Found.test("random", "auc", difference: 0.2, p: 0.0004, users: users)])))
    }
    #expect(methods(9).tests.rows.isEmpty)
    #expect(methods(10).tests.shown == ["random order | AUC | +0.200 | < 0.001 | 0.50 | 10"])
    #expect(methods(9).everyMetric.map { $0.shown[1] } == ["random order | –", "random order | –"])
    #expect(methods(10).everyMetric.map { $0.shown[1] } == ["random order | 0.100", "random order | 0.100"])
  }

  @Test func `tests are described in words by their sign`() {
    let tests = [
      Found.test("random", "auc", difference: 0.2, p: 0.01),
      Found.test("nearest", "auc", difference: -0.2, p: 0.01),
      Found.test("like_rate", "auc", difference: -0.2, p: 0.5),
    ]
    let methods = MethodTable(Found.judged(Found.ranking(tests: tests)))
    #expect(
      methods.conclusion("auc").shown
        == "the pipeline is better than random order; worse than nearest first; not significantly different from highest share of likes first."
    )
    #expect(methods.conclusion("ndcg@10").shown == "no other method was evaluated.")
  }

  @Test(arguments: [(9, 9, false), (10, 9, true), (9, 10, true)])
  func `fewer than ten users have no section`(_ finders: Int, _ orderers: Int, _ isReported: Bool) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(
        area: Found.estimate(0.7, users: orderers), gain: Found.estimate(0.3, users: finders))
    ]
    let lines = try Section.quality(world.run()).shown
    #expect(lines.contains { $0.hasPrefix("Fewer than 10 users liked a candidate") } == !isReported)
    #expect(lines.contains { $0.hasPrefix("random order | ") } == isReported)
  }
}

/// The table of user groups. Small groups and figures of few users are hidden.
@Suite struct ReportedSlicingTests {
  private static func slice(_ name: String, _ users: Int, area: JSONValue) -> JSONValue {
    [
      "slice": .string(name), "users": .integer(users), "auc": area,
      "ndcg@10": Found.estimate(0.3, users: 50),
    ]
  }

  private static func lines(_ slices: [JSONValue], name: String = "city", tests: [JSONValue] = []) throws
    -> [String]
  {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(tests: tests, more: ["slices": [name: .array(slices)]])
    ]
    return try #require(Section.slices(world.run())).shown
  }

  @Test func `a group of nine is left out, and reported as such`() throws {
    let area = Found.estimate(0.6, users: 50, 0.5...0.7)
    let lines = try Self.lists(area)
    #expect(lines.contains("Galway | 10 | 0.300 | 0.600 (0.500 to 0.700)"))
    #expect(!lines.contains { $0.hasPrefix("Cork") || $0.hasPrefix("Sligo") })
    // An empty group does not count as omitted.
    #expect(lines.contains("This table omits 1 group with fewer than 10 users."))
  }

  private static func lists(_ area: JSONValue) throws -> [String] {
    try lines([
      slice("Cork", 9, area: area), slice("Galway", 10, area: area), slice("Sligo", 0, area: area),
    ])
  }

  @Test(arguments: [(9, "–", 0), (10, "0.600 (0.500 to 0.700)", 1)])
  func `a figure that fewer than ten people of a group have is not shown`(
    _ users: Int, _ shown: String, _ points: Int
  ) throws {
    let figures = Self.slice("Galway", 30, area: Found.estimate(0.6, users: users, 0.5...0.7))
    #expect(try Self.lines([figures]).contains("Galway | 30 | 0.300 | \(shown)"))
    let slicing = ReportedSlicing.all(
      of: Found.judged(Found.ranking(more: ["slices": ["city": .array([figures])]])))
    #expect(slicing.flatMap(\.blocks.charts).map(\.data.rows.count) == [points])
  }

  @Test func `a division with only small groups is not shown`() throws {
    let lines = try Self.lines([Self.slice("Cork", 9, area: Found.estimate(0.6, users: 9))])
    #expect(lines.contains("Every group is too small to show.") && !lines.contains { $0.contains("omits") })
  }

  @Test(
    arguments: [
      (0.1...0.3, "*+0.200* (+0.100 to +0.300)"), (0.0...0.4, "+0.200 (0.000 to +0.400)"),
    ] as [(ClosedRange<Double>, String)])
  func `significant differences are highlighted`(_ interval: ClosedRange<Double>, _ shown: String) throws {
    let figures = Self.slice("Galway", 30, area: Found.estimate(0.6, users: 30, 0.5...0.7)).members.merging([
      "auc_less_createml": Found.estimate(0.2, users: 30, interval)
    ]) { $1 }
    let lines = try Self.lines(
      [.object(figures)], tests: [Found.test("createml", "auc", difference: 0.2, p: 0.01)])
    #expect(lines.contains("Galway | 30 | 0.300 | 0.600 (0.500 to 0.700) | \(shown)"))
  }

  @Test(
    arguments: [
      ("learning_interactions", "By number of earlier interactions"),
      ("candidates_in_reach", "By number of candidates within reach"), ("account", "By age of the account"),
      ("city", "By city"),
    ])
  func `a division has a title and a caption`(_ name: String, _ title: String) throws {
    let slices: JSONValue = .array([Self.slice("Galway", 30, area: Found.estimate(0.6))])
    let slicings = ReportedSlicing.all(of: Found.judged(Found.ranking(more: ["slices": [name: slices]])))
    let figure = try #require(slicings.first?.blocks.charts.first)
    #expect(figure.title.shown == title)
    #expect(
      figure.table.caption.shown == "near, \(name): means with 95 % bootstrap intervals, resampled by user")
  }

  @Test func `common divisions precede a product's own words`() throws {
    let slices: JSONValue = .array([Self.slice("1-4", 20, area: Found.estimate(0.6))])
    let all = ReportedSlicing.all(
      of: Found.judged(
        Found.ranking(more: [
          "slices": [
            "age": slices, "account": slices, "candidates_in_reach": slices, "learning_interactions": slices,
          ]
        ])))
    #expect(all.map(\.name) == ["learning_interactions", "candidates_in_reach", "account", "age"])
    // A range of numbers has an en dash, and a word keeps its hyphen.
    #expect(all[0].blocks[0].shown[1].hasPrefix("1–4") && all[3].blocks[0].shown[1].hasPrefix("1-4"))
  }
}

/// Sections with a heading per ranking.
@Suite struct RankingHeadingTests {
  private static func sections(_ names: [String]) throws -> [Section] {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: names)
    let list = RunByHand.list(users: 100, full: 80, empty: 0)
    world.lists = .object(Dictionary(uniqueKeysWithValues: names.map { ($0, list) }))
    world.judged = .object(Dictionary(uniqueKeysWithValues: names.map { ($0, Found.ranking()) }))
    let run = try world.run()
    return [.quality(run), .slices(run), .exposure(run), .calibration(run)].compactMap(\.self)
  }

  @Test func `several rankings have a heading each, and a single ranking has none`() throws {
    func headings(_ section: Section) -> [String] {
      section.blocks.compactMap { if case .heading(let words) = $0 { words.shown } else { nil } }
    }
    #expect(try Self.sections(["near"]).map(headings) == Array(repeating: [], count: 4))
    #expect(
      try Self.sections(["near", "far"]).map { headings($0).sorted() }
        == Array(repeating: ["far", "near"], count: 4))
  }
}

/// How the exposure is distributed over candidates.
@Suite struct ExposureSectionTests {
  private static func lists(candidates: Int, pairs: Int = 0, lorenz: Int = 21) -> JSONValue {
    [
      "candidates": .integer(candidates), "coverage": .number(0.5), "never_shown": 5, "gini": .number(0.25),
      "listed_both_ways": .number(0.125),
      "lorenz": .array((0..<lorenz).map { .number(Double($0 * $0) / 400) }),
      "distance_km": ["median": .number(3.6)],
      "later_matches": [
        "pairs": .integer(pairs), "on_one_list": .integer(pairs), "on_both_lists": 0,
      ],
    ]
  }

  private static func lines(_ lists: JSONValue) throws -> [String] {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(lists: lists)]
    return try #require(Section.exposure(world.run())).shown
  }

  @Test(arguments: [(9, false), (10, true)])
  func `fewer than ten candidates have no section`(_ candidates: Int, _ isReported: Bool) throws {
    let lines = try Self.lines(Self.lists(candidates: candidates))
    #expect((lines == ["There are too few candidates to measure exposure."]) == !isReported)
  }

  @Test(arguments: [(9, "fewer than 10"), (10, "10"), (0, "0")])
  func `few later pairs are not counted exactly`(_ pairs: Int, _ shown: String) throws {
    let lines = try Self.lines(Self.lists(candidates: 20, pairs: pairs))
    #expect(lines.contains("random order | 12.5 % | \(shown) | \(shown) | 0"))
  }

  private static func groups(_ candidates: Int, _ likes: Int) -> JSONValue {
    func group(_ name: String, _ candidates: Int, _ likes: Int) -> JSONValue {
      [
        "group": .string(name), "candidates": .integer(candidates), "later_likes": .integer(likes),
        "share_of_later_likes": .number(0.5),
        "share_of_exposure": ["pipeline": .number(0.25), "random": .number(0.5)],
      ]
    }
    return [
      "received_likes": .array([group("1-4", 50, 50), group("20+", candidates, likes), group("0", 60, 70)])
    ]
  }

  @Test(arguments: [(10, 10, true), (9, 10, false), (10, 9, false)])
  func `a group of candidates needs ten candidates and ten later likes`(
    _ candidates: Int, _ likes: Int, _ isReported: Bool
  ) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(
        lists: Self.lists(candidates: 200), more: ["candidate_groups": Self.groups(candidates, likes)])
    ]
    let lines = try #require(Section.exposure(world.run())).shown
    #expect(lines.contains("likes received before the cut: 1–4 | 50 | 50.0 % | 25.0 %"), "\(lines)")
    #expect(lines.contains("likes received before the cut: 20+ | 10 | 50.0 % | 25.0 %") == isReported)
  }

  @Test func `the top twentieth is reported in relation to the others`() throws {
    let lines = try Self.lines(Self.lists(candidates: 20))
    // The least shown nineteen twentieths of the candidates have 19² / 400 of the exposure.
    #expect(lines.contains("random order | 50.0 % | 5 | 0.250 | 9.8 % | 4 km"), "\(lines)")
    #expect(
      lines[0]
        == "50.0 % of 20 candidates are on at least one list; the 5 % with the most exposure have 9.8 % of all exposure; 12.5 % of all entries are reciprocal."
    )
    #expect(lines.contains("the lower 10.0 % | 1.0 % | 1.0 %"))
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(lists: Self.lists(candidates: 20))]
    let rows = try #require(Section.exposure(world.run())?.blocks.charts.first).data.rows
    // Each method has a point per twentieth.
    #expect(rows.count == 2 * 21 && rows[1][1] == .number(0.05) && rows[20][1] == .number(1))
    let short = try Self.lines(Self.lists(candidates: 20, lorenz: 20))
    #expect(short.contains("random order | 50.0 % | 5 | 0.250 | – | 4 km"))
  }
}

/// The number of users at each step of the funnel.
@Suite struct FunnelSectionTests {
  private static func run(_ change: (inout RunByHand) -> Void) throws -> ReportedRun {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: []).replacing(
      "rankings:\n",
      with: """
        model: { learns_from: swipes, features: [{ category: city }] }
        rankings:
          near: { users: people, candidates: people, top: 10, within_km: 50, exclude: [self] }

        """)
    world.lists = ["near": RunByHand.list(users: 100, full: 20, empty: 30)]
    world.entities = ["people": ["positioned": 90, "without_position": 10]]
    world.models = ["method": "createml", "models": 60]
    change(&world)
    return try world.run()
  }

  private static func steps(_ change: (inout RunByHand) -> Void) throws -> [String] {
    let run = try run(change)
    return FunnelSteps(run.lists[0], run).table.shown
  }

  @Test func `the steps lead from all users to full lists`() throws {
    #expect(
      try Self.steps { _ in } == [
        "all users | 100 | 100 %", "with a position | 90 | 90.0 %",
        "who see at least one candidate | 70 | 70.0 %", "with a full list of 10 | 20 | 20.0 %",
      ])
  }

  @Test func `for a list of some users, counts of all users are left out`() throws {
    let some = try Self.steps { $0.entities = ["people": ["positioned": 90, "without_position": 11]] }
    #expect(some.count == 3 && some[1] == "who see at least one candidate | 70 | 70.0 %")
  }

  /// The sentence about users without a model; `nil` if there is none.
  private static func sentence(_ change: (inout RunByHand) -> Void) throws -> String? {
    try Section.funnel(run(change)).shown.first { $0.contains("have no model") }
  }

  @Test func `users without a model are counted, because their lists are ordered by distance`() throws {
    #expect(
      try Self.sentence { _ in }
        == "40 of these users have no model. Their lists show the nearest candidates first.")
    #expect(
      try Self.sentence { $0.models = ["method": "createml", "models": 95] }?.hasPrefix("fewer than 10 of")
        == true)
    #expect(try Self.sentence { $0.models = ["method": "createml", "models": 100] } == nil)
    #expect(try Self.sentence { $0.models = nil } == nil)
    #expect(
      try Self.sentence { $0.entities = ["people": ["positioned": 90, "without_position": 11]] } == nil)
  }

  @Test func `rankings with the same model and users share one sentence`() throws {
    let run = try Self.run { world in
      world.yaml += "  far: { users: people, candidates: people, top: 5, within_km: 90, exclude: [self] }\n"
      world.lists = [
        "near": RunByHand.list(users: 100, full: 20, empty: 30),
        "far": RunByHand.list(users: 100, full: 20, empty: 0),
      ]
    }
    let sentences = Section.funnel(run).shown.filter { $0.contains("have no model") }
    #expect(sentences.count == 1)
    let names = run.lists.map(\.ranking.name).joined(separator: " and ")
    #expect(
      sentences[0]
        == "40 of these users have no model. Their lists of \(names) show the nearest candidates first.")
  }

  @Test func `small numbers of short lists are not exact`() throws {
    var world = try RunByHand()
    world.lists = [
      "near": RunByHand.list(
        users: 100, full: 20, empty: 30, shortfall: ["none_left": 9, "none_in_radius": 10])
    ]
    let lines = try Section.funnel(world.run()).shown
    #expect(lines.contains("no other candidate is within the radius | 10"))
    #expect(
      lines.contains(
        "no other candidate is left, for example because the user has decided on all of them | fewer than 10")
    )
    #expect(lines.contains("out of reach | 20 | 10.0 %") && lines.contains("on the list | 50 | 25.0 %"))
    #expect(lines.contains("below the last place of a full list | 25 | 12.5 %"))
  }
}
