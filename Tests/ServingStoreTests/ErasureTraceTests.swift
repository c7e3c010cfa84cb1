import Foundation
import GRDB
import Testing

@testable import ServingStore
import TestSupport

/// Checks that the files of a store contain no trace of erased people.
@Suite struct `Traces of erased people` {
  private static let people = ErasedPeople(["users": ["CANARY"]], lists: [:], matches: [:])

  /// Publishes many lists, so that pages split and rows move between pages.
  private static func publish(_ store: any ServingStore, keep: Int = 3) throws {
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: keep) { loader in
      try loader.beginList("partners")
      for number in 0..<400 {
        let id = number == 200 ? "CANARY" : "u\(number)"
        let filler = String(repeating: "\(number),", count: number % 90)
        try loader.addDocument(
          "{\"user\":\"\(id)\",\"recommendations\":[{\"rank\":1,\"candidate\":\"CANARY\",\"x\":\"\(filler)\"}],"
            + "\"shortfall\":null}", user: StoredID(id))
      }
      try loader.beginPeople("users")
      try loader.addPerson("{\"bio\":\"CANARY\"}", id: "CANARY")
      // The other rows are inserted out of order, so that existing rows move between pages.
      for number in 0..<600 {
        let place = number * 7 % 600
        let filler = String(repeating: "x", count: place * 13 % 900)
        try loader.addPerson(
          "{\"bio\":\"\(filler)\"}", id: StoredID(place % 2 == 0 ? "A\(place)" : "D\(place)"))
      }
    }
  }

  private func holdsCanary(_ path: String) -> Bool {
    ["", "-wal", "-journal"].contains { suffix in
      FileManager.default.contents(atPath: path + suffix)?.range(of: Data("CANARY".utf8)) != nil
    }
  }

  @Test func `SQLite's file and log keep no trace`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/s.sqlite"
    let store = try StoreAddress(sqlitePath: path).open(for: .publishing)
    for _ in 0..<3 { try Self.publish(store) }
    #expect(holdsCanary(path))
    let erasure = try store.erase(Self.people, of: "fusion", ErasureOptions())
    #expect(erasure.lists == 3 && erasure.places == 3 * 399)
    #expect(!holdsCanary(path))
  }

  @Test func `SQLite waits for readers of an older state, reports them, and finishes later`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/s.sqlite"
    let store = try StoreAddress(sqlitePath: path)
      .open(for: .publishing, busyTimeout: .milliseconds(200))
    try Self.publish(store)
    let reader = try DatabaseQueue(path: path)
    try reader.read { database in
      let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM lists")
      #expect(rows == 400)
      #expect {
        try store.erase(Self.people, of: "fusion", ErasureOptions(tombstones: "t"))
      } throws: {
        ($0 as? ServingStoreError)?.code == .busy
      }
    }
    // The erased person is not served any more, but the erasure is not recorded as complete.
    #expect(try store.partners("CANARY") == nil)
    #expect(try store.generations(pipeline: "fusion").first?.note.tombstones == nil)
    #expect(try store.erase(Self.people, of: "fusion", ErasureOptions(tombstones: "t")).total == 0)
    #expect(!holdsCanary(path))
    #expect(try store.generations(pipeline: "fusion").first?.note.tombstones == "t")
  }

  @Test(arguments: Backend.allCases.filter { $0 == .postgresql })
  func `PostgreSQL waits for readers of an older state`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    try Self.publish(fixture.publisher())
    let store = try fixture.address.open(for: .publishing, busyTimeout: .milliseconds(200))
    try fixture.reader().read(pipeline: "fusion") { generation in
      let before = try generation.document(list: "partners", user: "CANARY")
      #expect(before != nil)
      #expect {
        try store.erase(Self.people, of: "fusion", ErasureOptions())
      } throws: {
        ($0 as? ServingStoreError)?.code == .busy
      }
      // An open reader still sees its old state.
      let after = try generation.document(list: "partners", user: "CANARY")
      #expect(after == before)
    }
    #expect(try store.partners("CANARY") == nil)
    #expect(try store.erase(Self.people, of: "fusion", ErasureOptions()).total == 0)
  }

  @Test(arguments: Backend.allCases.filter { $0 == .redis })
  func `readers of a retired generation in Redis find no erased people`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    for _ in 0..<3 { try Self.publish(store, keep: 1) }
    let erasure = try store.erase(Self.people, of: "fusion", ErasureOptions())
    #expect(erasure.lists == 3 && erasure.places == 3 * 399 && erasure.people == 3)
    for number in 1...3 {
      var ids = 0
      try store.visitIDs(in: number, of: "fusion") { role, id in
        ids += 1
        #expect(id != "CANARY", "\(role)")
      }
      #expect(ids == 999, "the other people must remain")
    }
  }
}
