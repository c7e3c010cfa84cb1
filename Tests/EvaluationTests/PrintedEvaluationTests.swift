import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Evaluation

/// Tests the printed text of an evaluation. In the expected tables, " | " stands for two or more
/// spaces.
@Suite struct PrintedEvaluationTests {
  private static func cells(_ lines: [String]) -> [String] {
    lines.map { String($0.drop { $0 == " " }).replacing(#/ {2,}/#, with: " | ") }
  }

  /// The part of `metrics.json` about an evaluation.
  private static func judged(_ evaluation: RankingEvaluation, _ verdict: JudgedVerdict = .useful)
    -> JudgedRanking
  {
    JudgedRanking(name: "near", figures: evaluation.json(DeclaredTests(evaluation), verdict))
  }

  private static func tables(_ evaluation: RankingEvaluation) -> [String] {
    cells(EvaluationTables(ranking: judged(evaluation), definitions: .null, width: nil).lines)
  }

  /// Each figure is computed by hand from the lists and decisions of `OutputTests`.
  @Test func `every figure is in its table`() throws {
    let evaluation = try OutputTests.evaluation(metrics: Metric.all(at: [1, 2]))
    let lines = Self.tables(evaluation)
    let differences = try #require(lines.firstIndex(of: "difference: the pipeline minus the method"))
    #expect(
      lines[..<differences].filter { !$0.isEmpty } == [
        "finding: do the lists of length 3 contain the later likes? Means over 1 user",
        "nDCG@2 [95 %] | precision@2 | recall@2 | capped@2 | MAP@2 | MRR@2 | hits@2",
        "pipeline | 0.6309 [0.6309, 0.6309] | 0.5000 | 1.0000 | 1.0000 | 0.5000 | 0.5000 | 1.0000",
        "random | 1.0000 [1.0000, 1.0000] | 0.5000 | 1.0000 | 1.0000 | 1.0000 | 1.0000 | 1.0000",
        "the pipeline at 1: precision 0.0000, recall 0.0000, map 0.0000, ndcg 0.0000, mrr 0.0000, capped_recall 0.0000, hit_rate 0.0000",
        "ordering: do later likes have higher scores than later passes? Means over 1 user",
        "AUC [95 %] | weighted | Brier | slope",
        "pipeline | 0.000 [0.000, 0.000] | 0.000 | 0.667 | -0.50",
        "random | 1.000 [1.000, 1.000] | 1.000 | - | -",
        "lists of all 3 users",
        "coverage | never shown | Gini | largest load | novelty | median km | both ways | matches found",
        "pipeline | 100.0 % | 0 | 0.094 | 1 | 2.00 | 2.0 | 33.3 % | 1 of 2",
        "random | 33.3 % | 2 | 0.667 | 2 | 2.00 | - | 50.0 % | 1 of 2",
      ])
    #expect(
      lines[(differences + 1)...].prefix { !$0.isEmpty } == [
        "nDCG@2 [95 %] | p of nDCG | AUC [95 %] | p of AUC | effect of AUC",
        "random | -0.3691 [-0.3691, -0.3691] | - | -1.000 [-1.000, -1.000] | - | -",
      ])
    #expect(lines.contains("ndcg@2: \(Metric(kind: .ndcg, k: 2).definition)"))
    #expect(!lines.contains { $0.hasPrefix("ndcg@1: ") })
    #expect(lines.contains { $0.hasSuffix("; 50 % of the users with later decisions lack likes or passes") })
    #expect(lines.contains { $0.hasSuffix("eligible candidates (3)") })
  }

  @Test func `all tables name the methods in one order, the pipeline first`() throws {
    let areas = [[0.7, 0.8], [0.6, 0.5], [0.4, 0.5], [0.5, 0.5]]
    let methods: [Method] = [.pipeline, .random, .createml, .popular]
    let lines = Self.tables(try ByHand.evaluation(methods, areas: areas))
    func names(after title: String) throws -> [String] {
      let start = try #require(lines.firstIndex { $0.hasPrefix(title) })
      return lines[start...].dropFirst(2).prefix { $0.contains(" | ") }.map {
        String($0.prefix { $0 != " " })
      }
    }
    let order = ["pipeline", "random", "createml", "popular"]
    #expect(try names(after: "finding") == order)
    #expect(try names(after: "ordering") == order)
    #expect(try names(after: "lists of all") == order)
  }

  @Test(arguments: [(9, nil, "0.5000", "0.250"), (10, 9, "", "0.250"), (10, 10, "0.5000", "0.250")])
  func `a slice or figure with fewer than ten users is not printed`(
    _ users: Int, _ finders: Int?, _ found: String, _ ordered: String
  ) throws {
    let evaluation = try ByHand.evaluation(
      [.pipeline], areas: [Array(repeating: 0.25, count: users)],
      gains: [Array(repeating: 0.5, count: finders ?? users)]
    ).sliced(by: [
      Slicing(name: "city", slices: ["Cork"], sliceOfRow: Array(repeating: 0, count: users))
    ])
    let lines = Self.tables(evaluation)
    func shown(_ mean: String) -> [String] { mean.isEmpty ? [] : ["\(mean) [\(mean), \(mean)]"] }
    let row = (["city Cork", "\(users)"] + shown(found) + shown(ordered)).joined(separator: " | ")
    #expect(lines.filter { $0.hasPrefix("city") } == (users < 10 ? [] : [row]))
  }

  @Test(arguments: [9, 10])
  func `a group of fewer than ten candidates is not printed`(_ candidates: Int) throws {
    var figures = Self.judged(try ByHand.evaluation([.pipeline], areas: [[0.5]])).figures.members
    let group: JSONValue = [
      "group": "Cork", "candidates": .integer(candidates), "later_likes": 1234,
      "share_of_later_likes": .number(0.25), "share_of_exposure": ["pipeline": .number(0.125)],
    ]
    figures["candidate_groups"] = ["city": .array([group])]
    let ranking = JudgedRanking(name: "near", figures: .object(figures))
    let lines = Self.cells(EvaluationTables(ranking: ranking, definitions: .null, width: nil).lines)
    #expect(
      lines.filter { $0.hasPrefix("city") }
        == (candidates < 10 ? [] : ["city Cork | 10 | 1 234 | 25.0 % | 12.5 %"]))
  }

  @Test(arguments: [
    (1, "list of the only user"), (2, "lists of all 2 users"), (1_000, "lists of all 1 000 users"),
  ])
  func `the table of lists states the number of users`(_ users: Int, _ title: String) throws {
    var figures = Self.judged(try ByHand.evaluation([.pipeline], areas: [[0.5]])).figures.members
    figures["users"] = ["as_of_cut": .integer(users)]
    let ranking = JudgedRanking(name: "near", figures: .object(figures))
    let lines = EvaluationTables(ranking: ranking, definitions: .null, width: nil).lines
    #expect(lines.contains("  " + title))
  }

  @Test(arguments: [(4, false), (5, true)])
  func `intervals are by clusters if there are at least five clusters`(
    _ clusters: Int, _ isReported: Bool
  ) throws {
    let evaluation = try ByHand.evaluation(
      [.pipeline], areas: [(0..<20).map { Double($0 % 2) }], clusters: (0..<20).map { $0 % clusters })
    let lines = Self.tables(evaluation)
    #expect(lines.contains { $0.contains("samples of \(clusters) clusters") } == isReported)
    #expect(lines.contains { $0.contains("bootstrap samples of users;") } == !isReported)
    let ranking = Self.judged(evaluation)
    let estimate = ranking.estimate("pipeline", "auc")
    let ends = try #require(isReported ? estimate.intervalByCluster : estimate.interval)
    let text = "0.500 [\(ends.low.fixed(3)), \(ends.high.fixed(3))]"
    #expect(lines.contains { $0.hasPrefix("pipeline | \(text) | ") }, "\(lines)")
    // The last lines of a run show the same interval.
    #expect(RunQuality(["rankings": ["near": ranking.figures]]).lines[0].contains("AUC " + text))
  }

  @Test(
    arguments: [
      (nil, "-"), (0.000_999, "< 0.001"), (0.001, "0.001"), (0.25, "0.250"), (1, "1.000"),
    ] as [(Double?, String)])
  func `a p value below a thousandth is printed as a bound`(_ value: Double?, _ text: String) {
    #expect(value.pText == text)
  }

  @Test func `the sentence groups the other methods by the results of their tests`() throws {
    let own = (0..<12).map { 0.6 + Double($0) / 100 }
    let evaluation = try ByHand.evaluation(
      [.pipeline, .createml, .everybody, .random],
      areas: [own, own.map { $0 - 0.1 }, own.map { $0 + 0.1 }, own])
    let sentence = Self.judged(evaluation, .beaten).verdictSentence
    #expect(sentence.hasPrefix("the scores rank later likes above passes: AUC 0.655 ["))
    #expect(
      sentence.hasSuffix(
        ". By AUC, the pipeline is better than createml; worse than everybody; "
          + "not significantly different from random."))
    #expect(
      Self.judged(evaluation, .nothingLearned).verdictSentence
        .contains("no better than chance: AUC 0.655 ["))
    #expect(
      Self.judged(evaluation, .tooFewUsers).verdictSentence
        == "too few users for a verdict, which needs at least 10. "
        + "Only 12 users both liked and passed after the cut.")
  }

  @Test func `differences are printed with their p values, except for the pipeline's own ranking`() throws {
    let own = (0..<12).map { 0.5 + Double($0) / 64 }
    let evaluation = try ByHand.evaluation(
      [.pipeline, .createml, .random], areas: [own, own, own.map { $0 - 0.125 }],
      isPipelinesOwn: [false, true, false])
    let lines = Self.tables(evaluation)
    #expect(lines.contains("createml | same as the pipeline"))
    // All differences of the areas are equal, so they have no standard deviation and no effect size.
    #expect(
      lines.contains(
        "random | +0.0000 [0.0000, 0.0000] | 1.000 | +0.125 [0.125, 0.125] | < 0.001 | -"))
  }

  private static let likesAlone: [[(candidate: UInt32, isLike: Bool)]] = [[(0, true)]]

  @Test func `an evaluation of likes alone has a sentence about nDCG`() throws {
    let own = (0..<12).map { 0.4 + Double($0) / 100 }
    let evaluation = try ByHand.evaluation(
      [.pipeline, .popular, .nearest, .random], areas: [[], [], [], []],
      gains: [own, own.map { $0 + 0.1 }, own, own.map { $0 - 0.1 }], later: Self.likesAlone)
    let sentence = Self.judged(evaluation, .beaten).verdictSentence
    #expect(sentence.hasPrefix("the lists contain later likes: nDCG@3 0.4550 ["))
    #expect(
      sentence.hasSuffix(
        ". By nDCG@3, the pipeline is better than random; worse than popular; "
          + "not significantly different from nearest."))
    #expect(
      Self.judged(evaluation, .nothingLearned).verdictSentence
        .contains("do not rank later likes significantly higher than random lists do: nDCG@3 0.4550 ["))
    #expect(
      Self.judged(evaluation, .tooFewUsers).verdictSentence
        == "none. The version of Nightjar that made this evaluation gave no verdict for data without passes. Evaluate the run again."
    )
    let few = try ByHand.evaluation(
      [.pipeline], areas: [[]], gains: [Array(own.prefix(9))], later: Self.likesAlone)
    #expect(
      Self.judged(few, .tooFewUsers).verdictSentence
        == "too few users for a verdict, which needs at least 10. "
        + "Only 9 users liked a candidate after the cut.")
  }

  @Test func `an evaluation of likes alone has no table or definition of the order`() throws {
    let gains = [Array(repeating: 0.25, count: 12), Array(repeating: 0.5, count: 12)]
    let evaluation = try ByHand.evaluation(
      [.pipeline, .random], areas: [[], []], gains: gains, later: Self.likesAlone
    ).sliced(by: [Slicing(name: "city", slices: ["Cork"], sliceOfRow: Array(repeating: 0, count: 12))])
    let lines = Self.tables(evaluation)
    #expect(!lines.contains { $0.contains("AUC") || $0.contains("Brier") || $0.hasPrefix("ordering") })
    #expect(lines.contains("nDCG@3 [95 %] | p of nDCG | effect of nDCG"))
    #expect(lines.contains("city Cork | 12 | 0.2500 [0.2500, 0.2500]"))
    let both = try ByHand.evaluation(
      [.pipeline, .random], areas: gains, gains: gains, later: [[(0, true), (1, false)]])
    #expect(Self.tables(both).contains { $0.hasPrefix("ordering") })
  }

  // MARK: - Later matches

  /// Twelve users have the same values, so each interval has no width.
  private static func mutual(
    _ methods: [Method] = [.pipeline, .oneSided], hasMatches: Bool = true
  ) throws -> RankingEvaluation {
    func alike(_ values: [Double]) -> [[Double]] { values.map { Array(repeating: $0, count: 12) } }
    return try ByHand.evaluation(
      methods, areas: alike([0.5, 0.625]), at: [3], matchAreas: hasMatches ? alike([0.75, 0.25]) : nil)
  }

  @Test func `figures about later matches are in metrics.json, and their differences have signs`() throws {
    func figure(_ mean: Double) -> JSONValue {
      ["users": 12, "mean": .number(mean), "interval": .array([.number(mean), .number(mean)])]
    }
    let figures = Self.judged(try Self.mutual()).figures
    for (method, mean) in [("pipeline", 0.75), ("one_sided", 0.25)] {
      let expected: JSONValue = ["match_auc": figure(mean), "match_at_1": figure(mean)]
      #expect(figures["methods"]?[method]?["matching"] == expected)
    }
    let difference = figures["differences"]?["one_sided"]
    #expect(difference?["match_auc"] == figure(0.5) && difference?["match_at_1"] == figure(0.5))
    #expect(difference?["auc"] == figure(-0.125))
    let none = Self.judged(try Self.mutual(hasMatches: false)).figures
    #expect(none["methods"]?["pipeline"]?["matching"] == nil)
    #expect(none["differences"]?["one_sided"]?["match_auc"] == nil)
  }

  @Test func `later matches have a table, a definition and rows of CSV`() throws {
    let lines = Self.tables(try Self.mutual())
    let title =
      "matching: do later matches have higher scores than other answered decisions? Means over 12 users"
    let start = try #require(lines.firstIndex(of: title))
    #expect(
      lines[start...].dropFirst().prefix { !$0.isEmpty } == [
        "match AUC [95 %] | first places [95 %] | difference of AUC [95 %]",
        "pipeline | 0.750 [0.750, 0.750] | 0.750 [0.750, 0.750]",
        "one_sided | 0.250 [0.250, 0.250] | 0.250 [0.250, 0.250] | +0.500 [0.500, 0.500]",
      ])
    #expect(
      lines.contains {
        $0.hasPrefix("match AUC: share of pairs of a user's later match and other answered decision")
      })
    let none = Self.tables(try Self.mutual(hasMatches: false))
    #expect(!none.contains { $0.hasPrefix("matching") || $0.hasPrefix("match AUC") })
    #expect(none.contains { $0.hasPrefix("ordering") } && lines.contains { $0.hasPrefix("ordering") })
    // Without pairs of users who matched, the table of lists has no columns about them.
    #expect(lines.contains("coverage | never shown | Gini | largest load | novelty | median km"))

    let pipeline = try SmallWorld.fixture(people: [], swipes: [], evaluation: "{ cut: 0.5 }").pipeline
    func matchRows(_ evaluation: RankingEvaluation) -> [String] {
      let document: JSONValue = ["rankings": ["near": Self.judged(evaluation).figures]]
      return EvaluationText(document, pipeline).lines(.csv).filter { $0.contains(",match_") }
    }
    #expect(
      matchRows(try Self.mutual()) == [
        "near,pipeline,,,match_auc,12,0.75,0.75,0.75", "near,pipeline,,,match_at_1,12,0.75,0.75,0.75",
        "near,one_sided,,,match_auc,12,0.25,0.25,0.25", "near,one_sided,,,match_at_1,12,0.25,0.25,0.25",
      ])
    #expect(matchRows(try Self.mutual(hasMatches: false)) == [])
  }

  @Test func `the sentence about a mutual order is about matches`() throws {
    let evaluation = try Self.mutual()
    func sentence(_ verdict: JudgedVerdict) -> String { Self.judged(evaluation, verdict).verdictSentence }
    let figure = "match AUC 0.750 [0.750, 0.750]"
    #expect(
      sentence(.useful)
        == "the scores rank later matches above other decisions: \(figure). "
        + "By match AUC, the pipeline is better than one_sided.")
    #expect(
      sentence(.nothingLearned)
        == "the model learned nothing. The scores rank later matches above other decisions no better than chance: "
        + "\(figure).")
    #expect(
      sentence(.tooFewUsers)
        == "too few users for a verdict, which needs at least 10. "
        + "Only 12 users had both a match and another answered decision after the cut."
    )
    // Another order has the same table, but its sentence is about own likes.
    let other = Self.judged(try Self.mutual([.pipeline, .popular]))
    #expect(other.verdictSentence.hasPrefix("the scores rank later likes above passes: AUC 0.500 ["))
    #expect(other.hasMatching)
  }

  @Test func `the heading contains the data, the caveats and the rows that do not count`() throws {
    let past = try PastTests.past(
      PastTests.fixture(swipes: ["a,b,999,r", "a,c,1000,l", "b,c,1001,r", "b,d,1002,r", "c,d,1003,r"]))
    var counts = LaterDecisions.Counts()
    (counts.ofLaterUsers, counts.withLaterCandidates, counts.decidedBefore) = (2, 3, 0)
    (counts.notTheLatest, counts.takenBack) = (5, 6)
    let evaluation = try OutputTests.evaluation(
      metrics: Metric.all(at: [1, 4]),
      decisions: ByHand.decisions([[(0, true), (2, false)], [(1, false)], []], counts: counts))
    let document: JSONValue = ["split": past.json]
    let text = EvaluationText(document, past.pipeline)
    #expect(
      Self.cells(text.heading(Self.judged(evaluation))) == [
        "past, near: learned from 2 swipes up to 1970-01-01T00:00:01Z, tested on 3",
        "warning: lists have only 3 places, so metrics at 4 count the missing places as misses. Set 'evaluation.at' to lengths up to 3, or increase 'rankings.near.top'.",
        "warning: the method 'everybody' is missing: too wide",
        "users | 3 as of the cut; 2 decided later, 11 liked a candidate (12 of them without a list)",
        "later | 1 like, 1400 % of them for candidates who were eligible as of the cut; 2 passes",
        "not counted: 2 by users created after the cut, 3 on candidates created after the cut, 5 replaced by a later decision, 6 retractions and retracted interactions",
        "warning: people have no update times, so their current values are used. Changes after the cut leak into the evaluation. If the export has update times, name their field with 'updated'.",
      ])
    let shorter = try OutputTests.evaluation(metrics: Metric.all(at: [1, 3]))
    #expect(!text.heading(Self.judged(shorter)).contains { $0.contains("count the other places") })
  }
}
