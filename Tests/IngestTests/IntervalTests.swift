import Columns
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import SnapshotEditing
import Testing
import TestSupport
import Text

@testable import Ingest

/// Valid and invalid sets of intervals in every format.
@Suite struct IntervalTests {
  private func night(
    _ format: ExportFormat, _ text: String, _ options: String = ""
  ) throws -> Night {
    try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      reject_limit: 1
      entities:
        workers:
          source: { path: workers.x, format: \(format.rawValue) }
          id: id
          updated: changed
          attributes: { free: { type: intervals, from: slots\(options) } }
      """, ["workers.x": text], asOf: Instant(milliseconds: 100))
  }

  private func spans(_ night: Night) throws -> [[Range<Int64>]] {
    let column = try #require(night.snapshot().entities["workers"]?.intervals["free"])
    return (0..<column.count).map { column.intervals($0) }
  }

  private static let span: Range<Int64> = 1_767_225_600_000..<1_767_232_800_000

  @Test(arguments: [
    (
      ExportFormat.csv, "id,changed,slots\nw,1,2026-01-01T00:00:00Z/2026-01-01T02:00:00Z\n", ""
    ),
    (.csv, "id,changed,slots\nw,1,2026-01-01T01:00:00+01:00/2026-01-01T02:00:00Z\n", ""),
    (
      .jsonl,
      #"{"id":"w","changed":1,"slots":[{"from":"2026-01-01T00:00:00Z","x":{},"to":"2026-01-01T02:00:00Z"}]}"#,
      ""
    ),
    (.jsonl, #"{"id":"w","changed":1,"slots":[{"to":1767232800000,"from":1767225600000}]}"#, ""),
    (.jsonl, #"{"id":"w","changed":1,"slots":["2026-01-01T00:00:00Z/2026-01-01T02:00:00Z", null]}"#, ""),
    (
      .json, #"[{"id":"w","changed":1,"slots":[{"a":1767225600000,"b":"2026-01-01T02:00:00Z"}]}]"#,
      ", ends: [a, b]"
    ),
    (
      .parse,
      #"{"id":"w","changed":1,"slots":[{"from":{"__type":"Date","iso":"2026-01-01T00:00:00Z"},"to":{"__type":"Date","iso":"2026-01-01T02:00:00Z"}}]}"#,
      ""
    ),
    (
      .firestore,
      #"{"name":"d/w","fields":{"id":{"stringValue":"w"},"changed":{"integerValue":"1"},"slots":{"arrayValue":{"values":[{"mapValue":{"fields":{"from":{"timestampValue":"2026-01-01T00:00:00Z"},"note":{"mapValue":{}},"to":{"timestampValue":"2026-01-01T02:00:00Z"}}}}]}}}}"#,
      ""
    ),
    (
      .realtime,
      #"{"x":{"id":"w","changed":1,"slots":{"-Nx":{"from":1767225600000,"to":1767232800000}}}}"#, ""
    ),
  ])
  func `every format supports intervals`(format: ExportFormat, text: String, options: String) throws {
    let night = try night(format, text, options)
    #expect(try night.rejects() == [])
    #expect(try spans(night) == [[Self.span]])
  }

  @Test func `several intervals are sorted and unchanged`() throws {
    let text =
      #"{"id":"w","changed":1,"slots":[{"from":50,"to":60},{"from":10,"to":55},{"from":50,"to":60}]}"#
    #expect(try spans(night(.jsonl, text)) == [[10..<55, 50..<60, 50..<60]])
    #expect(
      try spans(night(.csv, "id,changed,slots\nw,1,5/6|1/2\n", ", separator: \"|\"")) == [[1..<2, 5..<6]])
  }

  @Test(arguments: [
    "[{}]", "[{\"from\":1}]", "[{\"from\":1,\"to\":1}]", "[{\"from\":2,\"to\":1}]",
    "[{\"from\":1,\"to\":\"soon\"}]", "[{\"from\":true,\"to\":2}]", "[{\"from\":1,\"to\":2,\"to\":3}]",
    "[{\"from\":1,\"to\":[2]}]", "[1]", "[true]", "[[1,2]]", "{\"from\":1,\"to\":2}", "5", "true",
    "\"weekends\"", "\"1/2/3\"", "\"1\"", "\"/2\"", "[{\"from\":1,\"to\":2},{\"from\":1}]",
  ])
  func `a broken interval rejects the row`(slots: String) throws {
    let night = try night(
      .jsonl, "{\"id\":\"v\",\"changed\":1,\"slots\":[]}\n{\"id\":\"w\",\"changed\":1,\"slots\":\(slots)}\n")
    #expect(try night.rejects().map { [$0[3], $0[4]] } == [["slots", "bad_intervals"]])
    #expect(try spans(night) == [[]])
  }

  @Test(arguments: ["[]", "null", "\"\"", "[null]"]) func `a value without intervals is an empty set`(
    slots: String
  ) throws {
    let night = try night(.jsonl, "{\"id\":\"w\",\"changed\":1,\"slots\":\(slots)}\n")
    #expect(try night.rejects() == [])
    #expect(try spans(night) == [[]])
  }

  @Test func `versions have their own intervals`() throws {
    let night = try night(
      .jsonl,
      #"{"id":"w","changed":5,"slots":[{"from":1,"to":2}]}"# + "\n"
        + #"{"id":"w","changed":9,"slots":[{"from":3,"to":4},{"from":5,"to":6}]}"# + "\n"
        + #"{"id":"v","changed":9,"slots":[{"from":7,"to":8}]}"#)
    #expect(try spans(night) == [[7..<8], [3..<4, 5..<6]])
    _ = try SnapshotCut.write(
      night.snapshot(), pipeline: night.pipeline, entityCut: { _, _ in 6 },
      keepsInteraction: { _, _ in true },
      asOf: Instant(milliseconds: 6), into: night.scratch("cut"), tool: "test", laterProfiles: .unknown)
    let cut = try Snapshot(
      night.scratch("cut/snapshot"), entities: night.pipeline.entities.map(\.schema), interactions: [])
    let column = try #require(cut.entities["workers"]?.intervals["free"])
    #expect((0..<2).map { column.intervals($0) } == [[], [1..<2]])
  }

  @Test(
    arguments: [
      (10..<20, true), (0..<10, false), (20..<30, false), (0..<11, true), (19..<20, true), (20..<21, false),
      (14..<15, true), (0..<100, true),
    ] as [(Range<Int64>, Bool)])
  func `intervals that only touch do not overlap`(interval: Range<Int64>, overlaps: Bool) throws {
    let night = try night(
      .jsonl,
      "{\"id\":\"w\",\"changed\":1,\"slots\":[{\"from\":\(interval.lowerBound),\"to\":\(interval.upperBound)}]}"
    )
    let column = try #require(night.snapshot().entities["workers"]?.intervals["free"])
    #expect(column.overlaps(0, 10..<20) == overlaps)
  }
}
