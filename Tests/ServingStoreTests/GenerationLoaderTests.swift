import Testing

@testable import ServingStore

/// The checks of a publish, with a store that only counts.
struct GenerationLoaderTests {
  /// Counts rows, and records which of them are compared with the store.
  private final class CountingSink: GenerationSink {
    var begun: [String] = []
    var counts: [Int] = []
    var ranks: [Int] = []
    var compared: [LoadedRow] = []
    var steps: [String] = []
    /// A row that the store lost, and a row that it changed.
    var lost = 0
    var changed: LoadedRow?

    func begin(_ kind: TableKind, _ name: String) {
      begun.append("\(kind.rawValue) \(name)")
      counts.append(0)
    }

    func add(_ row: TableRow, rank: Int) {
      counts[counts.count - 1] += 1
      ranks.append(rank)
    }

    func end() { steps.append("end") }

    func count(table: Int, _ kind: TableKind) -> Int {
      steps.append("count \(table) \(kind.rawValue)")
      return counts[table] - lost
    }

    func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) -> Bool {
      compared.append(row)
      return row != changed
    }

    func keepAlive() { steps.append("alive") }
  }

  private let sink = CountingSink()
  private let loader: GenerationLoader

  init() {
    loader = GenerationLoader(sink, StoreAddress(sqlitePath: "/x"))
  }

  private func row(_ number: Int) -> LoadedRow {
    .document(id: StoredID("u\(number)"), json: "{\"n\":\(number)}".utf8Bytes)
  }

  private func load(_ count: Int) throws {
    try loader.begin(.list, "near")
    for number in 0..<count { try loader.addDocument("{\"n\":\(number)}", user: StoredID("u\(number)")) }
  }

  /// With more rows than the sample holds, every second, fourth or further row is compared.
  @Test(arguments: [
    (0, 1), (1, 1), (255, 1), (256, 1), (257, 2), (512, 2), (513, 4), (1024, 4), (1025, 8), (1500, 8),
  ])
  func `at most 256 evenly spaced rows are compared with the store`(count: Int, step: Int) throws {
    try load(count)
    try loader.close()
    #expect(sink.compared == stride(from: 0, to: count, by: step).map { row($0) })
    #expect(sink.compared.count <= 256)
    #expect(sink.steps == ["end", "count 0 list"])
    #expect(loader.tables.lists == [NamedCount(name: "near", rows: count)])
  }

  @Test(arguments: [(0, ""), (1, "near: the number of loaded rows is 3, but the store has 2")])
  func `a lost row is an error`(lost: Int, message: String) throws {
    try load(3)
    sink.lost = lost
    var found = ""
    do { try loader.close() } catch { found = (error as? ServingStoreError)?.found ?? "\(error)" }
    #expect(found == message)
  }

  @Test func `a changed row is an error`() throws {
    try load(3)
    sink.changed = row(2)
    let error = #expect(throws: ServingStoreError.self) { try loader.close() }
    #expect(
      error?.code == .refused
        && error?.found == "near: a row in the store differs from the row that was loaded")
    #expect(error?.address == "sqlite:/x")
  }

  @Test(arguments: [TableKind.list, .catalog, .matches, .people, .positions, .buckets])
  func `a generation has a list or a catalog`(kind: TableKind) throws {
    try loader.begin(kind, "x")
    if kind == .list || kind == .catalog {
      try loader.close()
    } else {
      let error = #expect(throws: ServingStoreError.self) { try loader.close() }
      #expect(error?.found == "the generation has neither a list nor a catalog")
      #expect(sink.steps.isEmpty)
    }
  }

  @Test func `the progress is reported every 4096 rows and at the end of a table`() throws {
    var seen: [String] = []
    loader.observe = { seen.append("\($0) \($1)") }
    try loader.begin(.buckets, "empty")
    try load(2 * 4096)
    try loader.begin(.people, "users")
    try loader.addPerson("{}", id: "a")
    try loader.begin(.positions, "users")
    try loader.addPosition(1, 2, id: "a")
    try loader.begin(.buckets, "users")
    try loader.addBucket("{}", cell: "gc7x3r")
    try loader.begin(.catalog, "best")
    #expect(
      seen == ["near 4096", "near 8192", "near 8192", "users 1", "positions of users 1", "cells of users 1"])
    #expect(
      sink.begun == [
        "buckets empty", "list near", "people users", "positions users", "buckets users", "catalog best",
      ])
  }

  @Test func `ranks count from 1 within a key, and tables are in order of names`() throws {
    try loader.begin(.catalog, "z")
    for key: StoredID in ["a", "a", "a", "b", "c", "c"] { try loader.addEntry("{}", key: key) }
    try loader.begin(.catalog, "y")
    try loader.addEntry("{\"n\":1}", key: "a")
    try loader.begin(.matches, "m")
    try loader.addMatch("a", "b", at: "2026")
    try loader.begin(.positions, "p")
    try loader.addPosition(1, 2, id: "a")
    #expect(sink.ranks == [1, 2, 3, 1, 1, 2, 1, 0, 0])
    #expect(loader.tables.catalogs == [NamedCount(name: "y", rows: 1), NamedCount(name: "z", rows: 6)])
    try loader.close()
    let empty = "{}".utf8Bytes
    #expect(
      sink.compared.prefix(7) == [
        .entry(key: "a".utf8Bytes, rank: 1, json: empty), .entry(key: "a".utf8Bytes, rank: 2, json: empty),
        .entry(key: "a".utf8Bytes, rank: 3, json: empty), .entry(key: "b".utf8Bytes, rank: 1, json: empty),
        .entry(key: "c".utf8Bytes, rank: 1, json: empty), .entry(key: "c".utf8Bytes, rank: 2, json: empty),
        .entry(key: "a".utf8Bytes, rank: 1, json: "{\"n\":1}".utf8Bytes),
      ])
    #expect(sink.compared.dropFirst(7).first == .match(user: "a", other: "b", at: "2026".utf8Bytes))
    #expect(sink.compared.count == 9)
    #expect(
      sink.steps == ["end", "count 0 catalog", "count 1 catalog", "count 2 matches", "count 3 positions"])
  }

  @Test func `the first failure is kept, and nothing is counted after it`() throws {
    try load(1)
    let first = try #require(throws: ServingStoreError.self) { try loader.addDocument("{", user: "b") }
    #expect(first.found == "a document is not JSON in UTF-8")
    let second = try #require(throws: ServingStoreError.self) { try loader.begin(.list, "near") }
    #expect(second.found == "list 'near' was added twice")
    let last = #expect(throws: ServingStoreError.self) { try loader.close() }
    #expect(last?.found == first.found)
    #expect(sink.steps.isEmpty && sink.counts == [1])
  }

  @Test func `the same name may belong to tables of two kinds`() throws {
    try loader.begin(.list, "x")
    try loader.begin(.catalog, "x")
    try loader.begin(.list, "X")
    try loader.begin(.list, "\u{E9}")
    try loader.begin(.list, "e\u{301}")
    #expect(loader.tables.lists.map(\.name.utf8Bytes) == ["X", "e\u{301}", "x", "\u{E9}"].map(\.utf8Bytes))
  }

  @Test func `rows are added to other stores before the first one serves`() throws {
    var calls = 0
    loader.beforeServing = { keepAlive in
      calls += 1
      try keepAlive()
    }
    try loader.willServe()
    #expect(calls == 1 && sink.steps == ["alive"])
  }
}
