import Columns
import Concurrency
import Files
import Geohash
import Ingest
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Index

@Suite struct IndexStageTests {
  private struct Person {
    var position: Coordinate?
    var field: String
  }

  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    privacy: { snap_positions_to: 3 }
    entities:
      people:
        source: { path: people.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { field: { type: category } }
      things: { source: { path: things.csv }, id: id }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: people }
        at: t
        value: v
    model: { learns_from: likes, features: [category: field] }
    """

  private func run(
    _ people: [Person], in scratch: ScratchDirectory, yaml: String = Self.yaml
  ) throws -> (Manifest, Pipeline) {
    let rows = people.enumerated().map { index, person in
      let place = person.position.map { "\($0.latitude),\($0.longitude)" } ?? ","
      return "p\(1000 + index),\(place),\(person.field)\n"
    }
    try scratch.write("id,lat,lon,field\n" + rows.joined(), to: "people.csv")
    try scratch.write("id\nx\n", to: "things.csv")
    try scratch.write("a,b,t,v\n", to: "likes.csv")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    _ = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: nil, clock: Instant(milliseconds: 0), tool: "test")
    return (try IndexStage.run(pipeline, in: scratch("run"), tool: "test"), pipeline)
  }

  @Test func `cells count the categories of the model's candidates only`() throws {
    let pipeline = try Pipeline(yaml: Self.yaml, file: "p.yaml")
    #expect(try pipeline.bucketCategories(of: #require(pipeline.entity("people"))) == ["field"])
    #expect(try pipeline.bucketCategories(of: #require(pipeline.entity("things"))) == [])
  }

  private func people(_ count: Int, seed: UInt64) -> [Person] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      // People are in a few towns, so many cells contain several people. One person in six has no
      // position.
      let latitude = (random.nextUnit() * 6).rounded() * 15 - 45 + random.nextUnit()
      let longitude = (random.nextUnit() * 4).rounded() * 90 - 180
      let position = random.next() % 6 == 0 ? nil : Coordinate(latitude: latitude, longitude: longitude)
      return Person(
        position: position, field: ["Arts", "Law", "a\"b", ""].randomElement(using: &random) ?? "")
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `codes are sorted, belong to their rows, and cover all entities with a position`(seed: UInt64) throws {
    let scratch = try ScratchDirectory()
    let people = people(200, seed: seed)
    let (manifest, pipeline) = try run(people, in: scratch)
    let table = try #require(
      try Snapshot(scratch("run/snapshot"), entities: pipeline.entities.map(\.schema), interactions: [])
        .entities["people"])
    let rows = try Column<UInt32>(scratch("run/index/people/rows.npy")).elements
    let codes = try Column<UInt64>(scratch("run/index/people/codes.npy")).elements
    let cells = try StringColumn(scratch("run/index/people/geohash")).strings
    let positioned = people.indices.filter { people[$0].position != nil }
    #expect(Set(rows) == Set(positioned.map { UInt32($0) }))
    #expect(rows.count == positioned.count)
    #expect(zip(codes, codes.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(zip(zip(codes, rows), zip(codes.dropFirst(), rows.dropFirst())).allSatisfy { $0 < $1 })
    for (row, code) in zip(rows, codes) {
      let latitude = try #require(table.latitude)[row]
      let longitude = try #require(table.longitude)[row]
      let snapped = try #require(Coordinate(latitude: latitude, longitude: longitude))
      #expect(Geohash(snapped, precision: 12).bits == code)
    }
    for (person, cell) in zip(people, cells) {
      #expect(cell == (person.position.map { Geohash($0, precision: 3).description } ?? ""))
    }
    #expect(manifest.counts["entities"]?["people"]?["positioned"]?.integerValue == positioned.count)
    #expect(
      manifest.counts["entities"]?["people"]?["without_position"]?.integerValue == people.count
        - positioned.count)
    #expect(
      manifest.counts["entities"]?["people"]?["cells"]?.integerValue == Set(cells).subtracting([""]).count)
    #expect(manifest.counts["entities"]?["things"] == nil)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `buckets equal counts from a filter`(seed: UInt64) throws {
    let scratch = try ScratchDirectory()
    let people = people(150, seed: 100 + seed)
    _ = try run(people, in: scratch)
    let table = plainCSVText(try scratch.bytes("run/index/people/buckets.csv"))
    let words = Set(people.map(\.field)).subtracting([""]).sorted()
    #expect(table.first == ["cell", "entities"] + words.map { "field=\($0)" })
    let buckets = Dictionary(grouping: people.filter { $0.position != nil }) { person in
      person.position.map { Geohash($0, precision: 3).description } ?? ""
    }
    let expected = buckets.sorted { $0.key < $1.key }.map { cell, inside in
      [cell, String(inside.count)] + words.map { word in String(inside.count { $0.field == word }) }
    }
    #expect(Array(table.dropFirst()) == expected)
  }

  /// The export has more people and more cells than one thread processes at a time.
  @Test func `the index has the same bytes with 1, 2 and 8 threads`() throws {
    let scratch = try ScratchDirectory()
    let yaml = Self.yaml.replacing("snap_positions_to: 3", with: "snap_positions_to: 6")
    let (one, pipeline) = try run(people(40_000, seed: 9), in: scratch, yaml: yaml)
    let cells = try #require(one.counts["entities"]?["people"]?["cells"]?.integerValue)
    try #require(cells > 5000)
    for threads in [2, 8] {
      try Directories.remove(scratch("run/index"))
      #expect(try IndexStage.run(pipeline, in: scratch("run"), tool: "test", threads: threads) == one)
    }
  }

  @Test func `without positions the index is empty and searchable`() throws {
    let scratch = try ScratchDirectory()
    let (manifest, _) = try run([Person(position: nil, field: "Law")], in: scratch)
    #expect(manifest.counts["entities"]?["people"] == ["positioned": 0, "without_position": 1, "cells": 0])
    let index = try SpatialIndex(scratch("run/index"), entity: "people", count: 1)
    let center = try #require(Coordinate(latitude: 0, longitude: 0))
    #expect(index.candidateRanges(around: center, radiusInKilometers: 20_000).isEmpty)
    #expect(plainCSVText(try scratch.bytes("run/index/people/buckets.csv")).count == 1)
  }

  @Test func `the manifest names the source snapshot`() throws {
    let scratch = try ScratchDirectory()
    let (manifest, _) = try run(people(10, seed: 1), in: scratch)
    #expect(
      manifest.parents == ["snapshot": SHA256.digest(of: try scratch.bytes("run/snapshot/manifest.json"))])
  }

  @Test func `a missing snapshot is a find error, and no index is written`() throws {
    let scratch = try ScratchDirectory()
    let pipeline = try Pipeline(yaml: Self.yaml, file: scratch("p.yaml"))
    let error = #expect(throws: FileError.self) {
      _ = try IndexStage.run(pipeline, in: scratch("run"), tool: "t")
    }
    #expect(error?.operation == .find)
    #expect(scratch.files.isEmpty)
  }

  @Test(
    arguments: [
      ([0, 1, 2], [5, 5, 6], nil), ([2, 0, 1], [0, 5, 1 << 60 - 1], nil), ([1], [7], nil), ([], [], nil),
      ([0, 1], [5], "codes.npy"), ([0, 1, 2], [5, 6, 5], "in ascending order"),
      ([0, 1], [6, 5], "in ascending order"),
      ([0], [1 << 60], "in ascending order"), ([0, 1], [5, 1 << 60], "in ascending order"),
      ([0, 1], [5, .max], "in ascending order"), ([0, 1, 0], [5, 5, 6], "a row occurs twice"),
      ([3], [5], "rows.npy"),
    ] as [([UInt32], [UInt64], String?)])
  func `an index has each row at most once, and cells in order`(
    rows: [UInt32], codes: [UInt64], fault: String?
  ) throws {
    let scratch = try ScratchDirectory()
    var directory = try StageDirectory("index", in: scratch.path)
    try Column<UInt32>.write(rows, to: "people/rows.npy", in: &directory)
    try Column<UInt64>.write(codes, to: "people/codes.npy", in: &directory)
    _ = try directory.complete(
      Manifest(
        tool: "t", stage: "index", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0,
        counts: .null))
    if let fault {
      let error = try #require(throws: FileError.self) {
        _ = try SpatialIndex(scratch("index"), entity: "people", count: 3)
      }
      #expect("\(error)".contains(fault))
    } else {
      #expect(try SpatialIndex(scratch("index"), entity: "people", count: 3).rows == rows)
    }
  }
}
