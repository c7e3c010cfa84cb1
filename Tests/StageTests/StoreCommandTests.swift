import Foundation
import GRDB
import Testing
import TestSupport

/// Tests repeated publishes, several stores, guards and the commands about generations.
struct StoreCommandTests {
  private func nightjar(_ verb: String, _ product: SmallProduct, _ arguments: String...) throws
    -> Program.Finished
  {
    try Program.run("nightjar", [verb, product.pipelineFile, "--work", product.work] + arguments)
  }

  private func publish(_ product: SmallProduct, run: Int, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar-publish", [product.pipelineFile, "--run-dir", product.run(run)] + arguments)
  }

  private func generations(_ product: SmallProduct, _ arguments: String...) throws -> [[String: Any]] {
    let ended = try Program.run(
      "nightjar", ["generations", product.pipelineFile, "--work", product.work, "--json"] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return try #require(JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [[String: Any]])
  }

  private func ran(_ product: SmallProduct) throws {
    let ended = try product.run()
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  /// Changes the exports for a second run: Hugo is missing.
  private func changed(_ product: SmallProduct) throws {
    try product.replace(
      "hugoXQ,Technology,52.48897,13.44327,9,false,2024-01-01T00:00:00Z\n", by: "", in: "people.csv")
    let kept = SmallProduct.swipes.split(separator: "\n").filter { !$0.contains("hugoXQ") }.joined(
      separator: "\n")
    // This swipe has the time of Hugo's newest swipe, because the newest time of an export must not
    // decrease.
    let last = "fritzXQ,benXQ,right,2024-03-06T10:00:00Z"
    try product.directory.write(kept + "\n" + last + "\n", to: "swipes.csv")
  }

  @Test func `the same lists are loaded again only if forced`() throws {
    let product = try SmallProduct()
    try ran(product)
    let again = try product.run()
    #expect(again.ending == .status(0))
    #expect(again.errors.contains("unchanged: generation 1"))
    #expect(try generations(product).map { $0["generation"] as? Int } == [1])
    let report = try publish(product, run: 2)
    #expect(report.output.contains("\"unchanged\" : true"))
    #expect(try publish(product, run: 2, "--force").ending == .status(0))
    #expect(try generations(product).map { $0["generation"] as? Int } == [2, 1])
    // Other lists are published, and then the first lists are published again.
    try changed(product)
    try ran(product)
    #expect(try generations(product).map { $0["run"] as? Int } == [3, 2, 1])
    #expect(try publish(product, run: 1).ending == .status(0))
    #expect(try generations(product).map { $0["run"] as? Int } == [1, 3, 2])
  }

  @Test func `a guard prevents a bad run from being served, and an override is recorded`() throws {
    let product = try SmallProduct()
    try product.replace(
      "  keep: 3\n", by: "  keep: 3\n  guards: { users_drop_at_most: 10 %, lists_empty_at_most: 90 % }\n")
    try ran(product)
    try changed(product)
    let refused = try product.run()
    #expect(refused.ending == .status(65))
    #expect(refused.errors.contains("users_drop_at_most' is 10"), "\(refused.errors)")
    let published = try publish(product, run: 2)
    #expect(published.ending == .status(65))
    #expect(
      published.errors.contains(
        "users_drop_at_most: partners lost too many users: 5 instead of 7, 28.6 % fewer; the limit is 10.0 %")
    )
    #expect(published.errors.contains("generation 1 is still served"))
    #expect(try generations(product).map { $0["generation"] as? Int } == [1])
    let dry = try publish(product, run: 2, "--dry-run")
    #expect(
      dry.ending == .status(0) && dry.errors.contains("publish nothing")
        && dry.errors.contains("users_drop_at_most"))
    #expect(try generations(product).count == 1)
    let forced = try publish(product, run: 2, "--force")
    #expect(forced.ending == .status(0) && forced.output.contains("users_drop_at_most"))
    #expect(try generations(product).map { $0["overridden"] as? [String] } == [["users_drop_at_most"], []])
  }

  @Test func `too many empty lists prevent a run from being served`() throws {
    let product = try SmallProduct()
    try product.replace("  keep: 3\n", by: "  keep: 3\n  guards: { lists_empty_at_most: 0.2 }\n")
    try product.replace("    minimum_score: 0\n", by: "    minimum_score: 1000\n")
    let refused = try product.run()
    #expect(refused.ending == .status(65))
    #expect(
      refused.errors.contains("lists of partners are empty")
        && refused.errors.contains("the store has not served a generation yet"))
    #expect(SmallProduct.secrets(in: refused.errors) == [])
  }

  @Test func `a dry run reports its plan and creates no store`() throws {
    let product = try SmallProduct()
    #expect(try product.run("--until", "rank").ending == .status(0))
    let dry = try publish(product, run: 1, "--dry-run")
    #expect(dry.ending == .status(0))
    #expect(dry.errors.contains("load and serve generation 1, and keep 1 generation"))
    #expect(!product.directory.exists("serving.sqlite"))
  }

  @Test func `rollback serves an older generation, and the next publish continues from the newest`() throws {
    let product = try SmallProduct()
    try ran(product)
    try changed(product)
    try ran(product)
    #expect(try nightjar("show", product, "--user", "hugoXQ").ending == .status(66))
    let back = try nightjar("rollback", product)
    #expect(
      back.ending == .status(0) && back.output.contains("*           1 "), "\(back.output)\(back.errors)")
    #expect(try nightjar("show", product, "--user", "hugoXQ").ending == .status(0))
    #expect(try generations(product).map { $0["served"] as? Bool } == [false, true])
    let further = try nightjar("rollback", product)
    #expect(further.ending == .status(66) && further.errors.contains("no generation older than 1"))
    #expect(try nightjar("rollback", product, "--to", "9").ending == .status(66))
    #expect(try nightjar("rollback", product, "--to", "2").ending == .status(0))
    func stores(_ generation: String) throws -> [[String: Any]] {
      let output = try nightjar("rollback", product, "--to", generation, "--json").output
      return try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
    }
    let served = try stores("1")
    #expect(served.map { $0["generation"] as? Int } == [1] && served[0]["served"] as? Bool == true)
    #expect((served[0]["store"] as? String)?.hasPrefix("sqlite:") == true)
    #expect(try stores("9").isEmpty, "no store serves another generation")
    // The served lists now differ from the newest run, so it is published again.
    #expect(try publish(product, run: 2).ending == .status(0))
    #expect(try generations(product).map { $0["generation"] as? Int } == [3, 2, 1])
    #expect(try generations(product).map { $0["served"] as? Bool } == [true, false, false])
  }

  @Test func `verify compares the store with its run, row by row`() throws {
    let product = try SmallProduct()
    try ran(product)
    let equal = try nightjar("verify", product)
    #expect(equal.ending == .status(0) && equal.output.contains("all equal"), "\(equal.errors)")
    func differentRows() throws -> Int? {
      let output = Data(try nightjar("verify", product, "--json").output.utf8)
      return (try JSONSerialization.jsonObject(with: output) as? [String: Any])?["different"] as? Int
    }
    #expect(try differentRows() == 0)
    let list = product.run(1) + "/rankings/partners/part-00000.jsonl"
    let text = try String(contentsOfFile: list, encoding: .utf8)
    try text.replacingOccurrences(of: "\"rank\":1,", with: "\"rank\":9,").write(
      toFile: list, atomically: true, encoding: .utf8)
    let differing = try nightjar("verify", product)
    // The run itself is damaged, so it cannot be compared with the store.
    #expect(differing.ending == .status(74) && differing.errors.contains("part-00000.jsonl: block 1 of 1"))
    #expect(SmallProduct.secrets(in: differing.errors) == [])
    try text.write(toFile: list, atomically: true, encoding: .utf8)
    try DatabaseQueue(path: product.directory("serving.sqlite")).write { database in
      try database.execute(sql: "UPDATE lists SET document = replace(document, '\"rank\":1,', '\"rank\":9,')")
    }
    let changed = try nightjar("verify", product)
    #expect(changed.ending == .status(65))
    #expect(changed.errors.contains("part-00000.jsonl:1: the document in the store differs from this line"))
    #expect(try differentRows() ?? 0 > 0)
    #expect(SmallProduct.secrets(in: changed.errors) == [])
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `several stores serve the same lists, and none is switched if one cannot be loaded`() throws {
    let product = try SmallProduct()
    let uri = try PostgreSQLServer.database()
    try product.replace(
      "  store: \"sqlite:serving.sqlite\"\n", by: "  store: [\"sqlite:serving.sqlite\", \"\(uri)\"]\n")
    try ran(product)
    let sqlite = try nightjar("show", product, "--user", "adaXQ", "--json")
    let postgresql = try nightjar("show", product, "--user", "adaXQ", "--json", "--store", "postgresql:")
    #expect(sqlite.ending == .status(0) && sqlite.output == postgresql.output)
    #expect(try nightjar("verify", product, "--store", "postgresql").output.contains("all equal"))
    try changed(product)
    _ = try PostgreSQLServer.run("ALTER TABLE nightjar.generations RENAME TO others", in: uri)
    let half = try product.run()
    #expect(half.ending == .status(69) && half.errors.contains("PostgreSQL reports"))
    #expect(try generations(product).map { $0["generation"] as? Int } == [1])
    _ = try PostgreSQLServer.run("ALTER TABLE nightjar.others RENAME TO generations", in: uri)
    #expect(try publish(product, run: 2).ending == .status(0))
    #expect(try generations(product, "--store", uri).map { $0["generation"] as? Int } == [2, 1])
    let back = try nightjar("rollback", product)
    #expect(
      back.ending == .status(0) && back.output.contains("sqlite:") && back.output.contains("postgresql:"))
    for ended in [half, back] { #expect(SmallProduct.secrets(in: ended.errors + ended.output) == []) }
  }

  /// The stores are tried in both orders. The last store in the pipeline file is switched first.
  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `a failed switch names the stores that serve the run and those that do not`() throws {
    let product = try SmallProduct()
    let uri = try PostgreSQLServer.database()
    try product.replace(
      "  store: \"sqlite:serving.sqlite\"\n", by: "  store: [\"sqlite:serving.sqlite\", \"\(uri)\"]\n")
    try ran(product)
    try changed(product)
    // Only the commit fails: a trigger on the pointer adds a row that breaks a deferred foreign
    // key.
    let file = try DatabaseQueue(path: product.directory("serving.sqlite"))
    try file.write { database in
      try database.execute(
        sql: """
          CREATE TABLE broken (run INTEGER REFERENCES run (id) DEFERRABLE INITIALLY DEFERRED);
          CREATE TABLE run (id INTEGER PRIMARY KEY);
          CREATE TRIGGER breaking AFTER UPDATE ON served BEGIN INSERT INTO broken VALUES (1); END;
          """)
    }
    let half = try product.run()
    #expect(half.ending == .status(69), "\(half.errors)")
    let flat = half.errors.replacing("\n", with: " ")
    #expect(flat.contains("already serves this run") && flat.contains("does not. Publish again to finish"))
    let served = try #require(flat.firstRange(of: "postgresql:")?.lowerBound)
    let still = try #require(flat.firstRange(of: "already serves this run, but sqlite:")?.lowerBound)
    #expect(served < still)
    #expect(try generations(product).map { $0["generation"] as? Int } == [1])
    #expect(try generations(product, "--store", uri).map { $0["generation"] as? Int } == [2, 1])
    try file.write { try $0.execute(sql: "DROP TRIGGER breaking; DROP TABLE broken; DROP TABLE run") }
    #expect(try publish(product, run: 2).ending == .status(0))
    #expect(try generations(product).map { $0["generation"] as? Int } == [2, 1])
    #expect(try generations(product, "--store", uri).map { $0["generation"] as? Int } == [2, 1])
  }

  @Test func `an unreachable store gives status 69, and a password in an address is rejected`()
    throws
  {
    let product = try SmallProduct()
    #expect(try product.run("--until", "rank").ending == .status(0))
    let port = try LocalServer.freePort()
    let dry = try publish(
      product, run: 1, "--dry-run", "--set", "publish.store=postgresql://postgres@127.0.0.1:\(port)/x")
    #expect(dry.ending == .status(69))
    let away = try publish(
      product, run: 1, "--set", "publish.store=postgresql://postgres@127.0.0.1:\(port)/x")
    #expect(away.ending == .status(69))
    let secret = try publish(
      product, run: 1, "--set", "publish.store=postgresql://app:hunter2@127.0.0.1:\(port)/x")
    #expect(secret.ending == .status(78) && !secret.errors.contains("hunter2"))
  }
}
