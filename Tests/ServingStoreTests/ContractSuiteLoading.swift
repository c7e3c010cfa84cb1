import GRDB
import Testing

@testable import ServingStore

/// The rules for publishing that every back end must follow. `ContractSuiteReading` covers reading.
@Suite struct `Contract of loading` {
  @Test(arguments: Backend.allCases)
  func `a publish returns the generation that is now served`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let published = try store.publish(pipeline: "fusion", run: 12, asOf: 1_795_000_000_000, keep: 3) {
      loader in
      try loader.beginList("partners")
      try loader.addDocument("{}", user: "b")
      try loader.addDocument("{}", user: "a")
      try loader.beginMatches("matches")
      try loader.addMatch("a", "b", at: "2026-11-20T23:58:12Z")
      try loader.beginList("empty")
      try loader.beginPeople("users")
      try loader.addPerson("{}", id: "a")
      try loader.beginPositions("users")
      try loader.addPosition(53.35, -6.26, id: "a")
      try loader.addPosition(89.9, 0, id: "b")
      try loader.beginBuckets("users")
      try loader.addBucket("{}", cell: "gc7x3r")
      try loader.beginCatalog("by_county")
      try loader.addEntry("{}", key: "Cork")
      try loader.addEntry("{}", key: "Cork")
      try loader.addEntry("{}", key: "Clare")
    }
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "empty", rows: 0), NamedCount(name: "partners", rows: 2)]
    tables.matches = [NamedCount(name: "matches", rows: 1)]
    tables.people = [NamedCount(name: "users", rows: 1)]
    tables.positions = [NamedCount(name: "users", rows: 2)]
    tables.buckets = [NamedCount(name: "users", rows: 1)]
    tables.catalogs = [NamedCount(name: "by_county", rows: 3)]
    #expect(published == PublishedGeneration(number: 1, kept: 1, tables: tables))
    #expect(
      try store.generations(pipeline: "fusion") == [
        GenerationSummary(number: 1, run: 12, asOf: 1_795_000_000_000, isServed: true, tables: tables)
      ])
  }

  @Test(arguments: Backend.allCases, [1, 2, 5])
  func `the newest generations are kept, and numbers continue`(backend: Backend, keep: Int) throws {
    let fixture = try backend.makeFixture()
    for run in 1...8 {
      // The store is opened again, so the number comes from the store and not from this process.
      let store = try fixture.publisher()
      let published = try store.publishPartners(["a": "{\"run\":\(run)}"], run: run, keep: keep)
      #expect(published.number == run)
      #expect(published.kept == min(run, keep))
      let generations = try store.generations(pipeline: "fusion")
      #expect(generations.map(\.number) == Array((max(1, run - keep + 1)...run).reversed()))
      #expect(generations.map(\.run) == generations.map(\.number))
      #expect(generations.map(\.isServed) == generations.map { $0.number == run })
      #expect(try store.partners("a") == "{\"run\":\(run)}")
    }
  }

  @Test(arguments: Backend.allCases)
  func `a smaller keep drops several generations at once`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    for run in 1...4 { try store.publishPartners(["a": "{}"], run: run, keep: 4) }
    #expect(try store.publishPartners(["a": "{}"], run: 5, keep: 2).kept == 2)
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [5, 4])
  }

  @Test(arguments: Backend.allCases)
  func `pipelines do not affect each other`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{\"of\":1}"], pipeline: "fusion")
    for _ in 1...3 { try store.publishPartners(["a": "{\"of\":2}"], pipeline: "rovers", keep: 1) }
    #expect(try store.partners("a", pipeline: "fusion") == "{\"of\":1}")
    #expect(try store.partners("a", pipeline: "rovers") == "{\"of\":2}")
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [1])
    #expect(try store.generations(pipeline: "rovers").map(\.number) == [3])
  }

  /// Faults that occur during a publish after valid rows were loaded.
  enum Spoiler: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case userTwice = "a user twice"
    case swallowed = "a swallowed error"
    case emptyID = "an empty id"
    case idNotUTF8 = "an id that is not UTF-8"
    case documentNotUTF8 = "a document that is not UTF-8"
    case documentNotJSON = "a document that is not JSON"
    case documentNUL = "a document with U+0000 behind it"
    case emptyDocument = "an empty document"
    case matchTwice = "a match twice"
    case personTwice = "a person twice"
    case positionTwice = "a position twice"
    case positionOfNobody = "a position without an id"
    case bucketTwice = "a bucket twice"
    case bucketNotJSON = "a bucket that is not JSON"
    case keyTwice = "a key whose entries are not together"
    case keyNUL = "a key with U+0000"
    case emptyKey = "an empty key"
    case entryNotJSON = "an entry that is not JSON"
    case listTwice = "a list begun twice"
    case emptyName = "a list without a name"
    case nulName = "a list name with U+0000"

    var testDescription: String { rawValue }

    func spoil(_ loader: GenerationLoader) throws {
      switch self {
      case .userTwice: try loader.addDocument("{}", user: "a")
      case .swallowed: try? loader.addDocument("{}", user: "a")
      case .emptyID: try loader.addDocument("{}", user: "")
      case .idNotUTF8: try loader.addDocument("{}", user: StoredID(utf8: [0x61, 0xFF]))
      case .documentNotUTF8: try loader.addDocument([0x22, 0xC3, 0x22].span, user: "c".utf8Bytes.span)
      case .documentNotJSON: try loader.addDocument("{\"user\":", user: "c")
      case .documentNUL: try loader.addDocument("{}\u{0}", user: "c")
      case .emptyDocument: try loader.addDocument("", user: "c")
      case .matchTwice:
        try loader.beginMatches("matches")
        try loader.addMatch("a", "b", at: "")
        try loader.addMatch("a", "b", at: "2026")
      case .personTwice:
        try loader.beginPeople("users")
        try loader.addPerson("{}", id: "a")
        try loader.addPerson("{}", id: "a")
      case .positionTwice:
        try loader.beginPositions("users")
        try loader.addPosition(1, 2, id: "a")
        try loader.addPosition(1, 2, id: "a")
      case .positionOfNobody:
        try loader.beginPositions("users")
        try loader.addPosition(1, 2, id: "")
      case .bucketTwice:
        try loader.beginBuckets("users")
        try loader.addBucket("{}", cell: "gc7x3r")
        try loader.addBucket("{}", cell: "gc7x3r")
      case .bucketNotJSON:
        try loader.beginBuckets("users")
        try loader.addBucket("{", cell: "gc7x3r")
      case .keyTwice:
        try loader.beginCatalog("by_county")
        for key: StoredID in ["Cork", "Clare", "Cork"] { try loader.addEntry("{}", key: key) }
      case .keyNUL, .emptyKey:
        try loader.beginCatalog("by_county")
        try loader.addEntry("{}", key: self == .keyNUL ? "Cork\u{0}" : "")
      case .entryNotJSON:
        try loader.beginCatalog("by_county")
        try loader.addEntry("", key: "Cork")
      case .listTwice: try loader.beginList("partners")
      case .emptyName: try loader.beginList("")
      case .nulName: try loader.beginList("a\u{0}")
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func `a generation that the store does not have cannot be served`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{}"], run: 1, keep: 2)
    try store.publishPartners(["b": "{}"], run: 2, keep: 2)
    for (generation, pipeline) in [(0, "fusion"), (3, "fusion"), (1, "other")] {
      let error = try #require(throws: ServingStoreError.self) {
        try store.serve(generation: generation, of: pipeline)
      }
      #expect(error.code == .refused)
    }
    #expect(try store.currentGeneration(pipeline: "fusion")?.number == 2)
    try store.serve(generation: 1, of: "fusion")
    #expect(try store.currentGeneration(pipeline: "fusion")?.number == 1)
  }

  @Test(arguments: Backend.allCases, Spoiler.allCases)
  func `a rejected row leaves the store unchanged`(backend: Backend, spoiler: Spoiler) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{\"run\":1}"], run: 1, keep: 1)
    let before = try store.generations(pipeline: "fusion")
    let error = try #require(throws: ServingStoreError.self) {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
        try loader.beginList("partners")
        try loader.addDocument("{\"run\":2}", user: "a")
        try spoiler.spoil(loader)
      }
    }
    #expect(error.code == .refused)
    #expect(error.address == fixture.address.description)
    #expect(try store.generations(pipeline: "fusion") == before)
    #expect(try fixture.reader().partners("a") == "{\"run\":1}")
    // The next publish succeeds and has the next number.
    #expect(try store.publishPartners(["a": "{\"run\":3}"], run: 3).number == 2)
  }

  /// Triggers of another program may change rows. `RedisFailureTests` tests the same for Redis.
  @Test(arguments: Backend.allCases.filter { $0 != .redis }, TableKind.allCases)
  func `a publication fails if the database changes a loaded row`(backend: Backend, kind: TableKind) throws {
    let change =
      switch kind {
      case .list: "document = '[]'"
      case .matches: "matched_at = '1999'"
      case .people: "attributes = '[]'"
      case .positions: "latitude = 1"
      case .buckets: "bucket = '[]'"
      case .catalog: "entry = '[]'"
      }
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{}"])
    switch store {
    case let store as SQLiteServingStore:
      try store.pool.write {
        try $0.execute(
          sql: """
            CREATE TRIGGER harm AFTER INSERT ON \(kind.table) BEGIN
              UPDATE \(kind.table) SET \(change) WHERE content_id = NEW.content_id;
            END
            """)
      }
    case let store as PostgreSQLServingStore:
      try store.withConnection {
        try $0.execute(
          """
          CREATE FUNCTION harm() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN NEW.\(change); RETURN NEW; END $$;
          CREATE TRIGGER harm BEFORE INSERT ON nightjar.\(kind.table) FOR EACH ROW EXECUTE FUNCTION harm()
          """)
      }
    default: Issue.record("another back end")
    }
    let error = #expect(throws: ServingStoreError.self) {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 3) { loader in
        try loader.beginList("partners")
        try loader.addDocument("{}", user: "a")
        try loader.beginMatches("matches")
        try loader.addMatch("a", "b", at: "2026")
        try loader.beginPeople("users")
        try loader.addPerson("{}", id: "a")
        try loader.beginPositions("users")
        try loader.addPosition(53.35, -6.26, id: "a")
        try loader.beginBuckets("users")
        try loader.addBucket("{}", cell: "gc7x3r")
        try loader.beginCatalog("by_county")
        try loader.addEntry("{}", key: "Cork")
      }
    }
    #expect(error?.code == .refused)
    #expect(error?.found.hasSuffix(": a row in the store differs from the row that was loaded") == true)
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [1])
  }

  @Test(arguments: Backend.allCases)
  func `an error of the loading closure is rethrown, and the load is rolled back`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{\"run\":1}"], keep: 1)
    #expect(throws: Failure()) {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
        try loader.beginList("partners")
        for number in 0..<5_000 { try loader.addDocument("{\"run\":2}", user: StoredID("a\(number)")) }
        throw Failure()
      }
    }
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [1])
    #expect(try store.partners("a") == "{\"run\":1}")
    #expect(try store.partners("a7") == nil)
  }

  /// All stores of a pipeline are loaded before any of them serves the run.
  @Test(arguments: Backend.allCases)
  func `a publish can be stopped when its rows are loaded, before readers see them`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{\"run\":1}"], run: 1, keep: 1)
    let reader = try fixture.reader()
    var calls = 0
    func publish(run: Int, fails: Bool) throws {
      try store.publish(pipeline: "fusion", run: run, asOf: 2, keep: 1) { loader in
        loader.beforeServing = { keepAlive in
          calls += 1
          try keepAlive()
          let seen = try reader.partners("a")
          #expect(seen == "{\"run\":1}")
          if fails { throw Failure() }
        }
        try loader.beginList("partners")
        try loader.addDocument("{\"run\":\(run)}", user: "a")
      }
    }
    #expect(throws: Failure()) { try publish(run: 2, fails: true) }
    #expect(calls == 1)
    #expect(try reader.partners("a") == "{\"run\":1}")
    #expect(try store.generations(pipeline: "fusion").map(\.run) == [1])
    try publish(run: 3, fails: false)
    #expect(calls == 2)
    #expect(try reader.partners("a") == "{\"run\":3}")
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [2])
  }

  @Test(arguments: Backend.allCases)
  func `a failed first publish leaves no pipeline`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    #expect(throws: Failure()) {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { _ in throw Failure() }
    }
    #expect(try store.currentGeneration(pipeline: "fusion") == nil)
    #expect(try store.generations(pipeline: "fusion").isEmpty)
  }

  @Test(arguments: Backend.allCases)
  func `a generation without a list, a keep below 1 and an empty pipeline name are rejected`(
    backend: Backend
  ) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    func code(pipeline: String, keep: Int, lists: [String]) -> ServingStoreError.Code? {
      #expect(throws: ServingStoreError.self) {
        try store.publish(pipeline: pipeline, run: 1, asOf: 1, keep: keep) { loader in
          try loader.beginMatches("matches")
          for list in lists { try loader.beginList(list) }
        }
      }?.code
    }
    #expect(code(pipeline: "fusion", keep: 1, lists: []) == .refused)
    #expect(code(pipeline: "fusion", keep: 0, lists: ["partners"]) == .refused)
    #expect(code(pipeline: "fusion", keep: .min, lists: ["partners"]) == .refused)
    #expect(code(pipeline: "", keep: 1, lists: ["partners"]) == .refused)
    #expect(code(pipeline: "fusion\u{0}", keep: 1, lists: ["partners"]) == .refused)
  }

  @Test(arguments: Backend.allCases)
  func `a store opened for reading publishes nothing`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    try fixture.publisher().publishPartners(["a": "{}"])
    let reader = try fixture.reader()
    let error = #expect(throws: ServingStoreError.self) { try reader.publishPartners(["a": "[]"]) }
    #expect(error?.code == .readOnly)
    #expect(try reader.partners("a") == "{}")
  }
}

extension String {
  var utf8Bytes: [UInt8] { Array(utf8) }
}
