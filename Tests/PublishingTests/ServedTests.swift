import GRDB
import Geohash
import PipelineFile
import Publishing
import ServingStore
import StageFixture
import System
import Testing
import Text

struct ServedTests {
  @Test func `a person's lists are shown as in an app`() throws {
    let night = try TinyNight()
    _ = try night.publish()
    let lines = try night.served {
      try ServedLists(user: "a", list: nil, word: nil).lines(
        $0, of: night.pipeline, top: nil, format: .text(width: nil))
    }
    #expect(
      lines == [
        "a, Art, experience 3", "  rank  candidate  score  distance  reasons",
        "     1  b              -    0.0 km", "     2  c              -   14.7 km",
        "  no more: no other candidate is within the radius", "  matches: 1",
      ])
    let first = try night.served {
      try ServedLists(user: "a", list: "near", word: nil).lines(
        $0, of: night.pipeline, top: 1, format: .text(width: nil))
    }
    #expect(
      first == [
        "a, Art, experience 3", "  rank  candidate  score  distance  reasons",
        "     1  b              -    0.0 km",
        "  matches: 1",
      ])
    let csv = try night.served {
      try ServedLists(user: "a", list: "near", word: nil).lines($0, of: night.pipeline, top: 1, format: .csv)
    }
    #expect(csv.count == 2 && csv[0] == "list,word,rank,candidate,score,distance_km,reasons,shown")
    #expect(csv[1].hasPrefix("near,,1,b,,0"))
    let json = try night.served {
      try ServedLists(user: "a", list: nil, word: nil).lines($0, of: night.pipeline, top: nil, format: .json)
    }
    #expect(json.count == 1 && json[0].hasPrefix(#"{"user":"a","recommendations":[{"rank":1,"#))
    let firstOnly = try night.served {
      try ServedLists(user: "a", list: nil, word: nil).lines($0, of: night.pipeline, top: 1, format: .json)
    }
    #expect(firstOnly.count == 1 && firstOnly[0].contains(#""user":"a""#))
    #expect(firstOnly[0].contains(#""candidate":"b""#) && !firstOnly[0].contains(#""candidate":"c""#))
    let wrongWord = #expect(throws: StageFailure.self) {
      try night.served {
        try ServedLists(user: "a", list: nil, word: "Art").lines(
          $0, of: night.pipeline, top: nil, format: .json)
      }
    }
    #expect(wrongWord?.exitStatus == .missingInput)
  }

  @Test func `each list shows its own attributes`() throws {
    let night = try TinyNight(shown: "    show: [field, experience]\n")
    _ = try night.publish()
    var pipeline = night.pipeline
    var other = pipeline.rankings[0]
    (other.name, other.shown) = ("far", [])
    pipeline.rankings.insert(other, at: 0)
    let lines = try night.served {
      try ServedLists(user: "a", list: "near", word: nil).lines($0, of: pipeline, top: nil, format: .csv)
    }
    #expect(lines.count == 3 && lines[2].hasSuffix(#","Data, experience 7""#), "\(lines)")
  }

  @Test func `a store that serves nothing for a pipeline is a missing input`() throws {
    let night = try TinyNight()
    _ = try night.publish()
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    var pipeline = night.pipeline
    pipeline.name = "other"
    let error = try #require(throws: StageFailure.self) { try pipeline.servedLines(of: store) { _ in [] } }
    #expect(error.exitStatus == .missingInput && error.description.contains("serves nothing for 'other'"))
    #expect(error.description.hasSuffix("Run 'nightjar run \(pipeline.file)' first."))
  }

  @Test func `a failure names a missing list or user`() throws {
    let night = try TinyNight()
    _ = try night.publish()
    func failure(_ user: String, list: String?) -> StageFailure? {
      #expect(throws: StageFailure.self) {
        try night.served {
          try ServedLists(user: user, list: list, word: nil).lines(
            $0, of: night.pipeline, top: nil, format: .text(width: nil))
        }
      }
    }
    let list = try #require(failure("a", list: "far"))
    #expect(
      list.exitStatus == .usage && list.description.contains("'far'") && list.description.contains("near"))
    let user = try #require(failure("A", list: nil))
    #expect(user.exitStatus == .missingInput && user.description.contains("byte for byte"))
    #expect(!user.description.contains("this word"))
  }

  @Test(
    arguments: [
      (nil, nil, "this id. Only some users have lists of 'near': see 'for' in the pipeline file. Check"),
      ("near", "Art", "this id and this word. Only some users have lists of 'near': see 'for'"),
    ] as [(String?, String?, String)])
  func `a failure names the lists that only some users have`(
    _ list: String?, _ word: String?, _ words: String
  ) throws {
    let night = try TinyNight()
    _ = try night.publish()
    var pipeline = night.pipeline
    pipeline.rankings[0].audience = [.notFlagged("deleted")]
    var other = pipeline.rankings[0]
    other.name = "far"
    other.audience = []
    pipeline.rankings.append(other)
    let error = try #require(
      #expect(throws: StageFailure.self) {
        try night.served {
          try ServedLists(user: "A", list: list, word: word).lines(
            $0, of: pipeline, top: nil, format: .text(width: nil))
        }
      })
    #expect(error.description.contains(words), "\(error)")
  }

  @Test func `a failure does not name lists without an audience`() throws {
    let night = try TinyNight()
    _ = try night.publish()
    let error = try #require(
      #expect(throws: StageFailure.self) {
        try night.served {
          try ServedLists(user: "A", list: "near", word: nil).lines(
            $0, of: night.pipeline, top: nil, format: .text(width: nil))
        }
      })
    #expect(!error.description.contains("Not every user"))
  }

  @Test func `entities near a place are listed nearest first`() throws {
    let night = try TinyNight()
    _ = try night.publish()
    let center = try #require(Coordinate(latitude: 53.4, longitude: -6.3))
    func near(
      _ radius: Double, entity: String? = nil, top: Int? = nil, format: ResultFormat = .text(width: nil)
    ) throws -> [String] {
      try night.served {
        try ServedNearby(center: center, radiusInKilometers: radius, entity: entity)
          .lines($0, of: night.pipeline, top: top, format: format)
      }
    }
    #expect(
      try near(100) == [
        "  distance  id  attributes", "    1.8 km  c   Data, experience 7",
        "   12.9 km  a   Art, experience 3",
        "   12.9 km  b   Art",
      ])
    #expect(try near(2).count == 2)
    #expect(try near(100, top: 1).count == 2)
    #expect(try near(0.001).isEmpty)
    let json = try near(100, entity: "users", top: 1, format: .json)
    #expect(json.count == 1 && json[0].hasPrefix(#"{"id":"c","distance_km":1.774"#))
    #expect(json.first?.hasSuffix(#","latitude":53.41552734375,"longitude":-6.30615234375}"#) == true)
    let csv = try near(100, format: .csv)
    try #require(csv.count == 4)
    #expect(csv[0] == "id,distance_km,latitude,longitude")
    #expect(csv[1].hasPrefix("c,1.774") && csv[1].hasSuffix(",53.41552734375,-6.30615234375"), "\(csv)")
    #expect(csv[2].hasPrefix("a,12.9") && csv[3].hasPrefix("b,12.9"), "\(csv)")
    #expect(try near(0.001, format: .csv).isEmpty)
    let error = try #require(#expect(throws: StageFailure.self) { _ = try near(100, entity: "dogs") })
    #expect(error.exitStatus == .missingInput)
    #expect(
      error.description
        == "generation 1 of 'tiny' has no positions of 'dogs' to search. It has positions of: users. "
        + "Add the entity to 'publish.positions' in the pipeline file, and run the pipeline again.")
  }

  @Test func `a store without positions or catalogs says so`() throws {
    let night = try TinyNight()
    let store = try night.pipeline.storeAddress(nil).open(for: .publishing)
    try store.publish(pipeline: "tiny", run: 1, asOf: 0, note: GenerationNote(), keep: 3) { loader in
      try loader.begin(.list, "near")
    }
    let center = try #require(Coordinate(latitude: 53.4, longitude: -6.3))
    let near = try #require(throws: StageFailure.self) {
      try night.served {
        try ServedNearby(center: center, radiusInKilometers: 9, entity: nil).lines(
          $0, of: night.pipeline, top: nil, format: .json)
      }
    }
    #expect(near.exitStatus == .missingInput)
    #expect(
      near.description
        == "generation 1 of 'tiny' has no positions to search. Add the entity to 'publish.positions' in the pipeline "
        + "file, and run the pipeline again.")
    let catalog = try #require(throws: StageFailure.self) {
      try night.served {
        try ServedCatalog(name: "dogs", key: "k").lines($0, of: night.pipeline, top: nil, format: .json)
      }
    }
    #expect(catalog.exitStatus == .usage)
    #expect(catalog.description == "generation 1 has no catalog 'dogs'. Catalogs: none.")
  }

  /// Changes the store as a flipped bit would, without the checks of SQLite.
  private static func damage(_ fixture: StageFixture, _ sql: String) throws {
    let database = try DatabaseQueue(path: fixture.directory + "/serving.sqlite")
    try database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try $0.execute(sql: sql)
    }
    try database.close()
  }

  /// Text, CSV and JSON with `top` parse the rows. The message must not contain a part of a row.
  @Test(
    arguments: [
      ("lists", "document", "list 'near'", .text(width: nil)), ("lists", "document", "list 'near'", .csv),
      ("lists", "document", "list 'near'", .json),
      ("people", "attributes", "the attributes of 'users'", .text(width: nil)),
    ] as [(String, String, String, ResultFormat)])
  func `a damaged row is damage of the store`(
    _ table: String, _ column: String, _ place: String, _ format: ResultFormat
  ) throws {
    let night = try TinyNight()
    _ = try night.publish()
    let center = try #require(Coordinate(latitude: 53.4, longitude: -6.3))
    // A flipped bit makes a row invalid JSON. The array is valid JSON, but not a list.
    for damage in ["SECRET{", "[1]"] where format != .json && table == "lists" || damage == "SECRET{" {
      try Self.damage(night.fixture, "UPDATE \(table) SET \(column) = '\(damage)'")
      let lists = #expect(throws: ServingStoreError.self) {
        try night.served {
          try ServedLists(user: "a", list: nil, word: nil)
            .lines($0, of: night.pipeline, top: 1, format: format)
        }
      }
      let address = try night.pipeline.storeAddress(nil).description
      let message =
        "\(address): the store is damaged: a row of \(place) is not JSON of the expected form; publish again "
        + "with 'nightjar run \(night.pipeline.file)'"
      #expect(lists?.code == .corrupt && lists?.exitStatus == .storeUnavailable)
      #expect(lists?.description == message)
      guard table == "people" else { continue }
      let near = #expect(throws: ServingStoreError.self) {
        try night.served {
          try ServedNearby(center: center, radiusInKilometers: 100, entity: nil)
            .lines($0, of: night.pipeline, top: nil, format: format)
        }
      }
      #expect(near?.description == message)
    }
  }

  @Test func `a damaged entry of a catalog is damage of the store`() throws {
    let error = #expect(throws: ServingStoreError.self) {
      try dogs(damaging: "UPDATE catalogs SET entry = '[1]'") {
        try ServedCatalog(name: "kinds", key: "Mayo").lines($0, of: $1, top: nil, format: .csv)
      }
    }
    #expect(error?.code == .corrupt)
    #expect(error?.found.contains("a row of catalog 'kinds' is not JSON of the expected form") == true)
  }

  /// A pipeline with a catalog of dogs by county. Dogs and people have positions.
  private static let kennels = """
    pipeline: dogs
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      people: { source: { path: people.csv }, id: id, position: { latitude: lat, longitude: lon } }
      dogs:
        source: { path: dogs.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        created: at
        attributes: { county: { type: category }, name: { type: text, optional: true } }
    rankings:
      kinds: { catalog: dogs, by: county, order_by: newest, show: [name] }
      plain: { catalog: dogs, by: county, order_by: newest }
    publish: { store: "sqlite:serving.sqlite", positions: { people: {}, dogs: {} } }
    """

  /// An id that is wider than the cells of other tables.
  private static let long = String(repeating: "x", count: 60)

  private func dogs(damaging sql: String? = nil, _ body: (any ServedGeneration, Pipeline) throws -> [String])
    throws -> [String]
  {
    let fixture = try StageFixture(
      yaml: Self.kennels,
      files: [
        "people.csv": "id,lat,lon\np,53.4,-6.3\n",
        "dogs.csv":
          "id,lat,lon,at,county,name\na,53.4,-6.3,1,Mayo,Ada\nlonger,53.4,-6.3,2,Mayo,Bo\nc,,,3,Clare,\n\(Self.long),,,4,Cork,\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    let night = try PublishedNight(fixture.pipeline, run: fixture.run)
    _ = try StoresPublication(night, force: false, threads: 1) { _, _ in }.publish()
    if let sql { try Self.damage(fixture, sql) }
    return try fixture.pipeline.servedLines(of: try fixture.pipeline.storeAddress(nil).open(for: .reading)) {
      try body($0, fixture.pipeline)
    }
  }

  @Test func `a key of a catalog is shown with the fields of its entries`() throws {
    func lines(_ name: String, _ key: String, top: Int? = nil, format: ResultFormat = .text(width: nil))
      throws -> [String]
    {
      try dogs { try ServedCatalog(name: name, key: key).lines($0, of: $1, top: top, format: format) }
    }
    #expect(
      try lines("kinds", "Mayo")
        == ["Mayo:", "  rank  candidate  shown", "     1  longer     Bo", "     2  a          Ada"])
    #expect(try lines("plain", "Mayo") == ["Mayo:", "  rank  candidate", "     1  longer", "     2  a"])
    #expect(try lines("kinds", "Clare") == ["Clare:", "  rank  candidate", "     1  c"])
    #expect(
      try lines("kinds", "Mayo", top: 1) == ["Mayo:", "  rank  candidate  shown", "     1  longer     Bo"])
    #expect(
      try lines("kinds", "Mayo", format: .csv) == ["rank,candidate,shown", "1,longer,Bo", "2,a,Ada"])
    #expect(try lines("plain", "Mayo", top: 1, format: .csv) == ["rank,candidate,shown", "1,longer,"])
    let json = try lines("plain", "Mayo", top: 1, format: .json)
    #expect(json == [#"{"key":"Mayo","by":{"county":"Mayo"},"rank":1,"candidate":"longer"}"#])
    #expect(try lines("plain", "Cork")[2] == "     1  \(Self.long)", "an id is never cut")
    let key = try #require(throws: StageFailure.self) { try lines("kinds", "mayo") }
    #expect(
      key.exitStatus == .missingInput
        && key.description.contains("no entries for this key of catalog 'kinds'"))
    let name = try #require(throws: StageFailure.self) { try lines("cats", "Mayo") }
    #expect(
      name.exitStatus == .usage && name.description.contains("no catalog 'cats'. Catalogs: kinds, plain."))
  }

  @Test func `if several entities have positions, the user must choose one`() throws {
    let center = try #require(Coordinate(latitude: 53.4, longitude: -6.3))
    func near(_ entity: String?) throws -> [String] {
      try dogs {
        try ServedNearby(center: center, radiusInKilometers: 9, entity: entity).lines(
          $0, of: $1, top: nil, format: .text(width: nil))
      }
    }
    #expect(try near("people").count == 2 && near("dogs").count == 3)
    #expect(try near("people").first == "  distance  id", "no attributes are published")
    let error = try #require(throws: StageFailure.self) { try near(nil) }
    #expect(error.exitStatus == .usage)
    #expect(error.description.hasSuffix("several entities. Choose one with --entity: dogs, people."))
  }
}
