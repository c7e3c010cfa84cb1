import Readers
import Testing
import TestSupport

@testable import PipelineFile

/// Returns the source of an entity. `source` is the flow mapping of its key.
private func source(_ source: String) throws(PipelineFileError) -> Pipeline.Source {
  let yaml = "pipeline: p\nentities: { u: { source: { \(source) }, id: id } }\n"
  return try pipeline(yaml).entities[0].source
}

@Suite struct SourceTests {
  @Test func `every key of a source has its effect`() throws {
    let all = try pipeline(everyKey)
    let people = try #require(all.entity("people")?.source)
    #expect(people.paths == ["people.csv", "more"])
    #expect(people.format == .csv)
    #expect(
      people.options
        == ExportOptions(
          delimiter: UInt8(ascii: ";"), quote: UInt8(ascii: "'"), missing: ["NA", "null"],
          expansion: ExpansionLimits(bytes: 2 << 30, ratio: 50)))
    #expect(all.entity("trees")?.source.options == ExportOptions(table: "trees/$id"))
    let answers = try #require(all.entity("answers")?.source)
    #expect(answers.paths == [] && answers.format == .duckdb)
    #expect(answers.options.query == "SELECT 1 AS id")
  }

  @Test func `missing keys have defaults`() throws {
    let options = try source("path: a.csv").options
    #expect(options == ExportOptions())
    #expect(options.expansion.bytes == 68_719_476_736 && options.expansion.ratio == 1000)
  }

  @Test(arguments: [
    ("a.csv", ExportFormat.csv), ("a.tsv", .tsv), ("a.jsonl", .jsonl), ("a.ndjson", .jsonl),
    ("a.json", .json),
    ("a.parquet", .parquet), ("a.csv.gz", .csv), ("a.jsonl.zst", .jsonl), ("A.CSV", .csv),
    ("b/a.csv.GZ", .csv),
    ("b.json/a.csv", .csv), ("\"b/*.csv\"", .csv), ("[a.csv, b.csv.gz, \"c/*.csv\"]", .csv),
    ("2024.11.21.csv", .csv), ("/a.tsv", .tsv),
  ]) func `the file extension decides the format`(path: String, format: ExportFormat) throws {
    #expect(try source("path: \(path)").format == format)
  }

  @Test func `a given format overrides the file extension`() throws {
    #expect(try source("path: [a.csv, b.json, c], format: tsv").format == .tsv)
    #expect(try source("path: \"-\", format: jsonl").paths == ["-"])
    #expect(try source("path: -, format: jsonl").paths == ["-"])
    #expect(try source("path: users.json, format: firestore").format == .firestore)
  }

  @Test(arguments: [
    ("1", 1), ("1000", 1000), ("5 B", 5), ("5kB", 5000), ("500 MB", 500_000_000), ("3 GB", 3_000_000_000),
    ("2 TB", 2_000_000_000_000), ("1 KiB", 1024), ("7MiB", 7_340_032), ("64 GiB", 68_719_476_736),
    ("2 TiB", 2_199_023_255_552), ("8388607 TiB", 9_223_370_937_343_148_032), ("\"64  GiB\"", 68_719_476_736),
  ]) func `a size is parsed to bytes`(text: String, bytes: Int) throws {
    #expect(try source("path: a.csv, max_expanded: \(text)").options.expansion.bytes == bytes)
  }

  @Test func `missing texts are taken as written, including YAML's words for null`() throws {
    let missing = try source("path: a.csv, missing: [\"\", NA, null, ~, -999, 1.50, true, 'null', \" \"]")
      .options
      .missing
    let override = try pipeline(everyKey, ["entities.people.source.missing=[~, null, 0]"])
    #expect(override.entity("people")?.source.options.missing == ["~", "null", "0"])
    #expect(missing == ["", "NA", "null", "~", "-999", "1.50", "true", "null", " "])
  }

  @Test(arguments: [
    ("\"\\t\"", UInt8(9)), ("\";\"", 59), ("';'", 59), ("\" \"", 32), ("\"|\"", 124), ("\":\"", 58),
    ("\"\\x01\"", 1),
  ]) func `a delimiter is one character`(text: String, byte: UInt8) throws {
    #expect(try source("path: a.csv, delimiter: \(text)").options.delimiter == byte)
  }

  @Test func `a source without a header, without quotes or in another encoding`() throws {
    let options = try source("path: a.csv, columns: [id, name], quote: none, encoding: latin1").options
    #expect(options.columns == ["id", "name"] && options.encoding == .latin1)
    #expect(options.quote == ExportOptions.noQuote)
    let plain = try source("path: a.jsonl, encoding: utf-16").options
    #expect(plain.columns.isEmpty && plain.encoding == .utf16 && plain.quote == UInt8(ascii: "\""))
  }

  @Test func `only one source can be standard input, and a second is rejected on its line`() throws {
    let yaml = """
      pipeline: p
      entities:
        a: { source: { path: "-", format: csv }, id: id }
        b: { source: { path: b.csv }, id: id }
      interactions:
        likes:
          source:
            format: csv
            path: likes.csv
          user: { from: u, entity: a }
          candidate: { from: c, entity: b }
          at: t
          value: v
      """
    #expect(mistake(yaml) == nil)
    let third = try #require(mistake(yaml.replacing("path: likes.csv", with: "path: \"-\"")))
    #expect(third.place == "p.yaml:9:13")
    #expect(third.reason.contains("'a'"), "\(third)")
    let second = try #require(mistake(yaml.replacing("path: b.csv", with: "path: [\"-\"], format: csv")))
    #expect(second.place == "p.yaml:4:24")
    let override = try #require(
      mistake(yaml, ["entities.b.source.path=\"-\"", "entities.b.source.format=csv"]))
    #expect(override.place == "--set entities.b.source.path")
    let bare = try #require(mistake(yaml, ["entities.b.source.path=-", "entities.b.source.format=csv"]))
    #expect(bare.reason.contains("'a'"))
  }
}
