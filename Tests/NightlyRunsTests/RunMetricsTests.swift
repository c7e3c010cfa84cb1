import Files
import Foundation
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

struct RunMetricsTests {
  private let scratch: ScratchDirectory
  private let pipeline: Pipeline
  private static let end = Instant(milliseconds: 1_795_000_000_250)

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: small
      entities:
        users: { source: { path: users.csv }, id: id }
        items: { source: { path: items.csv }, id: id }
      interactions:
        likes:
          source: { path: likes.csv }
          user: { from: a, entity: users }
          candidate: { from: b, entity: users }
          at: at
          value: { from: v, map: { yes: 1 } }

      """, to: "small.yaml")
    pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
  }

  private func manifest(_ stage: String, _ counts: JSONValue) throws {
    let manifest = Manifest(
      tool: "test", stage: stage, pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 1_794_000_000_000), seed: 0, counts: counts)
    try scratch.write(manifest.json, to: "runs/1/\(stage)/manifest.json")
  }

  /// Writes the metrics of a run with one stage, and returns the lines that contain values.
  @discardableResult
  private func write(
    _ pipeline: Pipeline? = nil, status: System.ExitStatus = .complete, isComplete: Bool = true,
    published: JSONValue? = nil, at moment: Instant = Self.end
  ) throws -> [String] {
    var record = RunRecord(
      pipeline: "small", pipelineFile: "small.yaml", overrides: [], run: 1, threads: 1,
      started: Instant(milliseconds: 1_794_999_999_000))
    record.stages = [
      RunRecord.StageRecord(stage: "ingest", seconds: 0.25, status: 0, peakMemory: 1024),
      RunRecord.StageRecord(stage: "index", seconds: 2, status: 0, peakMemory: nil),
    ]
    (record.complete, record.published) = (isComplete, published)
    try RunMetrics(scratch("metrics.prom"), pipeline ?? self.pipeline).write(
      record, at: moment, status: status, directory: scratch("runs/1"))
    return try lines()
  }

  private func lines() throws -> [String] {
    try scratch.text("metrics.prom").split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      String($0).replacing("nightjar_", with: "").replacing("pipeline=\"small\"", with: "").replacing(
        "{,", with: "{")
    }
  }

  private func success() throws -> String? {
    try lines().first { $0.hasPrefix("last_success") }?.split(separator: " ").last.map(String.init)
  }

  @Test func `the file holds the run, its stages, the rows, the lists and the generations`() throws {
    try manifest(
      "snapshot",
      [
        "sources": [
          "likes": [
            "read": 9, "kept": 4, "newest": ["milliseconds": 1_793_999_990_000],
            "rejected": ["bad_time": 2, "bad_value": 1], "dangling": ["unknown_user": 2],
          ],
          "users": ["read": 3, "kept": 3, "newest": ["milliseconds": 1_793_999_995_000]],
        ]
      ])
    try manifest(
      "rankings",
      [
        "lists": [
          "near": [
            "users": [
              "total": 9, "full_lists": 4, "short_lists": 5, "empty_lists": 2,
              "shortfall": ["none_left": 3, "no_position": 2],
            ]
          ]
        ], "matches": ["likes": 7],
      ])
    #expect(
      try write(published: .array([["store": "a", "generation": 3], ["store": "b", "generation": 5]])) == [
        "run_finished_timestamp_seconds{} 1795000000.25", "run_status{} 0", "run_number{} 1",
        "last_success_timestamp_seconds{} 1795000000.25", #"stage_duration_seconds{stage="ingest"} 0.25"#,
        #"stage_duration_seconds{stage="index"} 2"#, #"stage_peak_memory_bytes{stage="ingest"} 1024"#,
        "as_of_timestamp_seconds{} 1794000000", "data_age_seconds{} 1000010.25",
        #"newest_row_timestamp_seconds{source="users"} 1793999995"#,
        #"newest_row_timestamp_seconds{source="likes"} 1793999990"#,
        #"rows{source="likes",outcome="dangling"} 2"#,
        #"rows{source="likes",outcome="kept"} 4"#, #"rows{source="likes",outcome="read"} 9"#,
        #"rows{source="likes",outcome="rejected"} 3"#, #"rows{source="users",outcome="kept"} 3"#,
        #"rows{source="users",outcome="read"} 3"#, #"rejected_rows{source="likes",rule="bad_time"} 2"#,
        #"rejected_rows{source="likes",rule="bad_value"} 1"#,
        #"dangling_rows{source="likes",rule="unknown_user"} 2"#,
        #"lists{list="near",kind="full"} 4"#, #"lists{list="near",kind="short"} 3"#,
        #"lists{list="near",kind="empty"} 2"#, #"shortfalls{list="near",reason="no_position"} 2"#,
        #"shortfalls{list="near",reason="none_left"} 3"#, #"matches{name="likes"} 7"#,
        #"served_generation{store="a"} 3"#, #"served_generation{store="b"} 5"#,
      ])
  }

  @Test
  func
    `without interactions the newest row decides the data's age, and without rows the snapshot decides`()
    throws
  {
    for (sources, age) in [
      (
        [
          "users": ["newest": ["milliseconds": 1_794_999_000_250]],
          "items": ["newest": ["milliseconds": 1_794_998_000_250]],
        ], "1000"
      ), ([:], "1000000.25"),
    ] as [(JSONValue, String)] {
      try manifest("snapshot", ["sources": sources])
      #expect(try write().contains("data_age_seconds{} \(age)"))
    }
  }

  @Test func `rows that are not allowed are counted by rule, and lists and matches by name`() throws {
    try manifest(
      "snapshot",
      [
        "sources": [
          "users": ["not_allowed": ["too_young": 2, "blocked": 1], "note": "text"],
          "likes": ["not_allowed": ["self": 4]],
        ]
      ])
    try manifest(
      "rankings",
      [
        "lists": [
          "near": ["users": ["full_lists": 1, "short_lists": 5, "empty_lists": 2]], "far": ["users": [:]],
        ], "matches": ["pairs": 3, "duos": 4],
        "shown": [
          "near": ["coverage": .number(0.5), "gini": .number(0.125)], "far": ["coverage": 1, "gini": 0],
        ],
      ])
    let found = try write().filter { line in
      [
        "rows", "not_allowed", "dangling", "rejected", "lists", "shortfalls", "matches", "candidates",
        "exposure",
      ].contains {
        line.hasPrefix($0)
      }
    }
    #expect(
      found == [
        #"rows{source="likes",outcome="not_allowed"} 4"#, #"rows{source="users",outcome="not_allowed"} 3"#,
        #"not_allowed_rows{source="likes",rule="self"} 4"#,
        #"not_allowed_rows{source="users",rule="blocked"} 1"#,
        #"not_allowed_rows{source="users",rule="too_young"} 2"#, #"lists{list="far",kind="full"} 0"#,
        #"lists{list="far",kind="short"} 0"#, #"lists{list="far",kind="empty"} 0"#,
        #"lists{list="near",kind="full"} 1"#, #"lists{list="near",kind="short"} 3"#,
        #"lists{list="near",kind="empty"} 2"#, #"matches{name="duos"} 4"#, #"matches{name="pairs"} 3"#,
        #"candidates_shown_ratio{list="far"} 1"#, #"candidates_shown_ratio{list="near"} 0.5"#,
        #"exposure_gini{list="far"} 0"#, #"exposure_gini{list="near"} 0.125"#,
      ])
  }

  @Test func `a ranking has a share of empty lists, except if empty lists are normal`() throws {
    let text = try scratch.text("small.yaml")
    try scratch.write(
      text + """
        rankings:
          far: { users: users, candidates: users, top: 10 }
          near: { users: users, candidates: users, top: 10 }
          new: { users: users, candidates: users, top: 10 }
          feed: { users: users, candidates: users, top: 10, among: likes }
          asks: { users: users, candidates: users, top: 10, pending: likes }

        """, to: "ranked.yaml")
    let users: JSONValue = ["users": ["total": 8, "full_lists": 4, "short_lists": 4, "empty_lists": 2]]
    try manifest(
      "rankings",
      [
        "lists": [
          "near": users, "feed": users, "asks": users, "far": ["users": ["total": 4, "full_lists": 4]],
          "new": ["users": ["total": 0]],
        ]
      ])
    let ranked = try Pipeline(file: scratch("ranked.yaml"), overrides: [])
    #expect(
      try write(ranked).filter { $0.hasPrefix("empty") } == [
        #"empty_lists_ratio{list="far"} 0"#, #"empty_lists_ratio{list="near"} 0.25"#,
      ])
  }

  @Test func `an evaluated run has the quality of each ranking, with its interval`() throws {
    func estimate(_ mean: Double, _ interval: JSONValue) -> JSONValue {
      ["users": 50, "mean": .number(mean), "interval": interval]
    }
    let metrics: JSONValue = [
      "rankings": [
        "near": [
          "method_order": .array(["pipeline", "random"].map { .string($0) }),
          "tests": .array([["method": "random", "metric": "ndcg@10"]]),
          "methods": [
            "pipeline": [
              "ordering": ["auc": estimate(0.75, .array([.number(0.5), 1]))],
              "finding": ["ndcg@10": estimate(0.25, .null)],
            ], "random": ["finding": ["ndcg@10": estimate(0.5, .null)]],
          ],
          "differences": ["random": ["ndcg@10": estimate(-0.25, .array([.number(-0.5), .number(0)]))]],
        ]
      ]
    ]
    try scratch.write(metrics.pretty, to: "runs/1/evaluation/metrics.json")
    let lines = try write().filter { $0.hasPrefix("quality") || $0.contains("shown") || $0.contains("gini") }
    #expect(
      lines == [
        #"quality{list="near",metric="auc",statistic="mean"} 0.75"#,
        #"quality{list="near",metric="auc",statistic="low"} 0.5"#,
        #"quality{list="near",metric="auc",statistic="high"} 1"#,
        #"quality{list="near",metric="ndcg",statistic="mean"} 0.25"#,
        #"quality_difference{list="near",method="random",statistic="mean"} -0.25"#,
        #"quality_difference{list="near",method="random",statistic="low"} -0.5"#,
        #"quality_difference{list="near",method="random",statistic="high"} 0"#,
      ])
  }

  /// The mutual order is judged by later matches, and the rankings come in the order of their names.
  @Test func `the quality of a mutual order is the AUC of matches`() throws {
    func estimate(_ mean: Double) -> JSONValue { ["users": 50, "mean": .number(mean), "interval": .null] }
    func methods(_ area: Double) -> JSONValue {
      [
        "pipeline": ["matching": ["match_auc": estimate(area)], "finding": ["ndcg@10": estimate(0.25)]],
        "one_sided": ["matching": ["match_auc": estimate(0.5)]],
        "random": ["matching": ["match_auc": estimate(0.25)]],
      ]
    }
    func ranking(_ area: Double) -> JSONValue {
      [
        "method_order": .array(["pipeline", "random", "one_sided"].map { .string($0) }),
        "tests": .array([["method": "random"], ["method": "one_sided"]]), "methods": methods(area),
        "differences": [
          "random": ["match_auc": estimate(area - 0.25)], "one_sided": ["match_auc": estimate(area - 0.5)],
        ],
      ]
    }
    let metrics: JSONValue = ["rankings": ["near": ranking(0.625), "far": ranking(0.75)]]
    try scratch.write(metrics.pretty, to: "runs/1/evaluation/metrics.json")
    let lines = try write().filter { $0.hasPrefix("quality") || $0.contains("shown") || $0.contains("gini") }
    #expect(
      lines == [
        #"quality{list="far",metric="ndcg",statistic="mean"} 0.25"#,
        #"quality{list="far",metric="match_auc",statistic="mean"} 0.75"#,
        #"quality{list="near",metric="ndcg",statistic="mean"} 0.25"#,
        #"quality{list="near",metric="match_auc",statistic="mean"} 0.625"#,
        #"quality_difference{list="far",method="one_sided",statistic="mean"} 0.25"#,
        #"quality_difference{list="far",method="random",statistic="mean"} 0.5"#,
        #"quality_difference{list="near",method="one_sided",statistic="mean"} 0.125"#,
        #"quality_difference{list="near",method="random",statistic="mean"} 0.375"#,
      ])
  }

  @Test func `a run without stages or stores has only its own metrics`() throws {
    #expect(
      try write().map { String($0.prefix { $0 != "_" }) }.allSatisfy {
        ["run", "last", "stage"].contains($0)
      })
    #expect(try write(published: ["store": "a", "generation": 3]).last == #"served_generation{store="a"} 3"#)
  }

  @Test func `only a complete run with a good status is a success`() throws {
    for (status, isComplete, isSuccess) in [
      (.complete, true, true), (.unchanged, true, true), (.badData, true, false), (.complete, false, false),
    ] as [(System.ExitStatus, Bool, Bool)] {
      try? FileManager.default.removeItem(atPath: scratch("metrics.prom"))
      try write(status: status, isComplete: isComplete)
      #expect(try success() == (isSuccess ? "1795000000.25" : nil))
      #expect(try lines().contains("run_status{} \(status.rawValue)"))
    }
  }

  @Test func `a failed run keeps the time of the last success, except a time in the future`() throws {
    try write()
    for (end, expected) in [(750, "1795000000.25"), (250, "1795000000.25"), (249, nil)] as [(Int64, String?)]
    {
      try write(status: .badData, isComplete: false, at: Instant(milliseconds: 1_795_000_000_000 + end))
      #expect(try success() == expected)
    }
  }

  @Test func `the last success of another pipeline is not kept`() throws {
    for (name, expected) in [("small", "17"), ("smaller", nil), ("tiny", nil)] as [(String, String?)] {
      let line = "nightjar_last_success_timestamp_seconds{pipeline=\"\(name)\"} 17\n"
      try scratch.write("nightjar_run_number{pipeline=\"small\"} 3\n" + line, to: "metrics.prom")
      try write(status: .badData, isComplete: false)
      #expect(try success() == expected, "\(name)")
    }
  }

  @Test func `a damaged manifest is an error, and the former metrics stay`() throws {
    try write()
    let before = try scratch.text("metrics.prom")
    for stage in ["snapshot", "rankings"] {
      try scratch.write("no JSON", to: "runs/1/\(stage)/manifest.json")
      #expect(throws: FileError.self) { try write() }
      try FileManager.default.removeItem(atPath: scratch("runs/1/" + stage))
    }
    try scratch.write("no JSON", to: "runs/1/evaluation/metrics.json")
    #expect(throws: FileError.self) { try write() }
    #expect(try scratch.text("metrics.prom") == before)
  }

  @Test func `only temporary files of killed runs are removed`() throws {
    let others = [
      "metrics.prom.x1.partial", "metrics.prom.12", "metrics.promx7.partial", "other.prom.3.partial",
    ]
    for name in others + ["metrics.prom.12.partial"] { try scratch.write("", to: name) }
    try write()
    #expect(Set(scratch.files) == Set(others + ["metrics.prom", "small.yaml"]))
  }

  @Test func `a run that failed before it had a number changes only status and time`() throws {
    try write()
    let before = try lines()
    try RunMetrics.noteFailure(
      .tryAgain, at: Instant(milliseconds: 1_795_000_001_500), in: scratch("metrics.prom"))
    #expect(
      try lines() == ["run_finished_timestamp_seconds{} 1795000001.5", "run_status{} 75"]
        + before.dropFirst(2))
    try RunMetrics.noteFailure(.tryAgain, at: Self.end, in: scratch("none.prom"))
    #expect(!scratch.exists("none.prom"))
  }

  @Test func `metrics go to a regular file in a directory that exists`() throws {
    try RunMetrics.check(scratch("new.prom"))
    try RunMetrics.check(scratch.write("", to: "old.prom"))
    for (path, words) in [
      ("/dev/null", "not a regular file"), (scratch("absent/new.prom"), "missing or not writable"),
    ] {
      let error = try #require(throws: FileError.self) { try RunMetrics.check(path) }
      #expect(error.exitStatus == .cannotCreate && "\(error)".contains(words))
    }
  }
}
