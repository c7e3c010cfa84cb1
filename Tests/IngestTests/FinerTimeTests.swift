import Columns
import Concurrency
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Several rows have times in the same millisecond. Digits below a millisecond decide the order.
@Suite struct FinerTimeTests {
  private static let people = "a,,,,,,,,\nb,,,,,,,,\nc,,,,,,,,\nd,,,,,,,,\n"

  @Test func `interactions in the same millisecond are ordered by their finer digits`() throws {
    let night = try Night(
      people: Self.people,
      likes: """
        a,d,2025-01-01T00:00:00.000900Z,yes
        a,b,2025-01-01T00:00:00.000100Z,yes
        a,c,2025-01-01T00:00:00.000100001Z,no
        b,a,2025-01-01T00:00:00Z,yes
        a,b,2025-01-01T00:00:00.000Z,no

        """)
    let likes = try #require(try night.snapshot().interactions["likes"])
    #expect(likes.user.elements == [0, 0, 0, 0, 1])
    #expect(likes.candidate.elements == [1, 1, 2, 3, 0])
    #expect(Set(likes.at.elements) == [1_735_689_600_000])
  }

  /// Returns an export with likes of `a` in the given format.
  private static func likes(_ rows: [(candidate: String, at: String)], _ format: ExportFormat) -> String {
    func objects(_ value: (String, String) -> String) -> [String] {
      rows.map { candidate, at in
        "{" + [("a", "a"), ("b", candidate), ("t", at), ("v", "yes")].map(value).joined(separator: ",") + "}"
      }
    }
    let plain = objects { "\"\($0)\":\"\($1)\"" }
    switch format {
    case .tsv: return likes(rows, .csv).replacing(",", with: "\t")
    case .jsonl: return plain.map { $0 + "\n" }.joined()
    case .json, .realtime: return "[" + plain.joined(separator: ",") + "]"
    case .parse: return "{\"results\":[" + plain.joined(separator: ",") + "]}"
    case .firestore:
      let documents = objects { name, value in
        "\"\(name)\":{\"\(name == "t" ? "timestampValue" : "stringValue")\":\"\(value)\"}"
      }
      return "{\"documents\":[" + documents.map { "{\"fields\":\($0)}" }.joined(separator: ",") + "]}"
    default:
      return Night.likesHeader + rows.map { "a,\($0.candidate),\($0.at),yes\n" }.joined()
    }
  }

  @Test(arguments: [ExportFormat.csv, .tsv, .jsonl, .json, .firestore, .parse, .realtime])
  func `the finer digits decide in every format of text`(format: ExportFormat) throws {
    let rows = [("d", "9"), ("b", "1"), ("c", "2")].map { ($0, "2025-01-01T00:00:00.00000\($1)Z") }
    let night = try Night(
      Night.yaml(likes: format),
      [
        "people.csv": Night.peopleHeader + Self.people, "likes.\(format.rawValue)": Self.likes(rows, format),
      ])
    let likes = try #require(try night.snapshot().interactions["likes"])
    #expect(likes.candidate.elements == [1, 2, 3])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `many interactions have the order of a stable sort, on any number of threads`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let ids = ["a", "b", "c", "d"]
    var rows: [(user: Int, candidate: Int, microseconds: Int, index: Int)] = []
    for index in 0..<400 {
      let user = Int.random(in: 0..<4, using: &random)
      let candidate = (user + Int.random(in: 1...3, using: &random)) % 4
      rows.append((user, candidate, Int.random(in: 0..<3000, using: &random), index))
    }
    let base = 1_735_689_600_000_000
    let yaml = Night.yaml().replacing("at: t", with: "at: { from: t, unit: microseconds }")
    let text = rows.map { "\(ids[$0.user]),\(ids[$0.candidate]),\(base + $0.microseconds),yes\n" }.joined()
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + Self.people, to: "people.csv")
    try scratch.write(Night.likesHeader + text, to: "likes.csv")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    let sorted = rows.sorted { ($0.user, $0.microseconds, $0.index) < ($1.user, $1.microseconds, $1.index) }
    for threads in [1, 3] {
      _ = try IngestStage.run(
        pipeline, in: scratch("run\(threads)"), asOf: nil, clock: Night.clock, threads: threads,
        blockSize: 700,
        tool: "test")
      let snapshot = try Snapshot(
        scratch("run\(threads)/snapshot"), entities: pipeline.entities.map(\.schema),
        interactions: pipeline.interactions.map(\.schema))
      let likes = try #require(snapshot.interactions["likes"])
      #expect(likes.candidate.elements == sorted.map { UInt32($0.candidate) })
      #expect(likes.at.elements == sorted.map { Int64((base + $0.microseconds) / 1000) })
    }
  }

  @Test func `digits below a millisecond decide the latest interaction of a pair`() throws {
    let yaml = Night.yaml().replacing(
      "value: { from: v, map: { yes: 1, no: -1 } }",
      with: "value: { from: v, map: { yes: 1, no: -1 }, latest: true }")
    let night = try Night(
      yaml,
      [
        "people.csv": Night.peopleHeader + Self.people,
        "likes.csv": Night.likesHeader
          + "a,b,2025-01-01T00:00:00.000002Z,no\na,b,2025-01-01T00:00:00.000001Z,yes\n",
      ])
    let likes = try #require(try night.snapshot().interactions["likes"])
    let value = likes.value.span[0]
    #expect(likes.at.elements.count == 1 && value == -1)
  }

  @Test func `finer digits decide which version is current, also as of an earlier time`() throws {
    let people =
      "a,,2025-01-01T00:00:00.0002Z,,,new,,,\na,,2025-01-01T00:00:00.0001Z,,,old,,,\nb,,,,,,,,\n"
      + "b,,2025-01-03T00:00:00.0005Z,,,third,,,\nb,,2025-01-02T00:00:00.0009Z,,,second,,,\n"
      + "b,,2025-01-02T00:00:00.0001Z,,,first,,,\n"
    let now = try Night(people: people)
    #expect(try fields(now) == ["new", "third"])
    let then = try Night(people: people, asOf: Instant(milliseconds: 1_735_862_400_000 - 1))
    #expect(try fields(then) == ["new", "second"])
  }

  private func fields(_ night: Night) throws -> [String] {
    let table = try #require(try night.snapshot().entities["people"])
    let column = try #require(table.categories["field"])
    return column.codes.elements.map { column.vocabulary.strings[Int($0)] }
  }
}
