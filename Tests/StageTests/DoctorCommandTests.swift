import Foundation
import Glibc
import Testing
import TestSupport

struct DoctorCommandTests {
  private func doctor(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["doctor", product.pipelineFile, "--work", product.work] + arguments)
  }

  /// Returns the verdict of the check `name`, the first word of its line.
  private func verdict(_ ended: Program.Finished, _ name: String) -> String? {
    ended.lines.first { $0.dropFirst(7).hasPrefix(name) }?.split(separator: " ").first.map(String.init)
  }

  @Test func `a working setup is reported before and after the first run`() throws {
    let product = try SmallProduct()
    let before = try doctor(product)
    #expect(before.ending == .status(0), "\(before.output)")
    #expect(verdict(before, "last run") == "note" && verdict(before, "store") == "note")
    #expect(!product.directory.exists("serving.sqlite") && !product.directory.exists("var"))
    try #require(try product.run().ending == .status(0))
    let after = try doctor(product)
    #expect(after.ending == .status(0))
    for name in [
      "pipeline", "work", "lock", "program", "disk", "keys", "clock", "exports", "BLAS", "store", "memory",
      "last run",
    ] {
      #expect(verdict(after, name) == "ok", "\(after.output)")
    }
    #expect(after.output.contains("generation 1 of run 1"))
    let csv = try doctor(product, "--csv")
    #expect(csv.ending == .status(0) && csv.lines.first == "name,verdict,status,found")
    #expect(csv.lines.contains("lock,ok,0,free") && csv.lines.count == after.lines.count + 1, "\(csv.output)")
    #expect(!SmallProduct.ids.contains { after.output.contains($0) })
  }

  /// Expects that the doctor ends with `status` and that the check `name` failed. A following run
  /// must end with the same status.
  private func expect(
    _ status: Int32, _ name: String, _ product: SmallProduct, work: String? = nil, night: [String] = [],
    _ overrides: String...
  ) throws {
    let common =
      [product.pipelineFile, "--work", work ?? product.work] + overrides.flatMap { ["--set", $0] }
    let doctor = try Program.run("nightjar", ["doctor"] + common + night)
    #expect(
      doctor.ending == .status(status) && verdict(doctor, name) == "FAILS", "\(doctor.output)\(doctor.errors)"
    )
    let run = try Program.run("nightjar", ["run"] + common + night)
    #expect(run.ending == .status(status), "\(run.output)\(run.errors)")
  }

  @Test(
    arguments: [
      (nil, 66),
      ("", 65),
      ("\n", 65),
      ("adaXQ,benXQ,right,2024-03-01T10:00:00Z\n", 65),
      ("from,to,at\nadaXQ,benXQ,2024-03-01T10:00:00Z\n", 65),
      ("from,to,answer,at\nadaXQ,benXQ,upward,2024-03-01T10:00:00Z\n", 65),
      ("from,to,answer,at\nadaXQ,b\u{0}\n\"", 65),
    ] as [(String?, Int32)])
  func `the doctor's status for a bad export equals the run's status`(swipes: String?, status: Int32) throws {
    let product = try SmallProduct()
    if let swipes {
      try product.directory.write(swipes, to: "swipes.csv")
    } else {
      try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    }
    try expect(status, "exports", product)
  }

  @Test func `the doctor reads only the start of large exports`() throws {
    let product = try SmallProduct()
    let header = SmallProduct.swipes.split(separator: "\n")[0]
    let row = "adaXQ,benXQ,right,2024-03-01T10:00:00Z\n"
    let rows = String(repeating: row, count: (33 << 20) / row.utf8.count)
    try product.directory.write("\(header)\n\(rows)", to: "swipes.csv")
    let ended = try doctor(product)
    #expect(
      ended.ending == .status(0) && ended.output.contains("only the beginning of each file was read"),
      "\(ended.output)")
    try product.directory.write(rows, to: "swipes.csv")
    try expect(65, "exports", product)
  }

  @Test func `the doctor's status for a misconfiguration equals the run's status`() throws {
    let product = try SmallProduct()
    try expect(78, "store", product, "publish.store=mongodb://there")
    try expect(78, "store", product, "publish.store=[\"sqlite:a.sqlite\", \"sqlite:a.sqlite\"]")
    try expect(78, "evaluation", product, night: ["--evaluate"], "rankings.partners.pending=swipes")
    #expect(!product.directory.exists("var"))
    for mistake in ["rankings.partners.tpo=1", "report.group=no-such-group-XQ"] {
      #expect(try doctor(product, "--set", mistake).ending == .status(78))
      #expect(try product.run("--set", mistake).ending == .status(78))
    }
    let port = try LocalServer.freePort()
    try expect(69, "store", product, "publish.store=redis://127.0.0.1:\(port)/0")
    // Other users can read this key.
    try #require(
      try Program.run(
        "nightjar", ["erase", product.pipelineFile, "--work", product.work, "--user", "nobody"]
      )
      .ending == .status(0))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: product.work + "/small/erasures/key")
    try expect(78, "keys", product)
  }

  @Test func `an interrupted run is a note with advice`() throws {
    let product = try SmallProduct()
    try #require(try product.run("--until", "fit").ending == .status(0))
    let ended = try doctor(product)
    #expect(ended.ending == .status(0) && verdict(ended, "last run") == "note")
    #expect(ended.output.contains("--resume"))
  }

  /// Returns the line of the check `name`.
  private func line(_ ended: Program.Finished, _ name: String) -> String {
    ended.lines.first { $0.dropFirst(7).hasPrefix(name) } ?? ""
  }

  @Test(arguments: [
    ("snapshot/interactions/swipes/value.npy", "start a new run with 'nightjar run PIPELINE"),
    ("index/people/codes.npy", "start a new run with 'nightjar run PIPELINE --from index"),
    ("models/terms.coefficient.npy", "start a new run with 'nightjar run PIPELINE --from fit"),
    ("rankings/matches.csv", "start a new run with 'nightjar run PIPELINE --from rank"),
    ("evaluation/metrics.json", "evaluate again with 'nightjar evaluate PIPELINE --force"),
    ("run.json", "start a new run with 'nightjar run PIPELINE"),
  ])
  func `a damaged file of the last run is a note with the stage from which to start again`(
    file: String, advice: String
  )
    throws
  {
    let product = try SmallProduct()
    try #require(try product.run("--evaluate").ending == .status(0))
    #expect(verdict(try doctor(product), "files") == "ok")
    let path = product.run(1) + "/" + file
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[bytes.count - 2] ^= 1
    try bytes.write(to: URL(filePath: path))
    let ended = try doctor(product)
    let files = line(ended, "files")
    #expect(ended.ending == .status(0) && files.hasPrefix("note"), "\(ended.output)")
    #expect(files.contains("runs/1/" + file) || files.contains("latest/" + file), "\(files)")
    #expect(
      files.contains(
        advice.replacing("PIPELINE", with: product.pipelineFile) + " --work \(product.work)'"), "\(files)")
    if file == "run.json" { #expect(line(ended, "last run").contains("run 1 is damaged")) }
    // The advice in the message works.
    guard let stage = advice.firstMatch(of: /--from (\w+)/)?.1 else { return }
    let run = try product.run("--from", String(stage))
    #expect(run.ending == .status(0), "\(run.errors)")
    #expect(verdict(try doctor(product), "files") == "ok")
  }

  @Test func `a damaged stage of an interrupted run is a note with advice`() throws {
    let product = try SmallProduct()
    try #require(try product.run("--until", "fit").ending == .status(0))
    try product.directory.write("", to: "var/small/runs/1/models/base.npy")
    let ended = try doctor(product)
    let files = line(ended, "files")
    #expect(files.contains("models/base.npy") && files.contains("start a new run"), "\(files)")
    #expect(!ended.output.contains("--resume"), "\(ended.output)")
    #expect(try product.run("--resume").ending == .status(74))
    #expect(try product.run().ending == .status(0))
  }

  /// Runs a program of this package as a user without special rights.
  private func unprivileged(_ arguments: [String]) throws -> Program.Finished {
    let command = ["\(Program.products)/nightjar"] + arguments
    guard getuid() == 0 else { return try Program.run(command[0], arguments) }
    return try Program.run(
      "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + command)
  }

  /// The account that runs the programs cannot remove an old run: run 2 is unreadable, or a folder of run 1
  /// is read-only. With `keep_runs=3`, the new run does not remove run 1.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")),
    arguments: [("2", [], 74), ("1/rankings", [], 74), ("1/rankings", ["--set", "keep_runs=3"], 0)]
      as [(String, [String], Int32)])
  func `the doctor's status for an old run that cannot be removed equals the run's`(
    folder: String, options: [String], status: Int32
  ) throws {
    let product = try SmallProduct()
    let closed = product.work + "/small/runs/" + folder
    defer { chmod(closed, 0o755) }
    for path in [product.directory.path] + product.directory.files.map({ product.directory($0) }) {
      chown(path, 65534, 65534)
    }
    let common = [product.pipelineFile, "--work", product.work, "--set", "keep_runs=2"] + options
    for top in 1...2 {
      let ended = try unprivileged(["run"] + common + ["--set", "rankings.partners.top=\(top)"])
      try #require(ended.ending == .status(0), "\(ended.errors)")
    }
    chmod(closed, folder.contains("/") ? 0o555 : 0)
    let doctor = try unprivileged(["doctor"] + common)
    #expect(doctor.ending == .status(status), "\(doctor.output)")
    if status != 0 { #expect(line(doctor, "old runs").hasPrefix("FAILS"), "\(doctor.output)") }
    let run = try unprivileged(["run"] + common)
    #expect(run.ending == .status(status), "\(run.errors)")
  }

  /// Shell commands that change the product after a run, and the status of the next run with other lists.
  private static let closedPlaces: [(String, Int32)] = [
    ("chmod 555 st", 0), ("rm st/serving.sqlite-*; chmod 555 st", 69),
    // SQLite ignores an empty journal.
    (": > st/serving.sqlite-journal; chmod 0 st/serving.sqlite-journal", 0),
    ("echo x > st/serving.sqlite-journal; chmod 0 st/serving.sqlite-journal", 69),
    // SQLite keeps the files of the log next to the target of a link.
    ("mkdir new; mv st/* new; ln -s ../new/serving.sqlite st/serving.sqlite; chmod 555 st new", 0),
    ("rm st/*; ln -s ../missing/serving.sqlite st/serving.sqlite", 69),
    ("rm -r st; ln -s missing st", 69),
    ("rm -r var/small/runs var/small/latest; : > var/small/runs; chmod 444 var/small/runs", 74),
  ]

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")), arguments: closedPlaces)
  func `the doctor's status for a place without rights equals the run's`(
    change: String, status: Int32
  ) throws {
    let product = try SmallProduct()
    let folder = product.directory("st")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { for name in ["st", "new"] { chmod(product.directory(name), 0o755) } }
    for path in [product.directory.path, folder] + product.directory.files.map({ product.directory($0) }) {
      chown(path, 65534, 65534)
    }
    let common = [
      product.pipelineFile, "--work", product.work, "--set", "publish.store=sqlite:\(folder)/serving.sqlite",
    ]
    let first = try unprivileged(["run"] + common)
    try #require(first.ending == .status(0), "\(first.errors)")
    let changed = try Program.run("/bin/sh", ["-ec", "cd '\(product.directory.path)'; \(change)"])
    try #require(changed.ending == .status(0), "\(changed.errors)")
    let next = common + ["--set", "rankings.partners.top=1"]
    let doctor = try unprivileged(["doctor"] + next)
    #expect(doctor.ending == .status(status), "\(doctor.output)\(doctor.errors)")
    let run = try unprivileged(["run"] + next)
    #expect(run.ending == .status(status), "\(run.errors)")
  }

  @Test(arguments: [true, false])
  func `a file or directory in the place of the link to the last run has the status of the run`(
    _ isFile: Bool
  ) throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    let latest = product.work + "/small/latest"
    try FileManager.default.removeItem(atPath: latest)
    if isFile {
      try Data("mine".utf8).write(to: URL(filePath: latest))
    } else {
      try FileManager.default.createDirectory(atPath: latest, withIntermediateDirectories: false)
    }
    try expect(73, "work", product)
    if isFile { #expect(try Data(contentsOf: URL(filePath: latest)) == Data("mine".utf8)) }
  }

  @Test(.enabled(if: MountedDirectory.canMountMemory, "cannot mount a file system of memory"))
  func `a read-only file system has the status of the run`() throws {
    let product = try SmallProduct()
    let mounted = try MountedDirectory(.memory(16))
    let store = "publish.store=sqlite:\(mounted.path)/serving.sqlite"
    let work = mounted.path + "/var"
    try mounted.makeReadOnly()
    try expect(73, "work", product, work: work)
    try expect(69, "store", product, store)
    let other = try MountedDirectory(.memory(16))
    let served = "publish.store=sqlite:\(other.path)/serving.sqlite"
    try #require(try product.run("--set", served).ending == .status(0))
    try other.makeReadOnly()
    // The lists change, so the run has something to publish.
    try expect(69, "store", product, served, "rankings.partners.top=3")
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `the doctor's status for a database without rights equals the run's`() throws {
    let product = try SmallProduct()
    let uri = try PostgreSQLServer.database()
    let name = try #require(uri.split(separator: "/").last.map(String.init))
    let role = "reader_\(name)"
    let reader = "publish.store=" + (try PostgreSQLServer.uri(name, user: role))
    _ = try PostgreSQLServer.run("CREATE ROLE \(role) LOGIN", in: uri)
    try expect(69, "store", product, reader)
    try #require(try product.run("--set", "publish.store=\(uri)").ending == .status(0))
    _ = try PostgreSQLServer.run(
      "GRANT USAGE ON SCHEMA nightjar TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA nightjar TO \(role)",
      in: uri)
    try expect(69, "store", product, reader, "rankings.partners.top=3")
    // The account has all rights except one.
    _ = try PostgreSQLServer.run(
      "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA nightjar TO \(role); REVOKE INSERT ON nightjar.people FROM \(role)",
      in: uri)
    try expect(69, "store", product, reader, "rankings.partners.top=3")
    _ = try PostgreSQLServer.run(
      "ALTER DATABASE \(name) SET default_transaction_read_only = on", in: "postgres")
    try expect(69, "store", product, "publish.store=\(uri)", "rankings.partners.top=3")
    _ = try PostgreSQLServer.run("ALTER DATABASE \(name) RESET default_transaction_read_only", in: "postgres")
    #expect(try doctor(product, "--set", "publish.store=\(uri)").ending == .status(0))
    #expect(try PostgreSQLServer.run("SELECT count(*) FROM nightjar.generations", in: uri) == "1\n")
  }

  @Test(
    .enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"),
    arguments: ["LATIN1", "SQL_ASCII"])
  func `the doctor's status for the encoding of a database equals the run's`(encoding: String) throws {
    let product = try SmallProduct()
    let name = "encoded_\(encoding.lowercased())"
    _ = try PostgreSQLServer.run(
      "CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0", in: "postgres")
    let store = "publish.store=\(try PostgreSQLServer.uri(name))"
    guard encoding == "SQL_ASCII" else { return try expect(69, "store", product, store) }
    #expect(try doctor(product, "--set", store).ending == .status(0))
    #expect(try product.run("--set", store).ending == .status(0))
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `the doctor and the run work if PostgreSQL uses old escapes`() throws {
    let product = try SmallProduct()
    let uri = try PostgreSQLServer.database()
    let name = try #require(uri.split(separator: "/").last.map(String.init))
    _ = try PostgreSQLServer.run(
      "ALTER DATABASE \(name) SET standard_conforming_strings = off", in: "postgres")
    let store = "publish.store=\(uri)"
    let before = try doctor(product, "--set", store)
    #expect(before.ending == .status(0) && verdict(before, "store") == "note", "\(before.output)")
    #expect(
      try PostgreSQLServer.run("SELECT count(*) FROM pg_namespace WHERE nspname = 'nightjar'", in: uri)
        == "0\n")
    let run = try product.run("--set", store)
    #expect(run.ending == .status(0), "\(run.errors)")
    let after = try doctor(product, "--set", store)
    #expect(after.ending == .status(0) && verdict(after, "store") == "ok", "\(after.output)")
    #expect(try PostgreSQLServer.run("SELECT max(number) FROM nightjar.generations", in: uri) == "1\n")
  }

  /// The insertion of one list takes longer than half of the statement timeout.
  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `the doctor and the run work if PostgreSQL has a statement timeout`() throws {
    let product = try SmallProduct()
    let uri = try PostgreSQLServer.database()
    let name = try #require(uri.split(separator: "/").last.map(String.init))
    let store = "publish.store=\(uri)"
    try #require(try product.run("--set", store).ending == .status(0))
    _ = try PostgreSQLServer.run(
      """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(0.6); RETURN NEW; END';
      CREATE TRIGGER slow BEFORE INSERT ON nightjar.lists FOR EACH ROW EXECUTE FUNCTION slow();
      ALTER DATABASE \(name) SET statement_timeout = '1s'
      """, in: uri)
    #expect(try doctor(product, "--set", store).ending == .status(0))
    let run = try product.run("--set", store, "--set", "rankings.partners.top=1")
    #expect(run.ending == .status(0), "\(run.errors)")
    #expect(try PostgreSQLServer.run("SELECT max(number) FROM nightjar.generations", in: uri) == "2\n")
  }

  @Test(.enabled(if: RedisServer.isAvailable, "Redis is not installed"))
  func `the doctor's status for a replica and an evicting server equals the run's`() throws {
    let product = try SmallProduct()
    let replica = try RedisServer.replica()
    try expect(69, "store", product, "publish.store=redis://127.0.0.1:\(replica.port)/0")
    let evicting = try RedisServer.start("--maxmemory 100mb --maxmemory-policy allkeys-lru")
    try expect(69, "store", product, "publish.store=redis://127.0.0.1:\(evicting.port)/0")
    #expect(try RedisServer.run(["DBSIZE"], port: evicting.port) == "0")
  }

  @Test func `the checks are also one JSON object`() throws {
    let product = try SmallProduct()
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    let ended = try doctor(product, "--json")
    #expect(ended.ending == .status(66))
    let document = try #require(JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
    #expect(
      Set(document.keys) == ["pipeline", "status", "checks"] && document["pipeline"] as? String == "small")
    #expect(document["status"] as? Int == 66)
    let checks = try #require(document["checks"] as? [[String: Any]])
    #expect(checks.allSatisfy { Set($0.keys) == ["name", "verdict", "status", "found"] })
    let exports = try #require(checks.first { $0["name"] as? String == "exports" })
    #expect(exports["verdict"] as? String == "fails" && exports["status"] as? Int == 66)
    let lines = try doctor(product).lines
    #expect(lines.count == checks.count)
    let clock = try #require(checks.first { $0["name"] as? String == "clock" })
    #expect(clock["verdict"] as? String == "ok" && clock["status"] as? Int == 0)
  }

  @Test func `the doctor reports a run in progress with the holder of the lock`() throws {
    let product = try SmallProduct()
    let endless = try product.endlessPipe()
    let running = try Program.start(
      "nightjar", ["run", product.pipelineFile, "--work", product.work] + SmallProduct.swipesFromInput,
      input: endless.path)
    while running.isRunning, !product.directory.exists("var/small/runs/1/run.json") { usleep(500) }
    let ended = try doctor(product)
    #expect(
      verdict(ended, "lock") == "FAILS" && ended.ending == .status(75)
        && ended.output.contains("process \(running.process)"),
      "\(ended.output)")
    kill(running.process, SIGTERM)
    #expect(running.wait().ending == .status(75))
  }
}
