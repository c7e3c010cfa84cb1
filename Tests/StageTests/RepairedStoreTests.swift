import Foundation
import GRDB
import Testing
import TestSupport

/// Stores that lost rows, or that were restored from a dump, are put right by the next night.
struct RepairedStoreTests {
  private let product: CanaryProduct
  private var run: String { product.work + "/canary/runs/1" }
  private var store: String { product.directory("serving.sqlite") }

  init() throws {
    product = try CanaryProduct()
    let ended = try product.nightjar("run")
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  private func change(_ sql: String) throws {
    let database = try DatabaseQueue(path: store)
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }

  private func verify() throws -> Program.Finished { try product.nightjar("verify") }

  @Test func `a night with the same lists loads lost rows again`() throws {
    try change("DELETE FROM people WHERE id = 'u3'")
    let ended = try product.nightjar("run", "--exit-99-if-unchanged")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let same = try product.nightjar("run", "--exit-99-if-unchanged")
    #expect(same.ending == .status(99), "\(same.errors)")
  }

  @Test(arguments: ["DELETE FROM lists WHERE user_id = 'u3'", "UPDATE lists SET document = '{}'"])
  func `what verify advises repairs the store`(damage: String) throws {
    try change(damage)
    let found = try verify()
    #expect(found.ending == .status(65))
    let advice = try #require(found.errors.firstMatch(of: /nightjar-publish (\S+) --run-dir (\S+) --force/))
    let ended = try Program.run(
      "nightjar-publish", [String(advice.1), "--run-dir", String(advice.2), "--force"])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(try verify().ending == .status(0))
  }

  @Test func `a dry run says that lost rows would be loaded`() throws {
    let arguments = [product.pipelineFile, "--run-dir", run, "--dry-run"]
    #expect(
      try Program.run("nightjar-publish", arguments).output.contains("generation 1 contains the same rows"))
    try change("DELETE FROM lists WHERE user_id = 'u3'")
    #expect(try Program.run("nightjar-publish", arguments).output.contains("load generation 2"))
  }

  /// The rows of all generations that contain a canary.
  private func canaries() throws -> Int {
    let database = try DatabaseQueue(path: store)
    let columns = [
      "lists": "user_id || document", "people": "id || attributes", "positions": "id",
      "matches": "user_id || other_user_id",
    ]
    return try database.read { database in
      try columns.reduce(0) { sum, column in
        try sum
          + (Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM \(column.key) WHERE \(column.value) LIKE '%\(CanaryProduct.word)%'")
            ?? 0)
      }
    }
  }

  @Test func `people who were erased leave a store that was restored from an older dump`() throws {
    try product.write(night: 2)
    #expect(try product.nightjar("run").ending == .status(0))
    let dump = try Data(contentsOf: URL(filePath: store))
    for victim in CanaryProduct.victims {
      let ended = try product.nightjar("erase", "--user", victim)
      #expect(ended.ending == .status(0), "\(ended.errors)")
    }
    #expect(try product.nightjar("run").ending == .status(0))
    #expect(try canaries() == 0)
    for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + name) }
    try dump.write(to: URL(filePath: store))
    #expect(try canaries() > 0)
    let ended = try product.nightjar("run")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("removed 2 erased people who reappeared"), "\(ended.errors)")
    #expect(try canaries() == 0)
    let again = try product.nightjar("run")
    #expect(!again.errors.contains("reappeared"), "\(again.errors)")
  }
}
