import Concurrency
import Files
import Foundation
import IngestFixture
import PipelineFile
import Readers
import Testing
import TestSupport
import Text

@testable import Ingest

/// The bytes of the snapshot must not depend on which thread reads which rows.
@Suite struct ThreadTests {
  /// Exports in which rows break every rule and are out of order. Ids are short or long, and some
  /// occur twice.
  private func files(_ people: ExportFormat, _ likes: ExportFormat, seed: UInt64) -> [String: String] {
    var random = SplitMix64(seed: seed)
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    func row(_ names: [String], _ values: [String], _ format: ExportFormat) -> String {
      if format == .csv { return values.joined(separator: ",") + "\n" }
      let members = zip(names, values).filter { !$1.isEmpty }.map { name, value in
        let isNumber = Double(value) != nil && Bool.random(using: &random)
        return "\"\(name)\":" + (isNumber ? value : "\"\(value)\"")
      }
      return "{" + members.joined(separator: ",") + "}\n"
    }
    let ids =
      (0..<60).map { "p\($0)" } + (0..<40).map { "somebody-with-a-long-id-\($0 * $0)" } + ["é", "12", ""]
    let positions = [("", ""), ("1", "1"), ("89.5", "-180"), ("2", "3"), ("91", "1"), ("1", "y"), ("", "5")]
    let peopleRows = (0..<300).map { _ in
      let (latitude, longitude) = positions.randomElement(using: &random) ?? ("", "")
      return row(
        Night.peopleHeader.dropLast().split(separator: ",").map(String.init),
        [
          pick(ids), pick(["", "10", "20", "90", "x"]), pick(["", "5", "70", "2020-01-01"]), latitude,
          longitude,
          pick(["", "f", "g", "quite a long field of work"]), pick(["", "1", "2", "30", "z"]),
          pick(["", "true", "false", "?"]), pick(["", "a bio"]),
        ], people)
    }
    let likesRows = (0..<2000).map { _ in
      row(
        ["a", "b", "t", "v"],
        [
          pick(ids + ["nobody"]), pick(ids), pick(["1", "2", "50", "51", "x", "2026-01-01T00:00:00Z"]),
          pick(["yes", "no", "?"]),
        ],
        likes)
    }
    return [
      "people.\(people.rawValue)": (people == .csv ? Night.peopleHeader : "") + peopleRows.joined(),
      "likes.\(likes.rawValue)": (likes == .csv ? Night.likesHeader : "") + likesRows.joined(),
    ]
  }

  @Test(
    arguments: [(ExportFormat.csv, ExportFormat.csv), (.jsonl, .jsonl), (.csv, .jsonl)],
    0..<3 as Range<UInt64>)
  func `any number of threads and block size give the same bytes`(
    _ formats: (people: ExportFormat, likes: ExportFormat), seed: UInt64
  ) throws {
    let yaml = Night.yaml(people: formats.people, likes: formats.likes)
    let scratch = try ScratchDirectory()
    for (name, text) in files(formats.people, formats.likes, seed: seed) { try scratch.write(text, to: name) }
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    func snapshot(threads: Int, blockSize: Int) throws -> [String: [UInt8]] {
      let run = "run-\(threads)-\(blockSize)"
      let manifest = try IngestStage.run(
        pipeline, in: scratch(run), asOf: Instant(milliseconds: 60), clock: Night.clock, threads: threads,
        blockSize: blockSize, tool: "test")
      var files: [String: [UInt8]] = [:]
      for name in manifest.outputs.map(\.path) + ["manifest.json"] {
        files[name] = try scratch.bytes(run + "/snapshot/" + name)
      }
      return files
    }
    let expected = try snapshot(threads: 1, blockSize: 1 << 20)
    for name in ["interactions/likes/at.npy", "rejects.csv"] {
      #expect(try #require(expected[name]).count > 300)
    }
    for (threads, blockSize) in [(1, 100), (2, 100), (2, 1 << 20), (8, 1), (8, 3000), (3, 700)] {
      let files = try snapshot(threads: threads, blockSize: blockSize)
      #expect(files.keys.sorted() == expected.keys.sorted())
      for name in expected.keys.sorted() {
        #expect(files[name] == expected[name], "\(name), \(threads) threads, \(blockSize) bytes")
      }
    }
  }

  @Test func `messages about repeated rows are the same on any number of threads`() throws {
    let value = "    value: { from: v, map: { yes: 1, no: -1 } }"
    let yaml = Night.yaml().replacingOccurrences(
      of: value, with: value + "\n    expect: { unique: [[user, candidate]] }")
    var likes = Night.likesHeader
    for index in 0..<200 { likes += "p\(index % 5),p\(6 + index * 7 % 17),\(index),yes\n" }
    let people = Night.peopleHeader + (0..<23).map { "p\($0),,,,,,,,\n" }.joined()
    var messages: Set<String> = []
    for (threads, blockSize) in [(1, 1 << 20), (2, 64), (8, 10)] {
      let scratch = try ScratchDirectory()
      try scratch.write(people, to: "people.csv")
      try scratch.write(likes, to: "likes.csv")
      let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
      do {
        _ = try IngestStage.run(
          pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, threads: threads, blockSize: blockSize,
          tool: "test")
        Issue.record("repeated pairs were accepted")
      } catch let error as ExpectationsViolated {
        messages.formUnion(error.violations.map(\.found))
      }
    }
    #expect(messages.count == 1)
    #expect(messages.first?.contains("likes.csv, line") == true)
  }
}

@Suite struct TextOrderTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `texts are sorted as by a comparison of bytes`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let prefixes: [[UInt8]] = [[], Array("user-0000".utf8), [0], [0, 0, 0, 0, 0, 0, 0, 0], Array("ab".utf8)]
    let texts = (0..<Int.random(in: 0...400, using: &random)).map { _ in
      (prefixes.randomElement(using: &random) ?? [])
        + (0..<Int.random(in: 0...12, using: &random)).map { _ in
          [0, 1, 65, 255].randomElement(using: &random) ?? 0
        }
    }
    var ends = [0]
    for text in texts { ends.append(ends[ends.count - 1] + text.count) }
    let bytes = texts.flatMap(\.self)
    let sorted = ByteOrder.sorted(bytes.span, ends: ends.span).map(Int.init)
    let expected = texts.indices.sorted {
      texts[$0].lexicographicallyPrecedes(texts[$1]) || (texts[$0] == texts[$1] && $0 < $1)
    }
    #expect(sorted == expected)
  }
}
