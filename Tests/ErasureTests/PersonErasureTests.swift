import Erasure
import Files
import Foundation
import PipelineFile
import Publishing
import RunSchemas
import ServingStore
import StageFixture
import System
import Testing
import Text
import Tombstones

/// An erasure removes a person from every run and every store. A failed erasure can be repeated.
struct PersonErasureTests {
  private let fixture: StageFixture
  private let runs: RunDirectories

  /// Creates two runs with three people and publishes the second run.
  init() throws {
    fixture = try StageFixture(
      yaml: Self.yaml,
      files: [
        "users.csv": "id,age\na,3\nb,4\nc,5\n", "dogs.csv": "id,age\na,3\n",
        "swipes.csv": "who,whom,at,way\na,b,1,right\nb,a,2,right\nc,a,3,right\n",
      ])
    runs = RunDirectories(work: fixture.directory + "/var", pipeline: "tiny")
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    for number in [1, 2] {
      try Directories.create(runs.root + "/runs")
      try FileManager.default.copyItem(atPath: fixture.run, toPath: runs.path(of: number))
    }
    let night = try PublishedNight(fixture.pipeline, run: runs.path(of: 2))
    _ = try StoresPublication(night, force: false, threads: 1) { _, _ in }.publish()
  }

  private func holds(_ id: String, run: Int) throws -> Bool {
    let snapshot = try Snapshot(
      runs.path(of: run) + "/snapshot", entities: fixture.pipeline.entities.map(\.schema), interactions: [])
    return snapshot.entities["users"]?.row(of: id) != nil
  }

  private func isServed(_ id: String) throws -> Bool {
    let store = try #require(try fixture.pipeline.storeAddresses(nil).last).open(for: .reading)
    return try store.listDocument(pipeline: "tiny", list: "near", user: StoredID(id)) != nil
  }

  private func erase(
    _ id: String, from pipeline: Pipeline? = nil, isDryRun: Bool = false
  ) throws -> ([ErasureRemark], (any Error)?) {
    let erasure = try PersonErasure(
      of: Array(id.utf8), entity: "users", from: pipeline ?? fixture.pipeline, runs: runs)
    var remarks: [ErasureRemark] = []
    do {
      try erasure.erase(isDryRun: isDryRun, tool: "test") { remarks.append($0) }
    } catch {
      return (remarks, error)
    }
    return (remarks, nil)
  }

  @Test func `a dry run reports and changes nothing`() throws {
    let (remarks, error) = try erase("a", isDryRun: true)
    #expect(error == nil)
    try #require(remarks.count == 3)
    #expect(remarks.allSatisfy { "\($0)".contains("would remove") })
    for run in [1, 2] {
      #expect(
        remarks[run - 1]
          == .result(
            "run \(run): would remove 1 row, 3 interactions, 1 model, 1 list, 2 entries on other lists, 1 match"
          ))
    }
    #expect(try holds("a", run: 1) && holds("a", run: 2) && isServed("a"))
    #expect(!FileManager.default.fileExists(atPath: runs.root + "/erasures"))
  }

  @Test func `only a real erasure removes the leftovers of killed processes`() throws {
    let leftover = runs.root + "/runs/.7.erased"
    try Directories.create(leftover)
    _ = try erase("a", isDryRun: true)
    #expect(Directories.exists(leftover))
    _ = try erase("a")
    #expect(!Directories.exists(leftover))
  }

  /// A new file of tombstones would hide that the tombstones of people who were erased earlier are missing.
  @Test func `a missing directory of earlier tombstones stops an erasure`() throws {
    try FileManager.default.createSymbolicLink(atPath: runs.root + "/latest", withDestinationPath: "runs/2")
    #expect(try erase("a").1 == nil)
    try FileManager.default.removeItem(atPath: runs.root + "/erasures")
    let (remarks, error) = try erase("b")
    #expect(error.map { ExitStatus($0) } == .missingInput, "\(remarks)")
    #expect(!FileManager.default.fileExists(atPath: runs.root + "/erasures"))
  }

  @Test func `the person is removed from all runs and the store, and a repetition finds nothing`() throws {
    let (remarks, error) = try erase("a")
    #expect(error == nil)
    #expect(remarks.first == .result("tombstone: added in \(runs.root)/erasures"))
    #expect(
      remarks.dropFirst().first
        == .result(
          "run 1: removed 1 row, 3 interactions, 1 model, 1 list, 2 entries on other lists, 1 match"))
    try #require(remarks.count == 4)
    let store = try fixture.pipeline.storeAddress(nil).shown
    let words = "\(remarks[3])"
    let removed = "removed 1 list, 2 entries on other lists, 1 match"
    #expect(words.contains("\(store), 1 generation: \(removed)"), "\(words)")
    #expect(try !holds("a", run: 1) && !holds("a", run: 2) && !isServed("a"))
    #expect(try holds("b", run: 1) && isServed("b"))
    // The store records the digest of the changed run, so the next publish finds that nothing
    // changed.
    let night = try PublishedNight(fixture.pipeline, run: runs.path(of: 2))
    let published = try StoresPublication(night, force: false, threads: 1) { _, _ in }.publish()
    #expect(published.first?.report["unchanged"] == .boolean(true))

    let again = try erase("a")
    #expect(again.0.first == .result("tombstone: already present in \(runs.root)/erasures"))
    #expect(again.0.dropFirst().first == .result("run 1: nothing to remove"))
    #expect(again.0.last == .result("not found in any run or store"))
  }

  @Test func `an unreadable run does not stop the others, and its failure is thrown`() throws {
    try Directories.remove(runs.path(of: 1) + "/snapshot/manifest.json")
    let (remarks, error) = try erase("a")
    let failure = try #require(error as? StageFailure)
    #expect(
      failure.exitStatus == .ioError
        && "\(failure)".contains("Delete the run's directory '\(runs.path(of: 1))'"))
    #expect(!remarks.contains { if case .warning = $0 { true } else { false } })
    #expect(try !holds("a", run: 2) && !isServed("a"))
  }

  @Test func `a run of another version may be erased by that version`() throws {
    try Data("{}".utf8).write(to: URL(filePath: runs.path(of: 1) + "/snapshot/manifest.json"))
    let (_, error) = try erase("a")
    let failure = try #require(error as? StageFailure)
    let remedy =
      ". Use the version that made this run, or delete the run's directory '\(runs.path(of: 1))', then run the "
      + "command again."
    #expect(failure.exitStatus == .ioError && failure.description.hasSuffix(remedy), "\(failure)")
    #expect(try !holds("a", run: 2) && !isServed("a"))
  }

  @Test func `a run with a file that cannot be edited may be erased by the version that made it`() throws {
    var directory = try StageDirectory("evaluation", in: runs.path(of: 1))
    try directory.write("scores.bin") { (writer) throws(FileError) in try writer.append("a") }
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "evaluation", pipeline: "tiny", configuration: .null,
        asOf: Instant(milliseconds: 1000), seed: 0, counts: [:]))
    let (_, error) = try erase("a")
    let failure = try #require(error as? StageFailure)
    #expect(failure.exitStatus == .ioError)
    #expect(failure.description.hasPrefix("run 1 is unchanged and may still contain the person: "))
    let remedy =
      "/scores.bin': this version of Nightjar cannot remove people from this kind of file. Use the version that "
      + "made this run, or delete the run's directory '\(runs.path(of: 1))', then run the command again."
    #expect(failure.description.hasSuffix(remedy), "\(failure)")
    #expect(try holds("a", run: 1) && !holds("a", run: 2) && !isServed("a"))
  }

  @Test func `a run without its snapshot is an error of its own, and the others are erased`() throws {
    try Directories.remove(runs.path(of: 1) + "/snapshot")
    let (remarks, error) = try erase("a")
    let failure = try #require(error as? FileError)
    #expect(failure.operation == .find && failure.path == runs.path(of: 1) + "/snapshot")
    #expect(remarks.count == 3)
    #expect(try !holds("a", run: 2) && !isServed("a"))
  }

  @Test func `a run that stopped before its lists is erased too`() throws {
    try Directories.remove(runs.path(of: 1) + "/rankings")
    let (remarks, error) = try erase("a")
    #expect(error == nil && remarks.count == 4)
    #expect(remarks.dropFirst().first == .result("run 1: removed 1 row, 3 interactions, 1 model"))
    #expect(try !holds("a", run: 1) && !holds("a", run: 2) && !isServed("a"))
  }

  // MARK: - Stores

  @Test func `an invalid address of a store is an error, after all runs and the stores before it`() throws {
    var pipeline = fixture.pipeline
    pipeline.publication?.stores.append("mongodb://there")
    let (remarks, error) = try erase("a", from: pipeline)
    #expect(error is ServingStoreError && remarks.count == 4)
    #expect(try !holds("a", run: 1) && !holds("a", run: 2) && !isServed("a"))
  }

  @Test func `a store that cannot be opened does not stop the next one`() throws {
    var pipeline = fixture.pipeline
    pipeline.publication?.stores.insert("sqlite:users.csv", at: 0)
    let before = try String(contentsOfFile: fixture.directory + "/users.csv", encoding: .utf8)
    let (remarks, error) = try erase("a", from: pipeline)
    #expect(error is ServingStoreError)
    #expect(remarks.count == 4 && "\(remarks.last ?? .warning(""))".contains("removed 1 list"))
    #expect(try !isServed("a"))
    #expect(try String(contentsOfFile: fixture.directory + "/users.csv", encoding: .utf8) == before)
  }

  private static let publishedYAML = """
    pipeline: shown
    as_of: newest
    plausible: [1, 9999]
    privacy: { snap_positions_to: 7 }
    entities:
      users:
        source: { path: people.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { age: { type: number }, town: { type: category } }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: { from: who, entity: users }
        candidate: { from: whom, entity: users }
        at: at
        value: { from: way, map: { right: 1, left: -1 } }
    rankings:
      near: { users: users, candidates: users, exclude: [self], order_by: distance, top: 3 }
      matches: { mutual: swipes }
      board: { catalog: users, by: town, order_by: [age asc] }
    publish: { store: "sqlite:shown.sqlite", attributes: { users: [age] }, positions: { users: {} } }
    """

  /// A run counts the entry of a catalog as a place.
  @Test(arguments: [true, false])
  func `published attributes, positions and catalog entries are removed and counted`(isDryRun: Bool) throws {
    let shown = try StageFixture(
      yaml: Self.publishedYAML,
      files: [
        "people.csv": "id,lat,lon,age,town\na,50,8,20,x\nb,50.5,8,30,x\nc,50.5,8.5,40,x\n",
        "swipes.csv": "who,whom,at,way\na,b,1,right\nb,a,2,right\nc,b,3,left\n",
      ])
    let runs = RunDirectories(work: shown.directory + "/var", pipeline: "shown")
    try shown.runStages(asOf: Instant(milliseconds: 1000))
    try Directories.create(runs.root + "/runs")
    try FileManager.default.copyItem(atPath: shown.run, toPath: runs.path(of: 1))
    let night = try PublishedNight(shown.pipeline, run: runs.path(of: 1))
    _ = try StoresPublication(night, force: false, threads: 1) { _, _ in }.publish()
    var remarks: [ErasureRemark] = []
    try PersonErasure(of: Array("a".utf8), entity: nil, from: shown.pipeline, runs: runs)
      .erase(isDryRun: isDryRun, tool: "test") { remarks.append($0) }
    let (verb, store) = (isDryRun ? "would remove" : "removed", try shown.pipeline.storeAddress(nil).shown)
    #expect(
      remarks.suffix(2) == [
        .result("run 1: \(verb) 1 row, 2 interactions, 1 list, 3 entries on other lists, 1 match"),
        .result(
          "\(store), 1 generation: \(verb) 1 list, 2 entries on other lists, 1 match, 1 profile, 1 position, "
            + "1 catalog entry"),
      ])
  }

  /// The tombstone of `b` is older, and the store was unreachable then. No run names `b` any more.
  @Test func `a person whose erasure did not reach a store is removed by the next erasure`() throws {
    try fixture.pipeline.tombstones(beside: runs).add([(id: Array("b".utf8), entity: "users")])
    for run in [1, 2] { try Directories.remove(runs.path(of: run)) }
    let (remarks, error) = try erase("a")
    #expect(error == nil && remarks.count == 2)
    #expect(try !isServed("a") && !isServed("b") && isServed("c"))
  }

  @Test func `of several failures, the last is thrown and the earlier ones are reported`() throws {
    for run in [1, 2] { try Directories.remove(runs.path(of: run) + "/snapshot/manifest.json") }
    let (remarks, error) = try erase("a")
    let failure = try #require(error as? StageFailure)
    #expect(failure.description.hasPrefix("run 2 is unchanged and may still contain the person: "))
    var warnings: [String] = []
    for remark in remarks { if case .warning(let text) = remark { warnings.append(text) } }
    #expect(warnings.count == 1)
    #expect(warnings.first?.hasPrefix("run 1 is unchanged and may still contain the person: ") == true)
    #expect(try !isServed("a"))
  }

  @Test(arguments: [true, false])
  func `an erasure that could not read a run does not say that the id was not found`(isDryRun: Bool) throws {
    try Directories.remove(runs.path(of: 1) + "/snapshot/manifest.json")
    let (remarks, error) = try erase("nobody", isDryRun: isDryRun)
    #expect(error is StageFailure)
    #expect(!remarks.contains { "\($0)".contains("not found") }, "\(remarks)")
    try FileManager.default.removeItem(atPath: runs.path(of: 1))
    let (complete, none) = try erase("nobody", isDryRun: isDryRun)
    #expect(none == nil && complete.last == .result("not found in any run or store"))
  }

  @Test func `lifting removes only the tombstone`() throws {
    _ = try erase("a")
    let erasure = try PersonErasure(of: Array("a".utf8), entity: "users", from: fixture.pipeline, runs: runs)
    try erasure.lift()
    #expect(try fixture.pipeline.tombstones(beside: runs).load().isEmpty)
    #expect(throws: TombstoneError.self) { try erasure.lift() }
  }

  @Test func `the default kind of entity is the only possible one, and never guessed`() throws {
    #expect(throws: Never.self) {
      try PersonErasure(of: Array("a".utf8), entity: nil, from: fixture.pipeline, runs: runs)
    }
    let unknown = #expect(throws: StageFailure.self) {
      try PersonErasure(of: Array("a".utf8), entity: "cats", from: fixture.pipeline, runs: runs)
    }
    #expect(unknown?.exitStatus == .usage && unknown?.description.contains("'cats'") == true)
    var pipeline = fixture.pipeline
    pipeline.rankings.append(pipeline.rankings[0])
    for index in [1, 0] {
      pipeline.rankings[index].users = "dogs"
      let several = #expect(throws: StageFailure.self) {
        try PersonErasure(of: Array("a".utf8), entity: nil, from: pipeline, runs: runs)
      }
      #expect(several?.description.hasSuffix("with --entity: dogs, users.") == true)
    }
  }

  private func pipeline(_ entities: String...) throws -> Pipeline {
    let sources = entities.map { "  \($0): { source: { path: \($0).csv }, id: id }\n" }.joined()
    return try Pipeline(yaml: "pipeline: p\nentities:\n" + sources, file: fixture.directory + "/p.yaml")
  }

  @Test func `without lists and interactions, only a single kind of entity is the default`() throws {
    let runs = RunDirectories(work: fixture.directory + "/var", pipeline: "p")
    let (one, id) = (try pipeline("dogs"), Array("d".utf8))
    var remarks: [ErasureRemark] = []
    try PersonErasure(of: id, entity: nil, from: one, runs: runs)
      .erase(isDryRun: false, tool: "test") { remarks.append($0) }
    #expect(
      remarks == [
        .result("tombstone: added in \(runs.root)/erasures"), .result("not found in any run or store"),
      ])
    let tombstones = try one.tombstones(beside: runs).load()
    let isErased = tombstones.contain(id.span, of: "dogs")
    #expect(isErased && tombstones.count == 1)
    let two = try pipeline("cats", "dogs")
    for (entity, words) in [
      (nil, "several entities. Choose one with --entity: cats, dogs."),
      ("cows", "has no entity 'cows'. Choose one of: cats, dogs."),
    ] as [(String?, String)] {
      let failure = #expect(throws: StageFailure.self) {
        try PersonErasure(of: id, entity: entity, from: two, runs: runs)
      }
      #expect(failure?.exitStatus == .usage && failure?.description.hasSuffix(words) == true)
    }
  }

  private static let yaml = """
    pipeline: tiny
    as_of: newest
    plausible: [1, 9999]
    seed: 7
    entities:
      users:
        source: { path: users.csv }
        id: id
        attributes: { age: { type: number } }
      dogs:
        source: { path: dogs.csv }
        id: id
        attributes: { age: { type: number } }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: { from: who, entity: users }
        candidate: { from: whom, entity: users }
        at: at
        value: { from: way, map: { right: 1, left: -1 } }
    model: { learns_from: swipes, features: [{ number: age }], compat: createml }
    rankings:
      near: { users: users, candidates: users, exclude: [self], order_by: score, top: 3 }
      matches: { mutual: swipes }
    publish: { store: "sqlite:serving.sqlite" }
    """

  @Test func `a store that does not exist is neither created nor an error`() throws {
    let store = fixture.directory + "/serving.sqlite"
    for name in try Directories.names(in: fixture.directory) where name.hasPrefix("serving.sqlite") {
      try FileManager.default.removeItem(atPath: fixture.directory + "/" + name)
    }
    let (_, error) = try erase("a")
    #expect(error == nil && !Directories.exists(store))
    #expect(try !holds("a", run: 1) && !holds("a", run: 2))
  }
}
