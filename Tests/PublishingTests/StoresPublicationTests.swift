import Foundation
import GRDB
import Publishing
import ServingStore
import StageFixture
import System
import Testing
import Text

/// All stores serve a new generation, or none of them does.
struct StoresPublicationTests {
  private func generation(_ night: TinyNight, _ store: String) throws -> Int? {
    try night.pipeline.storeAddress(store).open(for: .reading).currentGeneration(pipeline: "tiny")?.number
  }

  @Test(arguments: [
    #"["sqlite:one.sqlite", "sqlite:two.sqlite"]"#, #"["sqlite:two.sqlite", "sqlite:one.sqlite"]"#,
  ])
  func `reports come in the order of the pipeline file`(stores: String) throws {
    let night = try TinyNight(store: stores)
    let reports = try night.publish()
    #expect(reports.map { $0["generation"] } == [1, 1])
    let names = reports.compactMap { $0["store"]?.stringValue?.split(separator: "/").last }
    #expect(stores == "[" + names.map { "\"sqlite:\($0)\"" }.joined(separator: ", ") + "]")
    #expect(try generation(night, "sqlite:one") == 1 && generation(night, "sqlite:two") == 1)
    #expect(try night.publish().map { $0["unchanged"] } == [.boolean(true), .boolean(true)])
  }

  @Test(arguments: [
    #"["sqlite:one.sqlite", "sqlite:one.sqlite"]"#, #"["sqlite:one.sqlite", "sqlite:./one.sqlite"]"#,
    #"["redis://h/1", "sqlite:one.sqlite", "redis://me@H:6379/1"]"#,
    #"["postgresql://h/d", "postgresql://me@h/d?connect_timeout=3"]"#,
    #"["postgresql://d@h", "postgresql://h/d"]"#,
  ])
  func `a store with two addresses is a mistake in the pipeline file`(stores: String) throws {
    let error = try #require(#expect(throws: StageFailure.self) { try TinyNight(store: stores) })
    #expect(error.exitStatus == .badPipelineFile && "\(error)".contains("twice"))
  }

  @Test func `stores on one server may differ in their number or name`() throws {
    let stores =
      #"["redis://h/1", "redis://h/2", "redis://h:7/1", "postgresql://h/d", "postgresql://h/e", "postgresql://me@h", "postgresql://you@h", "postgresql:///d?hostaddr=127.0.0.2", "postgresql:///d?hostaddr=127.0.0.3"]"#
    #expect(throws: Never.self) { try TinyNight(store: stores).pipeline.checkStores() }
  }

  /// The store that fails is the first, the second or the last one.
  @Test(arguments: 0..<3) func `no store serves the run if loading into one store fails`(place: Int) throws {
    var stores = ["\"sqlite:one.sqlite\"", "\"sqlite:two.sqlite\""]
    stores.insert("\"sqlite:users.csv/x.sqlite\"", at: place)
    let night = try TinyNight(store: "[\(stores.joined(separator: ", "))]")
    #expect(throws: ServingStoreError.self) { try night.publish() }
    for store in ["one", "two"] {
      let path = night.fixture.directory + "/\(store).sqlite"
      guard FileManager.default.fileExists(atPath: path) else { continue }
      #expect(try generation(night, "sqlite:\(store)") == nil)
    }
  }

  @Test func `a store that another process writes keeps all stores from serving the run`() throws {
    let night = try TinyNight(store: #"["sqlite:one.sqlite", "sqlite:two.sqlite"]"#)
    _ = try night.publish()
    let other = try night.pipeline.storeAddress("sqlite:two").open(for: .publishing)
    try other.publish(pipeline: "tiny", run: 1, asOf: 0, note: GenerationNote(), keep: 3) { loader in
      try loader.begin(.list, "near")
      let error = #expect(throws: ServingStoreError.self) { try night.publish(force: true) }
      #expect(error?.code == .busy)
    }
    #expect(try generation(night, "sqlite:one") == 1 && generation(night, "sqlite:two") == 2)
  }

  /// The guards of all stores are checked first, so that a long load is not wasted.
  @Test(arguments: [0, 1]) func `a guard of any store rejects the run before it is loaded`(place: Int) throws
  {
    let before = try TinyNight()
    _ = try before.publish()
    var stores = ["\"sqlite:new.sqlite\""]
    stores.insert("\"sqlite:\(before.fixture.directory)/serving.sqlite\"", at: place)
    let fewer = try TinyNight(
      people: TinyNight.people.filter { !$0.hasPrefix("c,") }, store: "[\(stores.joined(separator: ", "))]")
    let error = #expect(throws: ServingStoreError.self) { try fewer.publish() }
    #expect(error?.code == .guarded)
    #expect(!FileManager.default.fileExists(atPath: fewer.fixture.directory + "/new.sqlite"))
    #expect(try fewer.publish(force: true).count == 2)
    #expect(FileManager.default.fileExists(atPath: fewer.fixture.directory + "/new.sqlite"))
    #expect(try generation(before, "sqlite:serving") == 2)
  }

  @Test func `the loaded tables are reported for each store`() throws {
    let night = try TinyNight(store: #"["sqlite:one.sqlite", "sqlite:two.sqlite"]"#)
    var seen: [String] = []
    let results = try StoresPublication(night.night, force: false, threads: 1) { seen.append("\($0) \($1)") }
      .publish()
    let once = ["near 6", "matches 1", "users 6", "positions of users 4"]
    #expect(seen == once + once)
    #expect(results.map { $0.report["kept"] } == [1, 1])
  }

  /// The stores are switched from the last one to the first one.
  @Test func `a failed switch names the stores that serve the night and those that do not`() throws {
    let names = ["one", "two", "three"]
    let night = try TinyNight(store: "[\(names.map { "\"sqlite:\($0).sqlite\"" }.joined(separator: ", "))]")
    _ = try night.publish()
    let file = try DatabaseQueue(path: night.fixture.directory + "/two.sqlite")
    // Only the commit fails: a trigger on the pointer adds a row that breaks a deferred foreign key.
    try file.write { database in
      try database.execute(
        sql: """
          CREATE TABLE broken (run INTEGER REFERENCES run (id) DEFERRABLE INITIALLY DEFERRED);
          CREATE TABLE run (id INTEGER PRIMARY KEY);
          CREATE TRIGGER breaking AFTER UPDATE ON served BEGIN INSERT INTO broken VALUES (1); END;
          """)
    }
    try file.close()
    let error = try #require(throws: PartialPublication.self) { try night.publish(force: true) }
    func files(_ addresses: [String]) -> [String] {
      addresses.map { String($0.split(separator: "/").last ?? "") }
    }
    #expect(files(error.serving) == ["three.sqlite"])
    #expect(files(error.notServing) == ["one.sqlite", "two.sqlite"])
    #expect("\(error)".contains("three.sqlite already serves this run"))
    #expect("\(error)".hasSuffix("two.sqlite do not. Publish again to finish"))
    #expect(error.exitStatus == .storeUnavailable)
    #expect(try names.map { try generation(night, "sqlite:" + $0) } == [1, 1, 2])
  }
}
