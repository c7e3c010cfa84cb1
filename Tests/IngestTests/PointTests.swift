import Columns
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Ingest

/// Positions whose two coordinates are in one field.
@Suite struct PointTests {
  private static func pair(_ text: String, isWKT: Bool = false) -> [Double]? {
    PointNotation.numbers(in: Array(text.utf8), isWKT: isWKT).map { [$0.0, $0.1] }
  }

  @Test(
    arguments: [
      ("52.5,13.4", [52.5, 13.4]), (" 52.5 , 13.4 ", [52.5, 13.4]), ("52.5 13.4", [52.5, 13.4]),
      ("(52.5,13.4)", [52.5, 13.4]), ("[52.5, 13.4]", [52.5, 13.4]), ("-1e1;+2", [-10, 2]),
      ("1,2,99", [1, 2]),
    ] as [(String, [Double])])
  func `a text contains two numbers`(text: String, expected: [Double]) {
    #expect(Self.pair(text) == expected)
  }

  @Test(
    arguments: [
      ("POINT(13.4 52.5)", [13.4, 52.5]), ("point ( 13.4  52.5 )", [13.4, 52.5]),
      ("POINT Z (13.4 52.5 30)", [13.4, 52.5]), ("SRID=4326;POINT(-13.4 52.5)", [-13.4, 52.5]),
    ] as [(String, [Double])])
  func `WKT contains the longitude first`(text: String, expected: [Double]) {
    #expect(Self.pair(text, isWKT: true) == expected)
  }

  @Test(arguments: [
    "", "52.5", "52.5,", "a,b", "1,2,3,4", "(52.5,13.4", "52.5,13.4)", "POINT(1 2)", "()",
    ",13.4,30", "52.5,,30", "52,5;13", "52.5,13.4,", "1;2,3",
  ])
  func `any other text is not a point`(text: String) { #expect(Self.pair(text) == nil) }

  @Test(arguments: [
    "", "13.4 52.5", "POINT", "POINT EMPTY", "POINT(1)", "POINT(1 2", "LINESTRING(1 2)", "POINT(1,2)",
    "SRID\u{1D}4326;POINT(1 2)",
  ])
  func `any other text is not WKT`(text: String) { #expect(Self.pair(text, isWKT: true) == nil) }

  private static func ingested(_ order: String, _ file: (name: String, text: String)) throws -> StageFixture {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: 2026-01-01T00:00:00Z
        reject_limit: 100 %
        privacy: { snap_positions_to: 12 }
        entities:
          people: { source: { path: \(file.name) }, id: id, position: { point: where, order: \(order) } }
        """, files: [file.name: file.text])
    try fixture.ingest()
    return fixture
  }

  private static func positions(_ fixture: StageFixture) throws -> [[Double]] {
    let people = try #require(try fixture.snapshot().entities["people"])
    let (north, east) = (try #require(people.latitude).elements, try #require(people.longitude).elements)
    return zip(north, east).map { [$0, $1].map { ($0 * 1000).rounded() / 1000 } }
  }

  @Test(
    arguments: [
      ("lat_lon", "p.csv", "id,where\na,\"52.5,13.4\"\n"),
      ("lon_lat", "p.csv", "id,where\na,\"13.4,52.5\"\n"),
      ("wkt", "p.csv", "id,where\na,POINT(13.4 52.5)\n"),
      ("lat_lon", "p.jsonl", #"{"id":"a","where":[52.5,13.4]}"#),
      ("lon_lat", "p.jsonl", #"{"id":"a","where":[13.4,52.5,30]}"#),
      ("lon_lat", "p.jsonl", #"{"id":"a","where":["13.4","52.5"]}"#),
      ("wkt", "p.jsonl", #"{"id":"a","where":"SRID=4326;POINT(13.4 52.5)"}"#),
    ])
  func `a position is read from one field`(order: String, name: String, text: String) throws {
    #expect(try Self.positions(Self.ingested(order, (name, text))) == [[52.5, 13.4]])
  }

  @Test(
    arguments: [
      ("p.jsonl", #"{"id":"a","where":[null,13.4,30]}"#, ""),
      ("p.jsonl", #"{"id":"a","where":[52.5,null,30]}"#, ""),
      ("p.jsonl", #"{"id":"a","where":{"latitude":52.5,"longitude":13.4}}"#, ""),
      ("p.json", #"{"people":{"a":{"where":{"accuracy":12,"latitude":52.5}}}}"#, "realtime"),
      ("p.json", #"{"people":{"a":{"where":{"52":true,"13":true}}}}"#, "realtime"),
      ("p.json", #"{"people":{"a":{"where":[null,13.4,30]}}}"#, "realtime"),
    ])
  func `a list with a null, or without an order, is not a point`(
    name: String, text: String, format: String
  ) throws {
    let isTree = !format.isEmpty
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: 2026-01-01T00:00:00Z
        reject_limit: 100 %
        entities:
          people:
            source: { path: \(name)\(isTree ? ", format: realtime, table: people/$id" : "") }
            id: \(isTree ? "$id" : "id")
            position: { point: where, order: lat_lon }
        """, files: [name: text])
    try fixture.ingest()
    let rejects = try String(contentsOfFile: fixture.run + "/snapshot/rejects.csv", encoding: .utf8)
    #expect(rejects.contains(",where,bad_point,"), "\(rejects)")
  }

  @Test func `a list of a Realtime Database is a point`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: 2026-01-01T00:00:00Z
        privacy: { snap_positions_to: 12 }
        entities:
          people:
            source: { path: p.json, format: realtime, table: people/$id }
            id: $id
            position: { point: l, order: lat_lon }
        """, files: ["p.json": #"{"people":{"a":{"g":"u33d","l":[52.5,13.4]}}}"#])
    try fixture.ingest()
    #expect(try Self.positions(fixture) == [[52.5, 13.4]])
  }

  @Test func `a path leads to the coordinates of GeoJSON`() throws {
    let text = #"{"id":"a","geo":{"type":"Point","coordinates":[13.4,52.5]}}"#
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: 2026-01-01T00:00:00Z
        privacy: { snap_positions_to: 12 }
        entities:
          people: { source: { path: p.jsonl }, id: id, position: { point: geo.coordinates, order: lon_lat } }
        """, files: ["p.jsonl": text])
    try fixture.ingest()
    #expect(try Self.positions(fixture) == [[52.5, 13.4]])
  }

  @Test(
    arguments: [
      ("\"91,5\"", "bad_latitude"), ("\"5,181\"", "bad_longitude"), ("5", "bad_point"),
      ("north", "bad_point"),
      ("", nil),
    ] as [(String, String?)])
  func `an invalid point is rejected, and an empty one is missing`(value: String, rule: String?) throws {
    let fixture = try Self.ingested("lat_lon", ("p.csv", "id,where\nz,\"1,2\"\na,\(value)\n"))
    let rejects = try String(contentsOfFile: fixture.run + "/snapshot/rejects.csv", encoding: .utf8)
    if let rule {
      #expect(rejects.contains(",where,\(rule),"), "\(rejects)")
    } else {
      #expect(try Self.positions(fixture)[0].allSatisfy(\.isNaN))
    }
  }
}
