import Files
import PipelineFile
import RunSchemas
import Testing
import Text

@testable import Evaluation

/// Compares the files of an evaluation byte by byte.
@Suite struct OutputTests {
  /// Three users: the first likes and passes, the second passes, and the third does nothing.
  static let decisions = ByHand.decisions([[(0, true), (2, false)], [(1, false)], []])

  static func evaluation(
    slicings: [Slicing] = [], groupExposures: [GroupExposure] = [],
    metrics: [Metric] = [Metric(kind: .precision, k: 2), Metric(kind: .ndcg, k: 2)],
    decisions: LaterDecisions = Self.decisions
  ) throws -> RankingEvaluation {
    let ranking = try ByHand.ranking()
    let outcomes = [
      MethodOutcome(
        .pipeline,
        GivenRanker(
          given: [[2, 0], [], [1]], distance: { _, candidate in 2 * Double(candidate) },
          score: { _, candidate in (Double(candidate), candidate == 2 ? 1 : -1) }),
        decisions, scale: ProbabilityScale(pass: -1, like: 1), threads: 1),
      MethodOutcome(
        .random, GivenRanker(given: [[0], [0], []], score: { _, candidate in (-Double(candidate), nil) }),
        decisions, scale: nil, threads: 1),
    ]
    let tasks = JudgedTasks(
      decisions: decisions, outcomes: outcomes, clusterOfUser: nil, samples: 10, seed: 1)
    let areas = tasks.areas
    return RankingEvaluation(
      ranking: ranking, methods: outcomes.map(\.method), isPipelinesOwn: [false, false], metrics: metrics,
      decisions: decisions, outcomes: outcomes, finding: tasks.finding(metrics),
      ordering: tasks.ordering(areas), matching: nil, areas: areas,
      profiles: outcomes.map {
        ListProfile(
          $0.lists, isCandidate: [true, true, true], decidedOnBy: [0, 0, 0], isOneKind: true)
      }, calibrations: RankingEvaluation.calibrations(of: outcomes, decisions), slicings: slicings,
      groupExposures: groupExposures,
      matches: LaterMatches(pairs: [[0, 1], [0, 2]], isMatch: [true, nil, false]),
      users: RankingEvaluation.Users(
        asOfCut: 3, withDecisions: 2, withLikes: 11, withLikesWithoutList: 12, withBoth: 13,
        reachableLikes: 14),
      leftOut: [.everybody: "too wide"], fitted: nil, clusters: nil)
  }

  @Test func `per_user.csv has a row per method of each user who decided later`() throws {
    let slicing = Slicing(name: "account", slices: ["new", "old"], sliceOfRow: [1, nil, 0])
    let metrics = [Metric(kind: .precision, k: 2), Metric(kind: .ndcg, k: 2)]
    var text = CSVText()
    text.append(header: PerUserText.header(metrics, slicings: ["city", "account"]))
    let rows = PerUserText(
      evaluation: try Self.evaluation(slicings: [slicing]), userIDs: try ByHand.strings(["a", "b", "c"]),
      slicings: ["city", "account"]
    ).rows(to: &text)
    // The like has rank 2 of 2, so its gain is 1 / log2(3).
    let second = (1 / 1.584962500721156).description
    #expect(rows == 4)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == """
        ranking,method,user_id,listed,likes,passes,precision@2,ndcg@2,auc,city,account
        near,pipeline,a,2,1,1,0.5,\(second),0.0,,old
        near,random,a,1,1,1,0.5,1.0,1.0,,old
        near,pipeline,b,0,0,1,,,,,
        near,random,b,1,0,1,,,,,

        """)
  }

  /// Other rankings can have methods that this ranking lacks.
  @Test func `scores.csv has a row per later decision, and an empty column for a missing method`() throws {
    let text = ScoresText(
      evaluation: try Self.evaluation(), userIDs: try ByHand.strings(["a", "b", "c"]),
      candidateIDs: try ByHand.strings(["x", "y", "z"]), methods: [.pipeline, .trending, .random])
    #expect(ScoresText.header(text.methods).suffix(3) == ["pipeline", "trending", "random"])
    var rows = ""
    try text.forEachPart { (part) throws(FileError) in rows += String(decoding: part.bytes, as: UTF8.self) }
    #expect(rows == "near,a,x,1,1,0.0,,-0.0\nnear,a,z,0,,2.0,,-2.0\nnear,b,y,0,0,1.0,,-1.0\n")
    #expect(text.rowCount == 3)
  }

  @Test func `the scores of many users are written in parts, in the order of users`() throws {
    let deciding = [0, 4095, 4096, 4097]
    var later: [[(candidate: UInt32, isLike: Bool)]] = Array(repeating: [], count: 4098)
    for user in deciding { later[user] = [(candidate: 0, isLike: user % 2 == 0)] }
    let text = ScoresText(
      evaluation: try ByHand.evaluation([.pipeline], areas: [[0.5]], later: later),
      userIDs: try ByHand.strings((0..<4098).map { "u\($0)" }), candidateIDs: try ByHand.strings(["x"]),
      methods: [.pipeline])
    var parts: [String] = []
    try text.forEachPart { (part) throws(FileError) in
      parts.append(String(decoding: part.bytes, as: UTF8.self))
    }
    #expect(
      parts == [
        "near,u0,x,1,,0.0\nnear,u4095,x,0,,0.0\n", "near,u4096,x,1,,0.0\nnear,u4097,x,0,,0.0\n",
      ])
    #expect(text.rowCount == 4)
  }

  @Test func `lists, scores and probabilities of many users are in the order of users`() {
    let users = 600
    let deciding = (0..<users).filter { $0 % 3 != 0 }
    let decisions = ByHand.decisions(
      (0..<users).map { user -> [(candidate: UInt32, isLike: Bool)] in
        user % 3 == 0 ? [] : [(candidate: UInt32(user % 5), isLike: true), (candidate: 7, isLike: false)]
      })
    let outcome = MethodOutcome(
      .pipeline,
      GivenRanker(
        given: (0..<users).map { [$0 % 4] }, inReach: Array(0..<users),
        score: { user, candidate in (Double(10 * user + candidate), candidate == 7 ? nil : 1.0) }), decisions,
      scale: ProbabilityScale(pass: -1, like: 1), threads: 2)
    var scores: [Double] = []
    for user in deciding { scores += [Double(10 * user + user % 5), Double(10 * user + 7)] }
    #expect(outcome.scores == scores)
    let probabilities: [Double] = outcome.probabilities.map { $0.isNaN ? -1 : $0 }
    let expected: [Double] = deciding.flatMap { _ in [1.0, -1.0] }
    #expect(probabilities == expected)
    #expect(outcome.inReach == Array(0..<users) && outcome.lists.userCount == users)
    #expect(outcome.lists.candidates == (0..<users).map { UInt32($0 % 4) })
    let renamed = outcome.renamed(.createml)
    #expect(renamed.method == .createml && outcome.method == .pipeline)
    #expect(renamed.scores == outcome.scores && renamed.lists.candidates == outcome.lists.candidates)
  }

  @Test func `TREC scores count ranks from the end, and qrels cover users with a later like`() throws {
    let evaluation = try Self.evaluation()
    let (users, candidates) = (try ByHand.strings(["a b", "b", "c"]), try ByHand.strings(["x", "y%", "z"]))
    let run = TrecText.run(
      evaluation.outcomes[0].lists, tag: "pipeline", users: users, candidates: candidates)
    #expect(
      String(decoding: run, as: UTF8.self) == """
        a%20b Q0 z 1 2 pipeline
        a%20b Q0 x 2 1 pipeline
        c Q0 y%25 1 1 pipeline

        """)
    let qrels = TrecText.qrels(
      evaluation.decisions, of: evaluation.finding.users, users: users, candidates: candidates)
    #expect(String(decoding: qrels, as: UTF8.self) == "a%20b 0 x 1\na%20b 0 z 0\n")
  }

  @Test(
    arguments: [
      (" ", "%20"), ("!", "!"), ("~", "~"), ("\u{7F}", "%7F"), ("%", "%25"), ("ä", "%C3%A4"), ("", ""),
    ])
  func `ids in TREC files are visible ASCII`(_ id: String, _ encoded: String) {
    #expect(String(decoding: TrecText.encoded(Array(id.utf8).span), as: UTF8.self) == encoded)
  }

  @Test func `metrics.json has each figure under its own key`() throws {
    let evaluation = try Self.evaluation()
    let declared = DeclaredTests(evaluation)
    let json = evaluation.json(declared, .tooFewUsers)
    #expect(json["list_length"] == 3 && json["verdict"] == "too_few_users" && json["clusters"] == .null)
    #expect(
      json["users"] == [
        "as_of_cut": 3, "with_decisions": 2, "with_likes": 11, "with_likes_without_list": 12,
        "with_likes_and_passes": 13, "reachable_likes": 14,
      ])
    #expect(json["method_order"] == .array(["pipeline", "random"]))
    #expect(json["left_out"] == ["everybody": "too wide"])
    let own = json["methods"]?["pipeline"]
    #expect(own?["finding"]?["precision@2"]?["mean"] == .number(0.5))
    #expect(own?["ordering"]?["auc"]?["mean"] == .number(0))
    // Of the two users who decided later, one has no pair of a like and a pass.
    #expect(own?["ordering"]?["not_computable_share"] == .number(0.5))
    #expect(own?["lists"]?["later_matches"] == ["pairs": 2, "on_one_list": 1, "on_both_lists": 0])
    #expect(own?["lists"]?["places"] == 3 && own?["lists"]?["empty"] == 1)
    #expect(
      own?["lists"]?["distance_km"] == ["p10": .number(0), "median": .number(2), "p90": .number(4)])
    let random = json["methods"]?["random"]?["lists"]
    #expect(random?["candidates"] == 3 && random?["never_shown"] == 2)
    #expect(random?["coverage"]?.numberValue == 1.0 / 3 && random?["largest_share"] == .number(1))
    #expect(random?["lorenz"]?.elements.count == 21 && random?["distance_km"] == nil)
    // The predictions are completely wrong: 1 for a pass and 0 for a like.
    #expect(own?["calibration"]?["brier"]?.numberValue == 2.0 / 3)
    #expect(json["methods"]?["random"]?["calibration"] == .null)
    #expect(json["differences"]?["random"]?["auc"]?["mean"] == .number(-1))
    #expect(json["differences"]?["pipeline"] == nil)
    #expect(json["fit"] == .null && json["slices"] == [:])
    #expect(own?["title"] == "the pipeline's own ranking" && own?["ordering"]?["auc"]?["users"] == 1)
    #expect(own?["ordering"]?["auc_weighted_mean"] == .number(0))
    #expect(random?["largest_load"] == 2 && random?["listed_both_ways"] == .number(0.5))
    #expect(random?["novelty"] == .number(2) && random?["gini"]?.numberValue == 2.0 / 3)
    #expect(json["differences"]?["random"]?["precision@2"]?["mean"] == .number(0))
    #expect(
      json["tests"]?.elements.map { $0["metric"] } == ["ndcg@2", "auc"])
    #expect(json["tests"]?.elements.last?["difference"] == .number(-1))
  }

  @Test func `decisions that do not count are reported separately`() {
    var counts = LaterDecisions.Counts()
    (counts.interactions, counts.ofLaterUsers, counts.withLaterCandidates) = (1, 2, 3)
    (counts.decidedBefore, counts.notTheLatest, counts.takenBack) = (4, 5, 6)
    (counts.likes, counts.passes) = (7, 8)
    #expect(
      counts.json == [
        "interactions": 1, "of_later_users": 2, "with_later_candidates": 3, "decided_before": 4,
        "not_the_latest": 5, "taken_back": 6, "likes": 7, "passes": 8,
      ])
  }

  @Test func `a slice has its own users and its own model effect`() throws {
    let slicing = Slicing(name: "city", slices: ["here", "there"], sliceOfRow: [0, 0, 1, 1, 1])
    var evaluation = try ByHand.evaluation(
      [.pipeline, .createml], areas: [[1, 1, 0, 0, 0.5], [0.5, 0.5, 1, 1, 1]],
      gains: [[1, 0, 0.5, 0.5, 0.5], [0, 0, 0, 0, 0]])
    evaluation = evaluation.sliced(by: [slicing])
    let slices = try #require(
      evaluation.json(DeclaredTests(evaluation), .useful)["slices"]?["city"]?.elements)
    #expect(slices.map { $0["slice"] } == ["here", "there"] && slices.map { $0["users"] } == [2, 3])
    #expect(slices[0]["ndcg@3"]?["mean"] == .number(0.5) && slices[0]["ndcg@3"]?["users"] == 2)
    #expect(slices[1]["auc"]?["mean"]?.numberValue == 0.5 / 3)
    #expect(slices[0]["auc_less_createml"]?["mean"] == .number(0.5))
    #expect(slices[0]["ndcg@1"] == nil)
    for slice in slices {
      let keys = ["auc", "auc_less_createml", "hit_rate@3", "ndcg@3", "recall@3", "slice", "users"]
      #expect(slice.members.keys.sorted() == keys)
    }
  }

  @Test func `means are reported with their interval, and differences with their sign`() {
    let estimate = UserTask.Estimate(
      users: 3, mean: 0.78125, interval: Interval(low: 0.5, high: 0.9), clusterInterval: nil)
    let stored = Estimate(estimate.json)
    #expect(
      stored.text(3) == "0.781 [0.500, 0.900]" && stored.text(3, isSigned: true).hasPrefix("+0.781"))
    let below = UserTask.Estimate(users: 3, mean: -0.25, interval: nil, clusterInterval: nil)
    #expect(Estimate(below.json).text(2, isSigned: true) == "-0.25")
    let same = UserTask.Estimate(users: 3, mean: 0, interval: nil, clusterInterval: nil)
    #expect(Estimate(same.json).text(2, isSigned: true) == "+0.00")
    let none = UserTask.Estimate(users: 0, mean: nil, interval: nil, clusterInterval: nil)
    #expect(Estimate(none.json).text(2) == "-")
    #expect(EvaluationText.percent(1, of: 4) == "25 %")
  }

  @Test func `a declared test has its p values, its intervals and its effect size`() {
    let comparison = PairedComparison([0.5, 0.75, 1], [0.25, 0.25, 0.25])
    let tested = DeclaredTests.TestedDifference(
      method: .likeRate, metric: "auc",
      difference: UserTask.Estimate(
        users: 3, mean: 0.5, interval: Interval(low: 0.25, high: 0.75),
        clusterInterval: Interval(low: 0.125, high: 0.875)), comparison: comparison, adjustedPValue: 0.0625)
    // The differences are 0.25, 0.5 and 0.75, and their standard deviation is 0.25.
    let p = comparison.pValue.map { JSONValue.number($0) }
    #expect(p != nil)
    let expected: JSONValue = [
      "method": "like_rate", "metric": "auc", "users": 3, "difference": .number(0.5),
      "interval": .array([.number(0.25), .number(0.75)]),
      "interval_by_cluster": .array([.number(0.125), .number(0.875)]), "p": p ?? .null,
      "p_holm": .number(0.0625), "effect_size": .number(2),
    ]
    #expect(tested.json == expected)
  }

  @Test func `an estimate has an interval by clusters only if there are clusters`() {
    var estimate = UserTask.Estimate(
      users: 3, mean: 0.5, interval: Interval(low: 0.25, high: 0.75), clusterInterval: nil)
    let alone: JSONValue = [
      "users": 3, "mean": .number(0.5), "interval": .array([.number(0.25), .number(0.75)]),
    ]
    #expect(estimate.json == alone)
    estimate.clusterInterval = Interval(low: 0.125, high: 0.875)
    var members = alone.members
    members["interval_by_cluster"] = .array([.number(0.125), .number(0.875)])
    #expect(estimate.json == .object(members))
  }

  @Test func `the calibration has all its figures and bins`() throws {
    let calibration = try #require(
      Calibration(predictions: [0.25, 0.5, 0.75, 1], isLike: [false, true, false, true]))
    let json = calibration.json
    // The squared errors are 1/16, 1/4, 9/16 and 0.
    #expect(json["decisions"] == 4 && json["brier"] == .number(0.21875))
    #expect(json["brier_of_base_rate"] == .number(0.25))
    // The deviations of the predictions are ±0.375 and ±0.125, so the slope is 0.25 / 0.3125.
    #expect(abs(try #require(json["slope"]?.numberValue) - 0.8) < 1e-12)
    #expect(abs(try #require(json["intercept"]?.numberValue)) < 1e-12)
    let predictions = [0.25, 0.5, 0.75, 1.0]
    let bins = predictions.enumerated().map { place, prediction -> JSONValue in
      ["decisions": 1, "mean_prediction": .number(prediction), "liked": .number(Double(place % 2))]
    }
    #expect(json["bins"] == .array(bins))
    let equal = try #require(Calibration(predictions: [0.5, 0.5], isLike: [false, true]))
    #expect(equal.json["slope"] == .null && equal.json["intercept"] == .null)
  }

  @Test(arguments: [(nil, nil), (.nan, nil), (.infinity, nil), (0.25, 0.25)] as [(Double?, Double?)])
  func `a figure that is missing or not finite is null`(_ figure: Double?, _ shown: Double?) {
    #expect(JSONValue(figure) == (shown.map { JSONValue.number($0) } ?? JSONValue.null))
  }

  @Test func `an evaluation with clusters names their number, and without matches it has none`() throws {
    let evaluation = try ByHand.evaluation(
      [.pipeline], areas: [(0..<12).map { Double($0 % 2) }], clusters: (0..<12).map { $0 % 6 })
    let json = evaluation.json(DeclaredTests(evaluation), .beaten)
    #expect(json["clusters"] == 6 && json["verdict"] == "beaten")
    let lists = try #require(json["methods"]?["pipeline"]?["lists"])
    #expect(lists["later_matches"] == nil && lists["distance_km"] == nil && lists["coverage"] == nil)
    #expect(lists["novelty"] == .null && lists["listed_both_ways"] == .null && lists["places"] == 0)
    #expect(json["methods"]?["pipeline"]?["ordering"]?["not_computable_share"] == .null)
  }
}

extension RankingEvaluation {
  /// The same evaluation with users divided by `slicings`.
  func sliced(by slicings: [Slicing]) -> RankingEvaluation {
    RankingEvaluation(
      ranking: ranking, methods: methods, isPipelinesOwn: isPipelinesOwn, metrics: metrics,
      decisions: decisions, outcomes: outcomes, finding: finding, ordering: ordering, matching: nil,
      areas: areas,
      profiles: profiles, calibrations: calibrations, slicings: slicings,
      groupExposures: groupExposures, matches: matches, users: users,
      leftOut: leftOut, fitted: fitted, clusters: clusters)
  }
}
