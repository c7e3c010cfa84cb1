import Foundation
import Glibc
import Testing
import TestSupport

/// `nightjar erase` must remove a person from every file that Nightjar keeps. The test runs the
/// programs with three stores.
struct ErasureCanaryTests {
  private func expectDone(_ ended: Program.Finished, _ status: Int32 = 0) throws {
    try #require(ended.ending == .status(status), "\(ended.output)\(ended.errors)")
    for text in [ended.output, ended.errors] {
      #expect(!text.contains(CanaryProduct.word), "an id is printed: \(text)")
    }
  }

  /// Waits until the Redis server has written all data to disk.
  private func settle(_ redis: LocalServer) throws {
    for _ in 0..<600 {
      let info = try RedisServer.run(["INFO", "persistence"], port: redis.port)
      let isBusy = ["aof_rewrite_in_progress:1", "rdb_bgsave_in_progress:1", "aof_rewrite_scheduled:1"]
        .contains { info.contains($0) }
      if !isBusy { return }
      usleep(100_000)
    }
    Issue.record("the server has not finished writing")
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable && RedisServer.isAvailable))
  func `no file contains erased people until their tombstones are lifted`() throws {
    let redis = try RedisServer.start("--appendonly yes --save '3600 1000000'")
    let postgresql = try PostgreSQLServer.start("-c wal_recycle=off -c autovacuum=off")
    let uri = "postgresql://postgres@127.0.0.1:\(postgresql.port)/postgres"
    let product = try CanaryProduct(
      stores: ["sqlite:serving.sqlite", uri, "redis://127.0.0.1:\(redis.port)/0"])
    for night in 1...3 {
      try product.write(night: night)
      try expectDone(try product.nightjar("run", "--evaluate"))
    }
    // One run stops in the middle, and killed processes leave partial output.
    try product.write(night: 4)
    try expectDone(try product.nightjar("run", "--until", "fit"))
    for name in ["4/.rankings.partial", ".3.erased", "4/.evaluation.work"] {
      try product.directory.write("CANARY", to: "var/canary/runs/\(name)/part")
    }
    _ = try PostgreSQLServer.run("ANALYZE", in: uri)
    _ = try PostgreSQLServer.run("CHECKPOINT", in: uri)
    _ = try RedisServer.run(["SAVE"], port: redis.port)

    func found() throws -> [String] {
      try settle(redis)
      var places = try CanarySearch.files(in: product.work).map { "work: \($0)" }
      for suffix in ["", "-wal", "-journal"] {
        let name = "serving.sqlite" + suffix
        if product.directory.exists(name),
          Data(try product.directory.bytes(name)).range(of: Data(CanaryProduct.word.utf8)) != nil
        {
          places.append(name)
        }
      }
      places += try CanarySearch.files(in: redis.directory).map { "redis: \($0)" }
      places += try CanarySearch.files(in: postgresql.directory).map { "postgresql: \($0)" }
      if try PostgreSQLServer.dump(uri).contains(CanaryProduct.word) { places.append("pg_dump") }
      return places
    }
    // Before the erasure, the search must find the canaries in all of these places.
    let before = try found()
    for place in [
      "work: canary/runs/1/snapshot/entities/people/id.utf8", "work: canary/runs/2/models/columns.utf8",
      "work: canary/runs/3/rankings/partners/part-00000.jsonl", "work: canary/runs/1/rankings/matches.csv",
      "work: canary/runs/3/snapshot/rejects.csv", "work: canary/runs/2/evaluation/metrics.json",
      "work: canary/runs/1/evaluation/per_user.csv", "work: canary/runs/1/evaluation/scores.csv",
      "work: canary/runs/4/.rankings.partial/part",
      "work: canary/runs/1/snapshot/entities/people/earlier/attributes/field.vocabulary.utf8",
      "serving.sqlite", "redis: dump.rdb", "pg_dump",
    ] { #expect(before.contains(place), "\(place)") }
    #expect(before.contains { $0.hasPrefix("redis: appendonlydir") })
    #expect(before.contains { $0.hasPrefix("postgresql: data/pg_wal") })
    #expect(before.contains { $0.hasPrefix("postgresql: data/base") })

    for victim in CanaryProduct.victims {
      let ended = try product.nightjar("erase", "--user", victim)
      try expectDone(ended)
      for place in ["run 1: removed 1 row, ", "run 4: removed 1 row, ", ", 3 generations: "] {
        #expect(ended.output.contains(place), "\(ended.output)")
      }
    }
    let left = try found()
    #expect(left == [])
    for store in ["sqlite", "postgresql", "redis"] {
      try expectDone(try product.nightjar("verify", "--store", store))
      try expectDone(try product.nightjar("show", "--user", CanaryProduct.neighbour, "--store", store))
      try expectDone(try product.nightjar("show", "--user", "u1", "--store", store))
    }
    try expectDone(try product.nightjar("explain", "--user", "u1", "--candidate", "u3"))
    try expectDone(
      try Program.run(
        "nightjar-publish", [product.pipelineFile, "--run-dir", product.work + "/canary/runs/3", "--quiet"]))
    try expectDone(try product.nightjar("rollback", "--to", "1"))
    try expectDone(try product.nightjar("rollback", "--to", "3"))
    let again = try product.nightjar("erase", "--user", CanaryProduct.plain)
    try expectDone(again)
    #expect(again.output.contains("not found"))

    try expectDone(try product.nightjar("run"))
    let leftThen = try found()
    #expect(leftThen == [])
    for victim in CanaryProduct.victims {
      try expectDone(try product.nightjar("erase", "--user", victim, "--lift"))
    }
    try expectDone(try product.nightjar("run"))
    #expect(try product.nightjar("show", "--user", CanaryProduct.hostile).ending == .status(0))
    #expect(try found() != [])
  }

  @Test func `an unreachable or restored store is cleaned by the next program that opens it`() throws {
    let product = try CanaryProduct()
    for night in 1...2 {
      try product.write(night: night)
      try expectDone(try product.nightjar("run"))
    }
    let restored = try product.directory.bytes("serving.sqlite")
    // No server listens on port 1.
    try product.write(stores: ["redis://127.0.0.1:1/0", "sqlite:serving.sqlite"])
    let failed = try product.nightjar("erase", "--user", CanaryProduct.plain)
    try expectDone(failed, 69)
    #expect(
      try product.nightjar("show", "--user", CanaryProduct.plain, "--store", "sqlite").ending == .status(66))
    try product.write(stores: ["sqlite:serving.sqlite"])
    try expectDone(try product.nightjar("erase", "--user", CanaryProduct.hostile))
    let left = try CanarySearch.files(in: product.directory.path)
    #expect(left == ["people.jsonl", "swipes.jsonl"])

    for name in ["serving.sqlite-wal", "serving.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: product.directory(name))
    }
    try product.directory.write(restored, to: "serving.sqlite")
    #expect(try product.nightjar("show", "--user", CanaryProduct.plain).ending == .status(0))
    let back = try product.nightjar("rollback")
    try expectDone(back)
    #expect(back.errors.contains("removing 2 erased people from the store"), "\(back.errors)")
    let leftThen = try CanarySearch.files(in: product.directory.path)
    #expect(leftThen == ["people.jsonl", "swipes.jsonl"])
    let twice = try product.nightjar("rollback", "--to", "2")
    try expectDone(twice)
    #expect(twice.errors == "")
  }

  @Test
  func
    `an erasure continues with other runs and stores if a run is damaged, and the message says what to do`()
    throws
  {
    let product = try CanaryProduct()
    for night in 1...3 {
      try product.write(night: night)
      try expectDone(try product.nightjar("run"))
    }
    try product.directory.write("", to: "var/canary/runs/2/models/base.npy")
    let victims = CanaryProduct.victims
    for victim in victims {
      let ended = try product.nightjar("erase", "--user", victim)
      try expectDone(ended, 74)
      #expect(
        ended.output.contains("run 1: removed 1 row") && ended.output.contains("run 3: removed 1 row"),
        "\(ended.output)")
      #expect(ended.output.contains(", 3 generations: "), "\(ended.output)")
      #expect(ended.errors.contains("run 2 is unchanged") && ended.errors.contains("models/base.npy"))
      let advised = try #require(ended.errors.firstMatch(of: /Delete the run's directory '(.*)', then run/))
      #expect(String(advised.1) == product.work + "/canary/runs/2")
    }
    let left = try CanarySearch.files(in: product.directory.path)
    #expect(left.allSatisfy { $0.hasPrefix("var/canary/runs/2/") || $0.hasSuffix(".jsonl") }, "\(left)")
    try FileManager.default.removeItem(atPath: product.work + "/canary/runs/2")
    for victim in victims { try expectDone(try product.nightjar("erase", "--user", victim)) }
    let leftThen = try CanarySearch.files(in: product.directory.path)
    #expect(leftThen == ["people.jsonl", "swipes.jsonl"])
  }

  @Test(arguments: 0..<8)
  func `a killed erasure is completed by running it again`(moment: Int) throws {
    let product = try CanaryProduct()
    for night in 1...2 {
      try product.write(night: night)
      try expectDone(try product.nightjar("run"))
    }
    let running = try Program.start(
      "nightjar", ["erase", product.pipelineFile, "--work", product.work, "--user", CanaryProduct.plain])
    usleep(UInt32(moment) * 40_000)
    running.kill()
    _ = running.wait()
    for number in 1...2 {
      // Each run is complete, in its old or its new form.
      for stage in ["snapshot", "index", "models", "rankings"] {
        #expect(product.directory.exists("var/canary/runs/\(number)/\(stage)/manifest.json"))
      }
    }
    try expectDone(try product.nightjar("erase", "--user", CanaryProduct.hostile))
    try expectDone(try product.nightjar("erase", "--user", CanaryProduct.plain))
    let left = try CanarySearch.files(in: product.directory.path)
    #expect(left == ["people.jsonl", "swipes.jsonl"])
    try expectDone(try product.nightjar("verify"))
  }

  @Test func `an interrupted run resumes after an erasure, unless tombstones have changed`()
    throws
  {
    let product = try CanaryProduct()
    try expectDone(try product.nightjar("run", "--until", "fit"))
    try expectDone(try product.nightjar("erase", "--user", CanaryProduct.plain))
    try expectDone(try product.nightjar("erase", "--user", CanaryProduct.hostile))
    try expectDone(try product.nightjar("run", "--resume"))
    try expectDone(try product.nightjar("verify"))
    let left = try CanarySearch.files(in: product.directory.path)
    #expect(left == ["people.jsonl", "swipes.jsonl"])
    try expectDone(try product.nightjar("run", "--until", "fit"))
    try expectDone(try product.nightjar("erase", "--user", CanaryProduct.plain, "--lift"))
    let refused = try product.nightjar("run", "--resume")
    try expectDone(refused, 65)
    #expect(refused.errors.contains("tombstones"))
  }

  @Test func `invalid command lines change nothing`() throws {
    let product = try CanaryProduct()
    try expectDone(try product.nightjar("run"))
    #expect(try product.nightjar("erase").ending == .status(64))
    #expect(try product.nightjar("erase", "--user", "").ending == .status(64))
    #expect(try product.nightjar("erase", "--user", "u1", "--lift", "--dry-run").ending == .status(64))
    let unknown = try product.nightjar("erase", "--user", "u1", "--entity", "dogs")
    #expect(unknown.ending == .status(64) && unknown.errors.contains("people"))
    #expect(try product.nightjar("erase", "--user", "u1", "--lift").ending == .status(66))
    let counted = try product.nightjar("erase", "--user", CanaryProduct.plain, "--dry-run")
    #expect(counted.output.contains("would remove") && !counted.output.contains("tombstone"))
    #expect(!product.directory.exists("var/canary/erasures"))
    #expect(try product.nightjar("show", "--user", CanaryProduct.plain).ending == .status(0))
    let nobody = try product.nightjar("erase", "--user", "nobody")
    #expect(nobody.ending == .status(0) && nobody.output.contains("not found"))
    let lock = open(product.work + "/canary/lock", O_RDWR | O_CLOEXEC)
    try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(try product.nightjar("erase", "--user", "u1").ending == .status(75))
    close(lock)
    chmod(product.work + "/canary/erasures/key", 0o644)
    let open = try product.nightjar("erase", "--user", "u1")
    #expect(open.ending == .status(78) && open.errors.contains("chmod 600"))
    #expect(try product.nightjar("run").ending == .status(78))
    chmod(product.work + "/canary/erasures/key", 0o600)
    try expectDone(try product.nightjar("erase", "--user", "u1"))
  }
}
