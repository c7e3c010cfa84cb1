import CommandLine
import Files
import Foundation
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

/// The messages of a run on standard error. Each test reports in a process of its own.
@Suite struct RunReporterTests {
  /// A run with a snapshot, lists and an evaluation.
  private struct Night {
    let scratch: ScratchDirectory
    let pipeline: Pipeline
    var directory: String { scratch("runs/7") }

    static let asOf = Instant(milliseconds: 172_801_001)
    static let metrics: JSONValue = [
      "rankings": [
        "near": [
          "method_order": .array(["pipeline", "random"].map { .string($0) }),
          "tests": .array([["method": "random", "metric": "ndcg@10"]]),
          "methods": [
            "pipeline": ["finding": ["ndcg@10": ["users": 50, "mean": .number(0.5), "interval": .null]]],
            "random": ["finding": ["ndcg@10": ["users": 50, "mean": .number(0.25), "interval": .null]]],
          ], "differences": [:],
        ]
      ]
    ]

    // `settings` are further lines of the pipeline file, `rejects` is the number of rows in `rejects.csv`, and
    // `sources` are the counts of the snapshot.
    init(settings: String = "", hasPosition: Bool = true, rejects: Int, sources: JSONValue) throws {
      scratch = try ScratchDirectory()
      let position = hasPosition ? ", position: { latitude: lat, longitude: lng }" : ""
      try scratch.write(
        """
        pipeline: small
        entities:
          users: { source: { path: users.csv }, id: id\(position) }
        interactions:
          likes: { source: { path: likes.csv }, user: a, candidate: b, at: at, value: v }
        rankings:
          far: { users: users, candidates: users, top: 10 }
          near: { users: users, candidates: users, top: 10 }
        \(settings)

        """, to: "small.yaml")
      var pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
      // The path that the user gave. The process of a test has its own scratch directory.
      pipeline.file = "given/small.yaml"
      self.pipeline = pipeline
      var snapshot = Manifest(
        tool: "test", stage: "snapshot", pipeline: "small", configuration: .null, asOf: Self.asOf, seed: 0,
        counts: ["sources": sources])
      snapshot.outputs = [FileDigest(path: "rejects.csv", bytes: 1, sha256: "", rows: rejects)]
      try scratch.write(snapshot.json, to: "runs/7/snapshot/manifest.json")
      let rankings = Manifest(
        tool: "test", stage: "rankings", pipeline: "small", configuration: .null, asOf: Self.asOf, seed: 0,
        counts: Self.lists)
      try scratch.write(rankings.json, to: "runs/7/rankings/manifest.json")
    }

    static let lists: JSONValue = [
      "lists": [
        "far": ["users": ["total": 3, "full_lists": 0, "short_lists": 3, "empty_lists": 3]],
        "near": ["users": ["total": 9, "full_lists": 4, "short_lists": 5, "empty_lists": 2]],
      ]
    ]
    static let sources: JSONValue = [
      "likes": [
        "read": 20, "kept": 9, "newest": ["milliseconds": 1000], "rejects_written": 3,
        "rejected": ["bad_value": 2, "no_user": 3, "bad_time": 2], "dangling": ["unknown_user": 4],
      ],
      "users": [
        "read": 1300, "kept": 99, "newest": ["milliseconds": 2000], "rejected": ["bad_id": 1200],
        "not_allowed": ["too_young": 1],
      ],
    ]
    static let published: [JSONValue] = [
      ["generation": 3, "store": "sqlite:/a", "kept": 2, "loaded": 10],
      [
        "generation": 5, "store": "sqlite:/b", "unchanged": .boolean(true),
        "tolerated_guards": .array(["auc_at_least: near has AUC 0.5"]),
      ],
    ]
  }

  private static let tolerated =
    "auc_at_least: near has AUC 0.5. The guard rejects only new lists, and sqlite:/b already serves "
    + "these lists. To serve earlier lists, run 'nightjar rollback'."

  private static let oldData =
    "the newest interaction is from 1970-01-01T00:00:01Z, more than two days before the as-of time "
    + "\(Night.asOf); check that the new exports have arrived"

  private static func lines(_ bytes: [UInt8]?) -> [String] {
    String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `a run for people has a line for each step, loss and place`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let night = try Night(rejects: 9, sources: Night.sources)
      try night.scratch.write(Night.metrics.pretty, to: "runs/7/evaluation/metrics.json")
      let reporter = RunReporter(.text, night.pipeline, run: 7, directory: night.directory)
      try withExtendedLifetime(night.scratch) {
        reporter.runBegan()
        try reporter.skipped([])
        try reporter.skipped([.ingest, .index])
        reporter.began(.rank)
        try reporter.ended(.rank, published: nil, seconds: 1.5)
        reporter.failed(.evaluate, .status(70), seconds: 2)
        try reporter.ended(.publish, published: nil, seconds: 2)
        try reporter.ended(.publish, published: Night.published[0], seconds: 2)
        try reporter.ended(.publish, published: .array(Night.published), seconds: 4)
        try reporter.runEnded(place: "/latest", hasLists: true)
        reporter.reported("small.html", reason: "status 0")
        reporter.reported(nil, reason: "status 74")
      }
    }
    let precision = try Night(rejects: 0, sources: [:]).pipeline.privacy.snapPrecision
    let expected = [
      "small, run 7", "  as of \(Night.asOf)",
      "  newest      users 1970-01-01T00:00:02Z, likes 1970-01-01T00:00:01Z",
      "  positions are snapped to cells of precision \(precision), the default; to choose another precision, "
        + "set privacy.snap_positions_to", "  warning: " + Self.oldData, "  already complete: ingest, index",
      "  rank      started", "  rank         1.5 s  far: 0 lists of 10, 3 short",
      "                      near: 4 lists of 10, 5 short",
      "  warning: all 3 lists of 'far' are empty, because there are no candidates",
      "  publish      2.0 s  generation 3 in /a, 2 kept, 5 rows/s",
      "  publish      4.0 s  generation 3 in /a, 2 kept, 2 rows/s",
      "  publish      4.0 s  unchanged: generation 5 in /b", "  warning: " + Self.tolerated,
      "  rejected    likes: 3 no_user, 2 bad_time, 2 bad_value", "              users: 1 200 bad_id",
      "  dangling    likes: 4 unknown_user", "  not allowed users: 1 too_young",
      "  rejects     /latest/snapshot/rejects.csv (the first rows per rule and file)",
      "  lists       /latest/rankings", "  times       /latest/run.json",
      "  quality     near: nDCG@10 0.500",
      "              best other method by nDCG@10: random, 0.250; no interval for the difference",
      "  report      small.html",
      "  warning: the report was not written (status 74). The run itself is not affected. To write the "
        + "report, run 'nightjar report given/small.yaml'.",
    ]
    #expect(Self.lines(ended?.standardErrorContent) == expected)
  }

  @Test func `a run without rejects, lists or an evaluation does not name their places`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let night = try Night(
        settings: "privacy: { snap_positions_to: 5 }", rejects: 0,
        sources: ["users": ["read": 2, "kept": 2]])
      let reporter = RunReporter(.text, night.pipeline, run: 7, directory: night.directory)
      try withExtendedLifetime(night.scratch) {
        reporter.began(.ingest)
        try reporter.ended(.ingest, published: nil, seconds: 0.25)
        try reporter.runEnded(place: "/runs/7", hasLists: false)
      }
    }
    #expect(
      Self.lines(ended?.standardErrorContent) == [
        "  ingest    started", "  as of \(Night.asOf)", "  ingest       0.2 s  2 users",
        "                      none rejected", "  times       /runs/7/run.json",
      ])
  }

  /// The split of an evaluation is the reason for a warning.
  @Test func `each warning is printed once, after its stage`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let night = try Night(
        hasPosition: false, rejects: 0, sources: ["likes": ["read": 0], "users": ["read": 2, "kept": 2]])
      let evaluation = Manifest(
        tool: "test", stage: "evaluation", pipeline: "small", configuration: .null, asOf: Night.asOf, seed: 0,
        counts: ["learning": 0, "test": 1200])
      try night.scratch.write(evaluation.json, to: "runs/7/evaluation/manifest.json")
      let reporter = RunReporter(.text, night.pipeline, run: 7, directory: night.directory)
      try withExtendedLifetime(night.scratch) {
        try reporter.ended(.ingest, published: nil, seconds: 1)
        try reporter.ended(.evaluate, published: nil, seconds: 2)
        try reporter.skipped([.index])
      }
    }
    #expect(
      Self.lines(ended?.standardErrorContent) == [
        "  as of \(Night.asOf)", "  warning: 'likes' has no rows; check that its export is the right file",
        "  ingest       1.0 s  2 users, 0 likes", "                      none rejected",
        "  evaluate     2.0 s  tested on 1 200 later interactions",
        "                      learned from 0 interactions",
        "  warning: the evaluation has no interactions to learn from, because its cut is too early; set a later "
          + "'evaluation.cut'", "  already complete: index",
      ])
  }

  @Test func `the rejects of a run are whole unless some were left out`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let night = try Night(rejects: 1, sources: ["users": ["read": 2, "rejected": ["bad_id": 1]]])
      let reporter = RunReporter(.text, night.pipeline, run: 7, directory: night.directory)
      try withExtendedLifetime(night.scratch) { try reporter.runEnded(place: "/p", hasLists: false) }
    }
    #expect(
      Self.lines(ended?.standardErrorContent) == [
        "  rejected    users: 1 bad_id", "  rejects     /p/snapshot/rejects.csv", "  times       /p/run.json",
      ])
  }

  @Test func `a run for programs has an event for each step`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let night = try Night(rejects: 9, sources: Night.sources)
      let reporter = RunReporter(.json, night.pipeline, run: 7, directory: night.directory)
      try withExtendedLifetime(night.scratch) {
        reporter.runBegan()
        try reporter.skipped([])
        try reporter.skipped([.ingest, .index])
        reporter.began(.rank)
        try reporter.ended(.rank, published: nil, seconds: 1.5)
        reporter.failed(.evaluate, .signal(9), seconds: 2.5)
        try reporter.ended(.publish, published: Night.published[0], seconds: 0.5)
        try reporter.runEnded(place: "/latest", hasLists: true)
        reporter.reported("small.html", reason: "status 0")
        reporter.reported(nil, reason: "status 74")
      }
    }
    let events = try Self.lines(ended?.standardErrorContent).map { line -> [String: JSONValue] in
      var members = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)).members
      let (time, run) = (members.removeValue(forKey: "time"), members.removeValue(forKey: "run"))
      let pipeline = members.removeValue(forKey: "pipeline")
      #expect(time != nil && run == 7 && pipeline == "small")
      return members
    }
    let expected: [JSONValue] = [
      ["event": "run_started"],
      ["event": "stages_complete", "stages": .array(["ingest", "index"].map { .string($0) })],
      ["event": "stage_started", "stage": "rank"],
      [
        "event": "stage_finished", "stage": "rank", "seconds": .number(1.5),
        "as_of": .string(Night.asOf.description), "counts": Night.lists,
      ],
      [
        "event": "warning",
        "message": "all 3 lists of 'far' are empty, because there are no candidates",
      ], ["event": "stage_failed", "stage": "evaluate", "seconds": .number(2.5), "status": 137],
      [
        "event": "stage_finished", "stage": "publish", "seconds": .number(0.5),
        "published": Night.published[0],
      ], ["event": "run_finished", "place": "/latest"], ["event": "report_finished", "path": "small.html"],
      ["event": "report_failed", "reason": "status 74"],
    ]
    #expect(events.map { JSONValue.object($0) } == expected)
  }
}
