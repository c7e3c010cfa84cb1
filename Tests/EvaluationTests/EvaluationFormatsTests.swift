import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import System
import TestSupport
import Testing
import Text

@testable import Evaluation

/// Tests the formats of a stored evaluation, the lines above its tables, and the errors of the stage.
@Suite struct EvaluationFormatsTests {
  private static func pipeline(_ evaluation: String = "{ cut: 0.5 }") throws -> Pipeline {
    try SmallWorld.fixture(people: [], swipes: [], evaluation: evaluation).pipeline
  }

  @Test func `the CSV has a row per figure of each method and of each slice`() throws {
    let slicing = Slicing(name: "account", slices: ["new", "old"], sliceOfRow: [1, nil, 0])
    let evaluation = try OutputTests.evaluation(slicings: [slicing])
    let document: JSONValue = ["rankings": ["near": evaluation.json(DeclaredTests(evaluation), .useful)]]
    let text = EvaluationText(document, try Self.pipeline())
    // The like has rank 2 of 2, so its gain is 1 / log2(3). The user in the slice `new` did not decide.
    let second = (1 / 1.584962500721156).description
    let expected = [
      "ranking,method,sliced_by,slice,metric,users,mean,low,high",
      "near,pipeline,,,ndcg@2,1,\(second),\(second),\(second)",
      "near,pipeline,,,precision@2,1,0.5,0.5,0.5",
      "near,pipeline,,,auc,1,0.0,0.0,0.0",
      "near,random,,,ndcg@2,1,1.0,1.0,1.0",
      "near,random,,,precision@2,1,0.5,0.5,0.5",
      "near,random,,,auc,1,1.0,1.0,1.0",
      "near,pipeline,account,new,ndcg@2,0,,,",
      "near,pipeline,account,new,auc,0,,,",
      "near,pipeline,account,old,ndcg@2,1,\(second),\(second),\(second)",
      "near,pipeline,account,old,auc,1,0.0,0.0,0.0",
    ]
    #expect(text.lines(.csv) == expected)
    #expect(text.lines(.json) == [String(decoding: document.pretty.dropLast(), as: UTF8.self)])
    #expect(text.pipelineName == "small" && text.rankings.map(\.name) == ["near"])
    let lines = text.lines(.text(width: nil))
    #expect(lines.last?.hasPrefix("  verdict: the scores rank later likes above passes: AUC 0.000") == true)
    #expect(lines[lines.count - 2].isEmpty)
  }

  @Test func `the lists of an earlier run have a heading and a line about churn`() throws {
    let finding: JSONValue = ["ndcg@3": ["users": 2, "mean": .number(0.25)]]
    let overlap: JSONValue = [
      "users": 4, "mean": .number(0.5), "interval": .array([.number(0.25), .number(0.75)]),
    ]
    func lines(_ overlap: JSONValue) throws -> [String] {
      let near: JSONValue = [
        "finding": finding, "likes": 1500, "users_with_likes": 1200, "users_with_likes_without_list": 3,
        "rank_biased_overlap": overlap,
      ]
      let previous: JSONValue = ["as_of": "1970-01-01T00:00:04Z", "rankings": ["near": near]]
      return EvaluationText(["previous": previous], try Self.pipeline()).lines(.text(width: nil))
    }
    let both = try lines(overlap)
    #expect(
      both.prefix(2) == [
        "near: the lists published as of 1970-01-01T00:00:04Z, compared with later likes",
        "  1 500 likes by 1 200 users, 3 of them without a list",
      ])
    #expect(
      both.last
        == "  churn: the lists of both runs have a rank-biased overlap of 0.500 [0.250, 0.750]; 1 means no change"
    )
    #expect(both.contains { $0.contains("published") && $0.contains("0.25") }, "\(both)")
    // The present run has no lists.
    #expect(try lines(.null) == Array(both.dropLast()))
    #expect(EvaluationText(["previous": .null], try Self.pipeline()).lines(.text(width: nil)).isEmpty)
  }

  @Test func `a run without an evaluation is reported as missing`() throws {
    let scratch = try ScratchDirectory()
    let error = #expect(throws: FileError.self) { _ = try EvaluationText(of: scratch.path) }
    #expect(error?.operation == .find && error?.reason == "the run has no evaluation")
    #expect(error?.exitStatus == .missingInput)
  }

  // MARK: - The heading

  private static func heading(
    _ evaluation: String = "{ cut: 0.5 }", split: JSONValue, figures: JSONValue = [:]
  ) throws -> [String] {
    EvaluationText(["split": split], try pipeline(evaluation))
      .heading(JudgedRanking(name: "near", figures: figures))
  }

  private static let none = [
    "  users   0 as of the cut; 0 decided later, 0 liked a candidate (0 of them without a list)",
    "  later   0 likes; 0 passes",
  ]

  @Test(
    arguments: [
      ("{ cut: 0.5 }", 1, "up to T"), ("{ cut: 0.5 }", 0, "(no cut)"),
      ("{ cut: 0.5, within: [city, field] }", 2, "in 2 groups by city, field"),
      ("{ leave_last: 2 }", 1, "(all but each user's last 2)"),
    ])
  func `the first line names the data and the cut`(
    evaluation: String, groups: Int, when: String
  ) throws {
    // Without a group with a cut, there is one group without a time.
    let group: JSONValue = groups == 0 ? ["cut": .null] : ["cut": "T"]
    let split: JSONValue = [
      "interactions": "swipes", "learning": 1200, "test": 3400,
      "groups": .array(Array(repeating: group, count: max(groups, 1))),
    ]
    #expect(
      try Self.heading(evaluation, split: split)
        == ["small, near: learned from 1 200 swipes \(when), tested on 3 400"] + Self.none)
  }

  @Test func `a cut without learning interactions has a warning`() throws {
    let split: JSONValue = [
      "interactions": "swipes", "learning": 0, "test": 1, "groups": .array([["cut": "T"]]),
    ]
    let lines = try Self.heading(split: split)
    #expect(lines.dropFirst(2) == Self.none[...])
    #expect(
      lines[1]
        == "  warning: no interaction remains to learn from. Set a later 'evaluation.cut', or a smaller 'evaluation.leave_last'."
    )
  }

  @Test func `leaks between groups have a warning with their share`() throws {
    let split: JSONValue = [
      "learning": 8, "test": 1, "groups": .array([["cut": "T"], ["cut": "U"]]),
      "leaks": .array(["groups_share_candidates"]), "leaking_share": .number(0.125),
    ]
    let lines = try Self.heading("{ cut: 0.5, within: city }", split: split)
    #expect(lines.count == 4)
    #expect(lines[1].hasPrefix("  warning: 12.5 % of the learning interactions are later than the cut of"))
  }

  @Test(
    arguments: [
      ("unknown", "The earlier values are unknown and count as missing"),
      ("as_exported", "The current values are used, which may leak the future"),
    ])
  func `entities whose profiles changed after the cut are counted`(setting: String, text: String) throws {
    let evaluation = "{ cut: 0.5, later_profiles: \(setting) }"
    func lines(_ count: Int) throws -> [String] {
      try Self.heading(
        evaluation,
        split: ["learning": 1, "entities": ["users": ["unknown_profile": .integer(count)]]])
    }
    #expect(try lines(0).count == 3)
    let changed = try lines(1234)
    #expect(changed.count == 4)
    #expect(changed[3].hasPrefix("  1 234 rows of 'users' changed after the cut. \(text)"))
  }

  @Test func `missing methods are sorted, and decisions that do not count have their reasons`() throws {
    let figures: JSONValue = [
      "fit": ["method": "everybody", "l2": .number(0.5)],
      "left_out": ["popular": "why b", "everybody": "why a"],
      "users": [
        "as_of_cut": 9, "with_decisions": 8, "with_likes": 7, "with_likes_without_list": 6,
        "reachable_likes": 3,
      ],
      "decisions": [
        "likes": 4, "passes": 1, "decided_before": 1200, "of_later_users": 1, "with_later_candidates": 2,
        "not_the_latest": 3, "taken_back": 5,
      ],
    ]
    #expect(
      try Self.heading(split: ["learning": 1], figures: figures).dropFirst() == [
        "  model   one ridge regression, l2 0.5",
        "  warning: the method 'everybody' is missing: why a",
        "  warning: the method 'popular' is missing: why b",
        "  users   9 as of the cut; 8 decided later, 7 liked a candidate (6 of them without a list)",
        "  later   4 likes, 75 % of them for candidates who were eligible as of the cut; 1 pass",
        "          not counted: 1 200 on candidates with an earlier decision, 1 by users created after the cut, 2 on candidates created after the cut, 3 replaced by a later decision, 5 retractions and retracted interactions",
      ])
  }

  // MARK: - The stage

  @Test func `errors about runs name both sides and have an exit status`() {
    let other = OtherPipelinesRun("runs/a", of: "x", not: "y")
    #expect(other.description == "'runs/a' is a run of the pipeline 'x', not of 'y'. Choose a run of 'y'.")
    #expect(other.exitStatus == .badData)
    let late = NotEarlierRun(
      "runs/a", asOf: Instant(milliseconds: 5000), not: Instant(milliseconds: 4000))
    #expect(
      late.description
        == "'runs/a' is not an earlier run: its as-of time, 1970-01-01T00:00:05Z, is not before the as-of time of the evaluated run, 1970-01-01T00:00:04Z. Choose an earlier run."
    )
    #expect(late.exitStatus == .missingInput)
  }

  /// With a radius, users differ in the number of candidates in reach. Without one, they do not.
  @Test func `the file of users has a column for a slicing of the second ranking alone`() throws {
    let fixture = try SmallWorld.fixture(
      people: [
        "p0,1,1,50,8,Cork,Art,", "p1,1,1,50,8,Cork,Art,", "p2,1,1,50,8,Cork,Art,", "p3,1,1,10,8,Cork,Art,",
      ],
      swipes: [
        "p0,p1,1,r", "p1,p0,2,l", "p2,p3,3,r", "p0,p2,11,r", "p0,p3,12,l", "p1,p3,13,l", "p3,p1,14,r",
      ],
      evaluation: "{ cut: '1970-01-01T00:00:00.010Z', at: [3], samples: 100 }")
    try fixture.runStages()
    var pipeline = fixture.pipeline
    var other = pipeline.rankings[0]
    (other.name, other.radiusInKilometers) = ("everywhere", nil)
    pipeline.rankings.insert(other, at: 0)
    _ = try EvaluateStage.run(
      pipeline, in: fixture.run, previous: nil, replaces: false, threads: 1, tool: "test")
    let text = String(decoding: try fixture.bytes("evaluation/per_user.csv"), as: UTF8.self)
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let column = try #require(lines[0].firstIndex(of: "candidates_in_reach"))
    let ranking = try #require(lines[0].firstIndex(of: "ranking"))
    let (near, everywhere) = (
      lines.dropFirst().filter { $0[ranking] == "near" },
      lines.dropFirst().filter { $0[ranking] == "everywhere" }
    )
    #expect(!near.isEmpty && near.allSatisfy { !$0[column].isEmpty })
    #expect(!everywhere.isEmpty && everywhere.allSatisfy { $0[column].isEmpty })
  }

  @Test func `the files and the manifest of an evaluation are complete`() throws {
    let fixture = try SmallWorld.fixture(
      people: (0..<4).map { "p\($0),1,1,50,8,Cork,Art," },
      swipes: ["p0,p1,1,r", "p1,p0,2,l", "p2,p3,3,r", "p0,p2,11,r", "p0,p3,12,l", "p1,p3,13,l"],
      evaluation: "{ cut: '1970-01-01T00:00:00.010Z', at: [1, 3], samples: 100 }")
    try fixture.runStages()
    // An evaluation that was killed leaves its work directory, which the next one must not use.
    try Directories.create(fixture.run + "/.evaluation.work/pipeline/models")
    let metrics = try fixture.evaluate().metrics
    #expect(metrics["version"] == 1 && metrics["pipeline"] == "small" && metrics["previous"] == .null)
    let definitions = [
      "relevant", "auc", "auc_weighted_mean", "brier", "slope", "coverage", "gini", "novelty",
      "listed_both_ways", "match_auc", "match_at_1", "interval", "interval_by_cluster", "p_holm",
      "effect_size",
    ]
    let all = Metric.all(at: [1, 3])
    let named = try #require(metrics["definitions"]?.members)
    let names = definitions + all.map(\.name)
    #expect(named.keys.sorted() == names.sorted())
    for metric in all { #expect(named[metric.name] == .string(metric.definition)) }

    let snapshot = try Manifest(of: fixture.run + "/snapshot")
    let manifest = try Manifest(of: fixture.run + "/evaluation")
    #expect(manifest.parents == ["snapshot": snapshot.digest] && manifest.asOf == snapshot.asOf)
    #expect(manifest.stage == "evaluation" && manifest.pipeline == "small" && manifest.seed == 3)
    #expect(manifest.counts["test"] == 3 && manifest.counts["learning"] == 3)
    let left = metrics["rankings"]?["near"]?["left_out"]
    let reasons: JSONValue = [
      "trending":
        "only 1 user liked a candidate late in the learning part, which is too few to choose a half-life; compare with the method 'popular' instead",
      "item_to_item":
        "no two candidates have enough users who like both; compare with the method 'popular' instead",
    ]
    #expect(left == reasons)
    let users = try #require(metrics["rankings"]?["near"]?["users"])
    #expect(users["as_of_cut"] == 4 && users["with_decisions"] == 2 && users["with_likes"] == 1)
    #expect(users["with_likes_and_passes"] == 1 && users["reachable_likes"] == 1)
    let decisions: JSONValue = [
      "interactions": 3, "of_later_users": 0, "with_later_candidates": 0, "decided_before": 0,
      "not_the_latest": 0, "taken_back": 0, "likes": 1, "passes": 2,
    ]
    #expect(metrics["rankings"]?["near"]?["decisions"] == decisions)
    let methods = Method.ofScores.filter { left?[$0.rawValue] == nil }.map(\.rawValue)
    let paths =
      ["metrics.json", "per_user.csv", "scores.csv", "trec/near.qrels"]
      + methods.map { "trec/near.\($0).run" }
    #expect(manifest.outputs.map(\.path).sorted() == paths.sorted())
    for output in manifest.outputs {
      let text = String(decoding: try fixture.bytes("evaluation/" + output.path), as: UTF8.self)
      let lines = text.split(separator: "\n").count
      if output.path.hasSuffix(".run") { #expect(output.rows == lines, "\(output.path)") }
      if output.path.hasSuffix(".csv") { #expect(output.rows == lines - 1, "\(output.path)") }
    }
    // Two users decided later, on three candidates together.
    let perUser = manifest.outputs.first { $0.path == "per_user.csv" }
    let scores = manifest.outputs.first { $0.path == "scores.csv" }
    #expect(perUser?.rows == 2 * methods.count && scores?.rows == 3)
    #expect(!Directories.exists(fixture.run + "/.evaluation.work"))

    // An evaluation is replaced only on request.
    #expect(throws: FileError.self) {
      _ = try EvaluateStage.run(
        fixture.pipeline, in: fixture.run, previous: nil, replaces: false, threads: 1, tool: "test")
    }
    #expect(try Manifest(of: fixture.run + "/evaluation").digest == manifest.digest)
    var other = fixture.pipeline
    other.name = "other"
    #expect(throws: OtherPipelinesRun.self) {
      _ = try EvaluateStage.run(
        other, in: fixture.run, previous: nil, replaces: true, threads: 1, tool: "test")
    }
    #expect(try Manifest(of: fixture.run + "/evaluation").digest == manifest.digest)
  }
}
