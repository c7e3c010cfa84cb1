import Columns
import Concurrency
import Files
import Foundation
import Geohash
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

@Suite struct AsOfTests {
  private static let people = "a,,,,,,,,\nb,,,,,,,,\n"
  private static let now = Night.clock.milliseconds

  @Test func `the as-of time is the newest interaction up to the clock`() throws {
    let night = try Night(
      people: Self.people, likes: "a,b,5,yes\nb,a,\(Self.now),yes\na,b,\(Self.now + 1),no\nb,a,7,no\n")
    #expect(night.manifest.asOf == Night.clock)
    #expect(night.manifest.counts["as_of_from"] == "newest_interaction")
    #expect(night.accounts("likes") == [4, 3, 0, 0, 1])
  }

  @Test func `rejected interactions and created and updated times do not count`() throws {
    let night = try Night(people: "a,,500,,,,,,\nb,,,,,,,,\n", likes: "a,b,5,yes\na,z,9,yes\na,b,8,perhaps\n")
    #expect(night.manifest.asOf == Instant(milliseconds: 5))
  }

  @Test func `a given as-of time applies, even if it is later than the clock`() throws {
    for milliseconds in [3, 5, Self.now + 1000] {
      let asOf = Instant(milliseconds: milliseconds)
      let night = try Night(people: Self.people, likes: "a,b,5,yes\nb,a,\(Self.now + 1),yes\n", asOf: asOf)
      #expect(night.manifest.asOf == asOf)
      #expect(night.manifest.counts["as_of_from"] == "given")
      let kept = [5, Self.now + 1].count { $0 <= milliseconds }
      #expect(night.accounts("likes") == [2, kept, 0, 0, 2 - kept])
    }
  }

  @Test(arguments: ["", "a,b,1767225600001,yes\n", "a,b,1767312000000,yes\nb,a,1999999999999,yes\n"])
  func `without an interaction up to now, the clock is the as-of time`(likes: String) throws {
    let night = try Night(people: Self.people, likes: likes)
    #expect(night.manifest.asOf == Night.clock)
    #expect(night.manifest.counts["as_of_from"] == "clock")
  }

  @Test func `entities created later are later, and so are rows that refer to them`() throws {
    let night = try Night(
      people: "a,,,,,,,,\nb,50,,,,,,,\nc,51,,,,,,,\n",
      likes: "a,b,10,yes\na,c,20,yes\nc,a,30,yes\nb,a,40,no\na,b,51,yes\n", asOf: Instant(milliseconds: 50))
    #expect(night.accounts("people") == [3, 2, 0, 0, 1])
    #expect(night.accounts("likes") == [5, 2, 0, 0, 3])
    #expect(try night.ids() == ["a", "b"])
    let likes = try #require(try night.snapshot().interactions["likes"])
    #expect(likes.user.elements == [0, 1])
    #expect(likes.candidate.elements == [1, 0])
  }

  @Test func `the pipeline file sets the unit of integers`() throws {
    let seconds = Night.yaml().replacing("at: t", with: "at: { from: t, unit: seconds }")
    for (yaml, expected) in [(Night.yaml(), 1_600_000_000), (seconds, 1_600_000_000_000)] as [(String, Int64)]
    {
      let night = try Night(
        yaml, ["people.csv": Night.peopleHeader + Self.people, "likes.csv": "a,b,t,v\na,b,1600000000,yes\n"])
      #expect(night.manifest.asOf.milliseconds == expected)
    }
  }

  @Test func `values without a map are numbers`() throws {
    let yaml = Night.yaml().replacing("{ from: v, map: { yes: 1, no: -1 } }", with: "v")
    let night = try Night(
      yaml,
      [
        "people.csv": Night.peopleHeader + Self.people,
        "likes.csv": "a,b,t,v\na,b,1,4.5\na,b,2,-1e3\na,b,3,good\na,b,4,\na,b,5,inf\n",
      ])
    #expect(try night.snapshot().interactions["likes"]?.value.elements == [4.5, -1000])
    #expect(night.counts("likes")?["rejected"] == ["bad_number": 2, "unknown_value": 1])
  }
}

@Suite struct SnapshotTests {
  @Test func `columns have the values of the rows, and each type has a missing value`() throws {
    let night = try Night(
      people: "b,7,9,1.5,2.5,Arts,30.5,true,\"He said \"\"hi\"\"\"\na,,,,,,,,\n",
      asOf: Instant(milliseconds: 100))
    let people = try #require(try night.snapshot().entities["people"])
    #expect(people.ids.strings == ["a", "b"])
    #expect(people.latitude?[0].isNaN == true)
    #expect(people.longitude?[0].isNaN == true)
    #expect(people.categories["field"]?.codes.elements == [CategoryColumn.missing, 0])
    #expect(people.categories["field"]?.vocabulary.strings == ["Arts"])
    #expect(people.numbers["age"]?[0].isNaN == true)
    #expect(people.numbers["age"]?[1] == 30.5)
    #expect(people.flags["gone"]?.elements == [0, 1])
    #expect(people.texts["bio"]?.strings == ["", "He said \"hi\""])
    #expect(people.row(of: "b") == 1)
    #expect(people.row(of: "c") == nil)
    #expect(
      try Column<Int64>(night.scratch("run/snapshot/entities/people/created.npy")).elements == [.min, 7])
  }

  @Test(arguments: [1, 6, 12])
  func `a position is replaced by the center of its cell`(precision: Int) throws {
    let places = [
      (90.0, 180.0), (-90, -180), (90, -180), (-90, 180), (0, 0), (-0.0, -0.0), (48.137, 11.575), (0, 180),
      (0, -180),
    ]
    let rows = places.enumerated().map { "\($0),,,\($1.0),\($1.1),,,,\n" }
    let night = try Night(people: rows.joined(), precision: precision)
    let people = try #require(try night.snapshot().entities["people"])
    for (row, place) in places.enumerated() {
      let coordinate = try #require(Coordinate(latitude: place.0, longitude: place.1))
      let center = Geohash(coordinate, precision: precision).center
      #expect(people.latitude?[row] == center.latitude, "\(place)")
      #expect(people.longitude?[row] == center.longitude, "\(place)")
    }
  }

  @Test(
    arguments: [
      ("{ from: field, at_most: 6, words: { street: 6, town: 4, county: 3 } }", 6, [6, 4, 3, 3, 3, 3]),
      ("{ from: age, at_most: 6, at_least: 2 }", 6, [6, 6, 5, 2, 2, 2]),
      ("{ from: age, at_most: 5 }", 5, [5, 5, 5, 2, 1, 1]), ("7", 7, [7, 7, 7, 7, 7, 7]),
    ] as [(String, Int, [Int])])
  func `each person chooses the size of the cell`(setting: String, most: Int, precisions: [Int]) throws {
    let (words, numbers) = (["street", "town", "county", "moon", "", ""], ["6", "7", "5.9", "2", "1", ""])
    let rows = words.indices.map { "\($0),,,48.137,11.575,\(words[$0]),\(numbers[$0]),,\n" }
    let night = try Night(
      Night.yaml().replacing("snap_positions_to: 12", with: "snap_positions_to: \(setting)"),
      ["people.csv": Night.peopleHeader + rows.joined(), "likes.csv": Night.likesHeader])
    let people = try #require(try night.snapshot().entities["people"])
    let coordinate = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let centers = precisions.map { Geohash(coordinate, precision: $0).center }
    #expect(people.latitude?.elements == centers.map(\.latitude))
    #expect(people.longitude?.elements == centers.map(\.longitude))
    #expect(night.manifest.counts["snapped_to_precision"] == .integer(most))
  }

  @Test func `JSON numbers and flags are words and texts`() throws {
    let first = #"{"id":"a","created":1,"updated":1,"field":7,"age":1,"bio":true}"#
    let rows = [first, #"{"id":"b","field":true,"bio":2.5}"#, #"{"id":"c","field":2.5,"bio":-3}"#]
    let night = try Night(
      Night.yaml(people: .jsonl),
      ["people.jsonl": rows.map { $0 + "\n" }.joined(), "likes.csv": Night.likesHeader])
    let people = try #require(try night.snapshot().entities["people"])
    let field = try #require(people.categories["field"])
    #expect(field.codes.elements.map { field.vocabulary.strings[Int($0)] } == ["7", "true", "2.5"])
    #expect(people.texts["bio"]?.strings == ["true", "2.5", "-3"])
  }

  /// Long columns are written in pieces of 16,384 elements.
  @Test func `a long column has all elements`() throws {
    let count = 2 * 16_384 + 3
    let rows = (0..<count).map { "\(100_000 + $0),\($0),,,,,\($0 % 97),,\n" }
    let night = try Night(people: rows.joined(), asOf: Instant(milliseconds: 1_000_000))
    let people = try #require(try night.snapshot().entities["people"])
    #expect(people.ids.string(0) == "100000" && people.ids.string(count - 1) == "\(100_000 + count - 1)")
    #expect(people.created?.elements == (0..<Int64(count)).map(\.self))
    #expect(people.numbers["age"]?.elements == (0..<count).map { Double($0 % 97) })
  }

  @Test func `moving within a cell changes only the input's digest`() throws {
    let nights = try ["48.1370,11.5750", "48.1371,11.5751"].map {
      try Night(people: "a,,,\($0),,,,\nb,,,0,0,,,,\n", likes: "a,b,1,yes\n", precision: 5)
    }
    #expect(nights[0].manifest.outputs == nights[1].manifest.outputs)
    #expect(nights[0].manifest.inputs != nights[1].manifest.inputs)
  }

  @Test func `exports without rows give an empty snapshot`() throws {
    let night = try Night(people: "")
    #expect(night.accounts("people") == [0, 0, 0, 0, 0])
    #expect(night.accounts("likes") == [0, 0, 0, 0, 0])
    let snapshot = try night.snapshot()
    #expect(snapshot.entities["people"]?.count == 0)
    #expect(snapshot.interactions["likes"]?.count == 0)
    #expect(snapshot.interactions["likes"]?.userOffsets.elements == [0])
    #expect(try night.rejects().isEmpty)
  }

  @Test func `the manifest names every export once, with its digest and rows`() throws {
    let text = "id,x,a,b,t,v\n1,2,1,2,5,1\n2,3,2,1,6,0\n"
    let night = try Night(
      """
      pipeline: wide
      as_of: newest
      plausible: [1, 9999]
      entities: { people: { source: { path: wide.csv }, id: id } }
      interactions:
        likes: { source: { path: wide.csv }, user: a, candidate: b, at: t, value: v }
      """, ["wide.csv": text])
    #expect(
      night.manifest.inputs == [
        FileDigest(
          path: "wide.csv", bytes: text.utf8.count, sha256: SHA256.digest(of: Array(text.utf8)), rows: 2)
      ])
    #expect(night.manifest.stage == "snapshot")
    #expect(night.manifest.configuration == night.pipeline.configuration)
  }

  @Test(arguments: [ExportFormat.csv, .tsv, .jsonl, .json, .firestore])
  func `an optional attribute may be absent, and a required one may not`(format: ExportFormat) throws {
    let content =
      switch format {
      case .csv: "id,other\n1,2\n"
      case .tsv: "id\tother\n1\t2\n"
      case .jsonl: "{\"id\":\"1\",\"other\":2}\n"
      case .json: "[{\"id\":\"1\",\"other\":2}]"
      case .firestore: #"{"documents":[{"name":"p/1","fields":{"other":{"integerValue":"2"}}}]}"#
      default: fatalError("no such argument")
      }
    func night(_ isOptional: Bool) throws -> Night {
      try Night(
        """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people:
            source: { path: x, format: \(format.rawValue) }
            id: id
            attributes:
              other: { type: number }
              field: { type: category, optional: \(isOptional) }
              age: { type: number, optional: \(isOptional) }
        """, ["x": content])
    }
    let people = try #require(try night(true).snapshot().entities["people"])
    #expect(people.numbers["other"]?.elements == [2])
    #expect(people.numbers["age"]?[0].isNaN == true)
    #expect(people.categories["field"]?.codes.elements == [CategoryColumn.missing])
    let error = #expect(throws: ExportError.self) { _ = try night(false) }
    #expect(error?.code == .missingColumn)
  }

  @Test(arguments: [
    ("at: t", "at: tt", "tt", "t"), ("id: id", "id: Id", "Id", "id"),
    ("created: created", "created: creatd", "creatd", "created"),
  ])
  func `a missing column is an error with its name and the nearest one`(
    old: String, new: String, name: String, nearest: String
  ) {
    for format in [ExportFormat.csv, .jsonl] {
      let error = #expect(throws: ExportError.self) {
        _ = try Night(
          Night.yaml(people: format).replacing(old, with: new),
          [
            "people.csv": Night.peopleHeader + "a,,,,,,,,\nb,,,,,,,,\n",
            "people.jsonl": """
            {"id":"a","created":1,"updated":1,"field":"f","age":1,"bio":"b"}
            {"id":"b"}
            """, "likes.csv": "a,b,t,v\na,b,1,yes\n",
          ])
      }
      #expect(error?.code == .missingColumn)
      #expect(error?.reason.contains("'\(name)'") == true)
      let isInRecords = format == .jsonl && name != "tt"
      let words = isInRecords ? "The nearest name is '\(nearest)'." : "'\(nearest)'"
      #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }
  }

  @Test func `the header of a CSV file has all fields of the people`() throws {
    let names = Night.peopleHeader.dropLast().split(separator: ",").map(String.init)
    for absent in names {
      let header = names.filter { $0 != absent }.joined(separator: ",")
      let error = #expect(throws: ExportError.self, "\(absent)") {
        _ = try Night(Night.yaml(), ["people.csv": header + "\n", "likes.csv": Night.likesHeader])
      }
      #expect(error?.code == .missingColumn)
      #expect(error?.reason.hasPrefix("the file has no column '\(absent)'") == true)
    }
  }

  /// Other records of the export, also in another file, may have the field.
  @Test func `a field that some records have is not absent`() throws {
    let yaml = Night.yaml(people: .jsonl).replacing("path: people.jsonl", with: "path: people")
    let first = #"{"id":"a","created":1,"updated":1,"field":"f","bio":"b"}"# + "\n"
    let files = ["people/1.jsonl": first, "likes.csv": Night.likesHeader]
    let night = try Night(yaml, files.merging(["people/2.jsonl": "{\"id\":\"b\",\"age\":1}\n"]) { $1 })
    #expect(night.accounts("people") == [2, 2, 0, 0, 0])
    #expect(
      night.counts("people")?["absent_fields"] == .array([.string("lat"), .string("lon"), .string("gone")]))
    let error = #expect(throws: ExportError.self) {
      _ = try Night(yaml, files.merging(["people/2.jsonl": "{\"id\":\"b\"}\n"]) { $1 })
    }
    #expect(error?.code == .missingColumn && error?.reason.contains("no record has 'age'.") == true)
  }

  /// Without positions, all lists of a ranking with a radius would be empty.
  @Test(arguments: ["", "within_km: 50, "]) func `only a ranking with a radius needs positions`(
    radius: String
  ) throws {
    let rankings =
      "rankings:\n  near: { users: people, candidates: people, \(radius)order_by: newest, top: 3 }"
    let yaml = Night.yaml(people: .jsonl, precision: 6, extra: rankings)
    let files = [
      "people.jsonl": #"{"id":"a","created":1,"updated":1,"field":"f","age":1,"bio":"b"}"# + "\n",
      "likes.csv": Night.likesHeader,
    ]
    guard !radius.isEmpty else {
      #expect(try Night(yaml, files).accounts("people") == [1, 1, 0, 0, 0])
      return
    }
    let error = #expect(throws: ExportError.self) { _ = try Night(yaml, files) }
    #expect(error?.reason.contains("no record has 'lat'.") == true)
  }

  @Test func `a missing export is an error with its name`() {
    let error = #expect(throws: ExportError.self) {
      _ = try Night(Night.yaml(), ["people.csv": Night.peopleHeader])
    }
    #expect(error?.code == .missingFile)
    #expect(error?.file.hasSuffix("likes.csv") == true)
  }
}

@Suite struct RejectLimitTests {
  /// `count` people; the first `rejected` of them have a broken number.
  private func people(_ count: Int, rejected: Int) -> String {
    (0..<count).map { "p\($0),,,,,,\($0 < rejected ? "x" : ""),,\n" }.joined()
  }

  @Test(arguments: [
    ("1 %", 1, 100), ("0.29", 29, 100), ("29 %", 29, 100), ("58 %", 29, 50), ("0.7 %", 7, 1000),
    ("1.4 %", 14, 1000),
    ("0", 0, 10), ("1", 10, 10), ("0.005", 1, 200),
  ])
  func `rejects at the limit pass, and one more fails`(limit: String, rejected: Int, count: Int) throws {
    let night = try Night(people: people(count, rejected: rejected), limit: limit)
    #expect(night.accounts("people") == [count, count - rejected, rejected, 0, 0])
    guard rejected < count else { return }
    let error = #expect(throws: RowLimitExceeded.self) {
      _ = try Night(people: people(count, rejected: rejected + 1), limit: limit)
    }
    #expect(error?.read == count)
    #expect(error?.rules == ["bad_number": rejected + 1])
  }

  @Test func `beyond the limit there is no snapshot, but the rejects are written`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + people(10, rejected: 1), to: "people.csv")
    try scratch.write(Night.likesHeader + "p5,p6,1,yes\n", to: "likes.csv")
    let pipeline = try Pipeline(yaml: Night.yaml(limit: "1 %"), file: scratch("p.yaml"))
    for _ in 0..<2 {
      let error = #expect(throws: RowLimitExceeded.self) {
        _ = try IngestStage.run(pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, tool: "t")
      }
      #expect(error?.source == "people")
      #expect(error?.rejectsFile == scratch("run/rejects.csv"))
      #expect(error?.description.contains("10.0 %") == true)
    }
    #expect(scratch.files == ["likes.csv", "people.csv", "run/rejects.csv"])
    #expect(plainCSVText(try scratch.bytes("run/rejects.csv")).count == 2)
  }

  @Test func `merged and later rows are not rejected`() throws {
    let night = try Night(
      people: "a,,,,,,,,\na,,,,,,,,\nb,9,,,,,,,\n", likes: "a,b,99,yes\n", limit: "0",
      asOf: Instant(milliseconds: 5))
    #expect(night.accounts("people") == [3, 1, 0, 1, 1])
    #expect(night.accounts("likes") == [1, 0, 0, 0, 1])
  }
}
