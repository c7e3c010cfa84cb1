import Columns
import Files
import Foundation
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// With `where`, several sources share an export, and each source reads its own rows.
@Suite struct ConditionTests {
  private static func yaml(_ format: ExportFormat) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      owners: { source: { path: accounts, format: \(format.rawValue), where: { kind: owner } }, id: id }
      minders:
        source: { path: accounts, format: \(format.rawValue), where: { kind: [minder, 7], live: "true" } }
        id: id
        attributes: { age: { type: number, optional: true } }
    """
  }

  private static var rows: [(id: String, kind: Any?, live: Any?, age: Any?)] {
    [
      ("o1", "owner", true, nil), ("o2", "owner", nil, "x"), ("m1", "minder", true, 5),
      ("m2", "minder", true, "x"), ("m3", 7, true, nil), ("m4", "minder", false, nil),
      ("s1", "shelter", true, nil), ("n1", nil, true, nil), ("n2", "", true, nil), ("u1", "Owner", true, nil),
      ("u2", "owner ", true, nil), ("o1", "owner", true, nil),
    ]
  }

  private func export(_ format: ExportFormat) throws -> String {
    if format == .csv {
      func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "" }
      return "id,kind,live,age\n"
        + Self.rows.map { "\($0.id),\(text($0.kind)),\(text($0.live)),\(text($0.age))\n" }.joined()
    }
    return try Self.rows.map { row -> String in
      let object = ["id": row.id, "kind": row.kind, "live": row.live, "age": row.age].compactMapValues { $0 }
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
    }.joined()
  }

  @Test(arguments: [ExportFormat.csv, .jsonl])
  func `each source takes its rows, and other rows are not rejects`(format: ExportFormat) throws {
    let night = try Night(Self.yaml(format), ["accounts": try export(format)])
    #expect(try night.ids("owners") == ["o1", "o2"])
    #expect(try night.ids("minders") == ["m1", "m3"])
    #expect(night.accounts("owners") == [3, 2, 0, 1, 0])
    #expect(night.accounts("minders") == [3, 2, 1, 0, 0])
    #expect(try night.rejects().map { $0[4] } == ["bad_number", "duplicate_id"])
    // The rows m4, s1, n1, n2, u1 and u2 belong to no source.
    #expect(night.counts("owners")?["left_out"] == 9)
    #expect(night.counts("owners")?["left_out_by_all"] == 6)
    #expect(night.counts("minders")?["left_out"] == 9)
    #expect(night.counts("minders")?["left_out_by_all"] == 6)
  }

  @Test func `every kind of source needs all of its conditions`() throws {
    let source = "path: rows, format: csv, where: { kind: a, live: \"1\", zone: [x, y] }"
    let yaml = """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        people: { source: { path: people, format: csv }, id: id }
      interactions:
        likes: { source: { \(source) }, user: u, candidate: c, at: t, value: v }
      check_ins:
        visits: { source: { \(source) }, id: id, user: u, at: t, position: { latitude: lat, longitude: lon } }
      requests:
        asks: { source: { \(source) }, user: u, candidate: c, at: t, status: { from: s, map: { o: pending } }, changed: t }
      """
    // Each of the rows 2, 3 and 4 breaks one condition.
    let rows = ["a,1,x", "b,1,x", "a,0,x", "a,1,z", "a,1,y"].enumerated().map { number, words in
      "r\(number),\(words),p,q,\(number + 10),1,50,8,o\n"
    }
    let night = try Night(
      yaml, ["people": "id\np\nq\n", "rows": "id,kind,live,zone,u,c,t,v,lat,lon,s\n" + rows.joined()])
    for name in ["likes", "visits", "asks"] {
      #expect(night.counts(name)?["left_out"] == 3, "\(name)")
      #expect(night.counts(name)?["read"] == 2, "\(name)")
    }
  }

  @Test func `a source without a condition reads all rows`() throws {
    let yaml = Self.yaml(.csv) + "\n  all: { source: { path: accounts, format: csv }, id: id }\n"
    let night = try Night(yaml, ["accounts": try export(.csv)])
    #expect(night.counts("owners")?["left_out_by_all"] == 0)
    #expect(night.counts("all")?["left_out"] == nil)
    #expect(night.accounts("all") == [12, 11, 0, 1, 0])
  }

  @Test func `a row that cannot be parsed is a reject of every source`() throws {
    let export = "id,kind,live,age\no1,owner,true,\nbroken\nm1,minder,true,1\n"
    let night = try Night(Self.yaml(.csv), ["accounts": export])
    #expect(night.accounts("owners") == [2, 1, 1, 0, 0] && night.accounts("minders") == [2, 1, 1, 0, 0])
    #expect(try night.rejects().map { $0[4] } == ["wrong_field_count", "wrong_field_count"])
  }

  @Test(arguments: [
    ("id,live,age\no1,true,\n", "kind"), ("id,knd,live,age\no1,owner,true,\n", "kind"),
    ("id,kind,age\no1,owner,\n", "live"),
  ]) func `a field that the export lacks is reported`(export: String, field: String) {
    let error = #expect(throws: ExportError.self) { try Night(Self.yaml(.csv), ["accounts": export]) }
    #expect(error?.code == .missingColumn)
    #expect(error?.description.contains("'\(field)'") == true)
  }

  @Test func `only sources that read the same export can take a row`() throws {
    let owners = "format: csv, where: { kind: owner }"
    let yaml = Self.yaml(.csv).replacing("path: accounts, " + owners, with: "path: others, " + owners)
    let others = "id,kind,live\no1,owner,true\nm1,minder,true\n"
    let night = try Night(yaml, ["accounts": try export(.csv), "others": others])
    #expect(night.counts("owners")?["left_out"] == 1 && night.counts("owners")?["left_out_by_all"] == 1)
    #expect(night.counts("minders")?["left_out"] == 9 && night.counts("minders")?["left_out_by_all"] == 9)
  }

  @Test func `a source without rows requires no fields`() throws {
    let yaml = """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        cats: { source: { path: a.jsonl, where: { kind: cat } }, id: id, attributes: { paws: { type: number } } }
        dogs: { source: { path: a.jsonl, where: { breed: setter } }, id: id }
      """
    let none = try Night(yaml, ["a.jsonl": "{\"id\":\"a\",\"kind\":\"dog\"}\n"])
    #expect(none.accounts("cats") == [0, 0, 0, 0, 0] && none.counts("cats")?["left_out_by_all"] == 1)
    #expect(none.counts("dogs")?["absent_fields"] == .array([.string("breed")]))
    let error = #expect(throws: ExportError.self) {
      try Night(yaml, ["a.jsonl": "{\"id\":\"a\",\"kind\":\"cat\"}\n"])
    }
    #expect(error?.description.contains("'paws'") == true)
  }

  @Test func `an empty export is empty in each source`() throws {
    let night = try Night(Self.yaml(.jsonl), ["accounts": ""])
    #expect(night.accounts("owners") == [0, 0, 0, 0, 0])
    #expect(night.counts("owners")?["left_out"] == 0)
  }

  @Test(arguments: [1, 2, 3]) func `the snapshot does not depend on threads and blocks`(threads: Int) throws {
    let scratch = try ScratchDirectory()
    let rows = (0..<500).map {
      "{\"id\":\"a\($0)\",\"kind\":\"\(["owner", "minder", "cat"][$0 % 3])\",\"live\":true}\n"
    }
    try scratch.write(rows.joined(), to: "accounts")
    let pipeline = try Pipeline(yaml: Self.yaml(.jsonl), file: scratch("p.yaml"))
    let manifest = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, threads: threads, blockSize: 700,
      tool: "test")
    let owners = manifest.counts["sources"]?["owners"]
    #expect(owners?["kept"] == 167 && owners?["left_out"] == 333 && owners?["left_out_by_all"] == 166)
  }

  @Test func `names of a category are written as in the pipeline file`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      reject_limit: 1
      entities:
        dogs:
          source: { path: dogs.csv }
          id: id
          attributes: { county: { type: category, names: { Cork: [Corcaigh], Dublin: Áth Cliath } } }
      """,
      ["dogs.csv": "id,county\na,CORK\nb,corcaigh\nc,\nd,A\u{301}TH CLIATH\ne,Kork\nf,Dublin\n"])
    let column = try #require(try night.snapshot().entities["dogs"]?.categories["county"])
    #expect(try night.ids("dogs") == ["a", "b", "c", "d", "f"])
    #expect(column.vocabulary.strings == ["Cork", "Dublin"])
    #expect(column.codes.elements == [0, 0, CategoryColumn.missing, 1, 1])
    #expect(try night.rejects() == [["dogs.csv", "line", "6", "county", "unknown_name", "Kork"]])
  }
}
