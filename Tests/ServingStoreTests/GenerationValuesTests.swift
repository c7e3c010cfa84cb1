import Files
import Foundation
import GRDB
import Geohash
import System
import Testing

@testable import ServingStore

/// Records of generations, counts and messages, without a store.
struct GenerationValuesTests {
  @Test func `a note has a fixed text, and a note of another form is empty`() {
    let note = GenerationNote(
      content: "a/b", overridden: ["lists_empty_at_most", "x"], tombstones: "t", empty: ["near": 1])
    #expect(
      note.json
        == #"{"content":"a/b","empty":{"near":1},"overridden":["lists_empty_at_most","x"],"tombstones":"t"}"#)
    #expect(GenerationNote(json: note.json) == note)
    #expect(GenerationNote().json == #"{"overridden":[]}"#)
    for text in [nil, "", "{}", "x", #"{"overridden":7}"#] as [String?] {
      #expect(GenerationNote(json: text) == GenerationNote())
    }
  }

  @Test(
    arguments: [
      ("before", ["before": "after", "after": "x"], true, "after"),
      ("before", ["before": "after"], false, "after"),
      ("before", ["other": "after"], false, "before"), ("before", [:], true, nil),
      (nil, ["": "after"], true, nil),
      (nil, [:], false, nil),
    ] as [(String?, [String: String], Bool, String?)])
  func `a note follows the content of its run`(
    content: String?, contents: [String: String], hasChanged: Bool, expected: String?
  ) {
    let note = GenerationNote(content: content, overridden: ["x"], tombstones: "t", empty: ["near": 1])
    #expect(
      note.erased(contents, hasChanged: hasChanged)
        == GenerationNote(content: expected, overridden: ["x"], tombstones: "t", empty: ["near": 1]))
  }

  private var tables: GenerationTables {
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "e\u{301}", rows: 1), NamedCount(name: "\u{E9}", rows: 2)]
    tables.matches = [NamedCount(name: "m", rows: 4)]
    tables.people = [NamedCount(name: "p", rows: 8)]
    tables.positions = [NamedCount(name: "p", rows: 16)]
    tables.buckets = [NamedCount(name: "p", rows: 32)]
    tables.catalogs = [NamedCount(name: "c", rows: 64)]
    return tables
  }

  @Test func `each kind of table has its own counts`() {
    let tables = tables
    #expect(tables.rows == 127)
    #expect(tables.rankings == tables.lists + tables.matches + tables.catalogs)
    let counts: [(TableKind, String, Int)] = [
      (.list, "\u{E9}", 2), (.list, "e\u{301}", 1), (.list, "m", 0), (.matches, "m", 4), (.people, "p", 8),
      (.positions, "p", 16), (.buckets, "p", 32), (.catalog, "c", 64), (.catalog, "p", 0),
    ]
    for (kind, name, rows) in counts { #expect(tables.rows(kind, name) == rows, "\(kind) \(name)") }
  }

  @Test func `counts are written by kind, and the earlier name of catalogs is read`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var tables = tables
    tables.lists.removeFirst()
    let json = String(decoding: try encoder.encode(tables), as: UTF8.self)
    let expected: String = [
      #"{"buckets":[{"name":"p","rows":32}]"#, #""catalogs":[{"name":"c","rows":64}]"#,
      "\"lists\":[{\"name\":\"\u{E9}\",\"rows\":2}]", #""matches":[{"name":"m","rows":4}]"#,
      #""people":[{"name":"p","rows":8}]"#, #""positions":[{"name":"p","rows":16}]}"#,
    ].joined(separator: ",")
    #expect(json == expected)
    func decoded(_ json: String) throws -> GenerationTables {
      try JSONDecoder().decode(GenerationTables.self, from: Data(json.utf8))
    }
    #expect(try decoded(json) == tables)
    #expect(try decoded(json.replacing("catalogs", with: "directories")) == tables)
    #expect(try decoded("{}") == GenerationTables())
    let both = try decoded(#"{"catalogs":[{"name":"new","rows":1}],"directories":[{"name":"old","rows":2}]}"#)
    #expect(both.catalogs == [NamedCount(name: "new", rows: 1)])
  }

  @Test func `each count of an erasure is part of the total, except the generations`() {
    var erasure = StoreErasure()
    #expect(erasure.total == 0 && erasure.remarks.isEmpty)
    (erasure.lists, erasure.places, erasure.matches) = (1, 2, 4)
    (erasure.people, erasure.positions, erasure.entries, erasure.generations) = (8, 16, 32, 64)
    #expect(erasure.total == 63)
  }

  @Test func `the entity of a role decides which ids are erased`() {
    let people = ErasedPeople(
      ["users": ["a"], "dogs": ["b"], "none": []], lists: ["near": ("users", "dogs")],
      matches: ["pairs": ["dogs", "users"], "own": ["users"]], catalogs: ["best": "dogs"])
    let roles: [(StoredRole, Set<StoredID>)] = [
      (.user(list: "near"), ["a"]), (.candidate(list: "near"), ["b"]), (.match(name: "pairs"), ["a", "b"]),
      (.match(name: "own"), ["a"]), (.person(entity: "dogs"), ["b"]), (.person(entity: "cats"), []),
      (.entry(catalog: "best"), ["b"]),
      // The pipeline file does not contain these names, so any entity may be meant.
      (.user(list: "former"), ["a", "b"]), (.candidate(list: "former"), ["a", "b"]),
      (.match(name: "former"), ["a", "b"]), (.entry(catalog: "former"), ["a", "b"]),
    ]
    for (role, ids) in roles { #expect(people.ids(in: role) == ids, "\(role)") }
    #expect(people.entities(in: .match(name: "pairs")) == ["dogs", "users"])
    #expect(!people.isEmpty)
    #expect(ErasedPeople(["users": [], "dogs": []], lists: [:], matches: [:]).isEmpty)
    #expect(ErasedPeople([:], lists: [:], matches: [:]).isEmpty)
  }

  @Test func `each violated guard is named once`() {
    let violations = ["b", "a", "b", "c", "a"].map {
      PublicationGuards.Violation(guardName: $0, found: "found")
    }
    #expect(violations.guardNames == ["b", "a", "c"])
    #expect(
      PublicationGuards() == PublicationGuards(usersDropAtMost: nil, leastDrop: 1, listsEmptyAtMost: nil))
  }

  @Test func `only the newest generation can have been published`() throws {
    let address = StoreAddress(sqlitePath: "/x")
    func record(_ number: Int, isServed: Bool) -> GenerationRecord {
      GenerationRecord(number: number, run: 7, asOf: 1, isServed: isServed, note: GenerationNote())
    }
    let published = try GenerationRecord.published(
      [record(3, isServed: true), record(2, isServed: false)], number: 3, address)
    #expect(published == PublishedGeneration(number: 3, kept: 2, tables: GenerationTables()))
    let others: [[GenerationRecord]] = [
      [], [record(3, isServed: false)], [record(4, isServed: true)],
      [record(4, isServed: false), record(3, isServed: true)],
    ]
    for records in others {
      let error = #expect(throws: ServingStoreError.self) {
        _ = try GenerationRecord.published(records, number: 3, address)
      }
      #expect(error?.code == .refused && error?.found.contains("generation 3 ") == true)
    }
  }

  @Test func `a circle contains its edge, and equal distances are in order of ids`() throws {
    let center = try #require(Coordinate(latitude: 0, longitude: 0))
    let east = try #require(Coordinate(latitude: 0, longitude: 1))
    let north = try #require(Coordinate(latitude: 0.5, longitude: 0))
    let found: [(id: StoredID, position: Coordinate)] = [
      ("c", east), ("b", east), ("a", north), ("d", center),
    ]
    let distance = center.distanceInKilometers(to: found[0].position)
    func ids(_ radius: Double) -> [String] {
      [ServedPosition](found, around: center, within: radius).map(\.id.text)
    }
    #expect(ids(distance) == ["d", "a", "b", "c"])
    #expect(ids(distance.nextDown) == ["d", "a"])
    #expect(ids(0) == ["d"])
    let all = [ServedPosition](found, around: center, within: distance)
    #expect(all.map(\.distanceInKilometers) == all.map { center.distanceInKilometers(to: $0.position) })
  }

  @Test(
    arguments: [
      (TableKind.list, "list", "lists", "x", "a document"),
      (.matches, "matches", "matches", "x", "a document"),
      (.people, "people", "people", "x", "a person's attributes"),
      (.positions, "positions", "positions", "positions of x", "a document"),
      (.buckets, "buckets", "buckets", "cells of x", "a bucket"),
      (.catalog, "catalog", "catalogs", "x", "an entry"),
    ] as [(TableKind, String, String, String, String)])
  func `each kind of table has its names`(
    kind: TableKind, word: String, table: String, shown: String, document: String
  ) {
    #expect(kind.rawValue == word && kind.table == table)
    #expect(kind.progressName("x") == shown && kind.document == document)
    #expect(TableKind(storedAs: word) == kind)
    #expect(TableKind(storedAs: "directory") == .catalog && TableKind(storedAs: table + "x") == nil)
  }
}

struct ServingStoreErrorTests {
  @Test(
    arguments: [
      (ServingStoreError.Code.badAddress, System.ExitStatus.badPipelineFile),
      (.cannotOpen, .storeUnavailable),
      (.unreachable, .storeUnavailable), (.lost, .storeUnavailable), (.absent, .storeUnavailable),
      (.notOurs, .storeUnavailable), (.newerSchema, .storeUnavailable), (.busy, .tryAgain),
      (.refused, .storeUnavailable), (.guarded, .badData), (.readOnly, .storeUnavailable), (.full, .ioError),
      (.corrupt, .storeUnavailable), (.failed, .storeUnavailable), (.missingRankings, .missingInput),
      (.unreadableRankings, .ioError), (.corruptRankings, .ioError),
    ] as [(ServingStoreError.Code, System.ExitStatus)])
  func `each code has its exit status`(code: ServingStoreError.Code, status: System.ExitStatus) {
    let error = ServingStoreError(code, address: "sqlite:/x", found: "it is odd", nextStep: "do it")
    #expect(error.exitStatus == status)
    #expect(error.description == "sqlite:/x: it is odd; do it")
  }

  @Test func `a message begins with the place in a file`() {
    var error = ServingStoreError(
      .refused, address: "a", place: .init(file: "f"), found: "it is odd", nextStep: "do it")
    #expect(error.description == "f: it is odd; do it")
    error.place?.line = 7
    #expect(error.description == "f:7: it is odd; do it")
  }

  @Test(
    arguments: [
      (5, .busy), (6, .busy),
      (14, .cannotOpen),
      (3, .cannotOpen), (23, .cannotOpen), (26, .notOurs),
      (8, .readOnly), (13, .full), (11, .corrupt),
      (19, .refused), (20, .refused), (18, .refused),
      (10, .failed), (1, .failed),
    ] as [(CInt, ServingStoreError.Code)])
  func `each result code of SQLite has its code`(number: CInt, code: ServingStoreError.Code) {
    let error = ServingStoreError(
      DatabaseError(resultCode: ResultCode(rawValue: number), message: "the message"),
      address: StoreAddress(sqlitePath: "/x"))
    #expect(error.code == code && error.address == "sqlite:/x" && error.place == nil)
    #expect(error.found == "SQLite reports: the message (code \(number))")
    #expect(!error.nextStep.isEmpty)
  }

  @Test(arguments: [
    ("Check the disk.", "check the disk"), ("", "check the permissions and the disk"), ("Do it", "do it"),
  ])
  func `an error of a file becomes an error of the rankings`(advice: String, nextStep: String) {
    let error = ServingStoreError(FileError(.read, "f", reason: "it is odd", advice: advice))
    #expect(error.code == .unreadableRankings && error.address == "f")
    #expect(error.place == ServingStoreError.Place(file: "f", line: nil))
    #expect(error.found == "it is odd" && error.nextStep == nextStep)
  }

  @Test(
    arguments: [
      (StoreAccess.reading, false, false), (.reading, true, false), (.dryRun, false, false),
      (.dryRun, true, true),
      (.rehearsal, false, false), (.rehearsal, true, false), (.publishing, false, true),
      (.publishing, true, true),
    ] as [(StoreAccess, Bool, Bool)])
  func `only a publishing store and a dry run may erase`(access: StoreAccess, isDryRun: Bool, isAllowed: Bool)
  {
    let address = StoreAddress(sqlitePath: "/x")
    var code: ServingStoreError.Code?
    do {
      try ServingStoreError.checkWritable(access, address, isDryRun: isDryRun)
    } catch {
      code = (error as? ServingStoreError)?.code
    }
    #expect(code == (isAllowed ? nil : .readOnly))
  }
}
