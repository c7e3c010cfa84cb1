import Foundation
import Testing
import TestSupport

struct DoctorTests {
  private func doctor(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["doctor", product.pipelineFile, "--work", product.work] + arguments)
  }

  /// The first word of the line about `name`.
  private func verdict(_ ended: Program.Finished, _ name: String) -> String? {
    ended.lines.first { $0.dropFirst(7).hasPrefix(name) }?.split(separator: " ").first.map(String.init)
  }

  @Test func `a working setup is reported as such, before the first night and after it`() throws {
    let product = try SmallProduct()
    let before = try doctor(product)
    #expect(before.ending == .status(0), "\(before.output)")
    #expect(verdict(before, "last run") == "note" && verdict(before, "store") == "note")
    #expect(!product.directory.exists("serving.sqlite") && !product.directory.exists("var"))
    try #require(try product.run().ending == .status(0))
    let after = try doctor(product)
    #expect(after.ending == .status(0))
    for name in [
      "programs", "BLAS", "pipeline", "exports", "clock", "disk", "memory", "lock", "last run", "keys",
      "store",
    ] {
      #expect(verdict(after, name) == "ok", "\(after.output)")
    }
    #expect(after.output.contains("generation 1 of run 1"))
    #expect(!SmallProduct.ids.contains { after.output.contains($0) })
  }

  @Test func `an unreachable dependency gives status 69, a misconfiguration 78, with advice`() throws {
    let product = try SmallProduct()
    try #require(try product.run("--until", "fit").ending == .status(0))
    let port = try LocalServer.freePort()
    let away = try doctor(product, "--set", "publish.store=redis://127.0.0.1:\(port)/0")
    #expect(away.ending == .status(69) && verdict(away, "store") == "FAILS")
    #expect(verdict(away, "last run") == "note" && away.output.contains("--resume"))
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    let missing = try doctor(product)
    #expect(missing.ending == .status(69) && missing.output.contains("swipes.csv not there"))
    try product.directory.write(SmallProduct.swipes, to: "swipes.csv")
    // A key that others may read.
    try #require(
      try Program.run(
        "nightjar", ["erase", product.pipelineFile, "--work", product.work, "--user", "nobody"]
      )
      .ending == .status(0))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: product.work + "/small/erasures/key")
    let open = try doctor(product)
    #expect(open.ending == .status(78) && verdict(open, "keys") == "FAILS" && open.output.contains("600"))
    #expect(try doctor(product, "--set", "rankings.partners.tpo=1").ending == .status(78))
  }

  @Test func `a running night is reported with the holder of the lock`() throws {
    let product = try SmallProduct()
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    #expect(mkfifo(product.directory("swipes.csv"), 0o600) == 0)
    let running = try Program.start("nightjar", ["run", product.pipelineFile, "--work", product.work])
    while running.isRunning, !product.directory.exists("var/small/runs/1/run.json") { usleep(500) }
    let ended = try doctor(product)
    #expect(
      verdict(ended, "lock") == "note" && ended.output.contains("process \(running.process)"),
      "\(ended.output)")
    kill(running.process, SIGTERM)
    #expect(running.wait().ending == .status(75))
  }
}
