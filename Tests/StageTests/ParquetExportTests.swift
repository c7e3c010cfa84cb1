import Columns
import Files
import Foundation
import Glibc
import RunSchemas
import Testing
import TestSupport

/// Runs `nightjar export --parquet`. DuckDB reads the files, and the test compares them with the
/// files of the run.
@Suite(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
struct ParquetExportTests {
  /// Cells are compared as bytes, because `==` would treat different spellings as equal.
  private typealias Cell = [UInt8]?

  private let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
  }

  private func rows(_ file: String, _ columns: String...) throws -> [[Cell]] {
    let selected = columns.enumerated().map { "\($1)::VARCHAR AS c\($0)" }.joined(separator: ", ")
    return try DuckDBTool.rows(
      "SET TimeZone='UTC'; SELECT \(selected) FROM '\(directory("out/" + file)).parquet'"
    ).map { $0.map { $0.map { Array($0.utf8) } } }
  }

  private func export(_ arguments: [String], environment: [String] = []) throws -> Program.Finished {
    let nightjar = Program.products + "/nightjar"
    return try Program.run(
      "/usr/bin/env", environment + [nightjar, "export"] + arguments + ["--parquet", directory("out")])
  }

  private func bytes(_ texts: [String?]) -> [Cell] { texts.map { $0.map { Array($0.utf8) } } }

  private func exportNaughty() throws -> NaughtyProduct {
    let product = try NaughtyProduct.shared.get()
    let ended = try export(product.arguments + ["--run", "1"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return product
  }

  // MARK: Contents of the files

  @Test func `entities have every id, text, number, flag and time of the snapshot`() throws {
    let product = try exportNaughty()
    let texts = NaughtyProduct.texts
    let order = texts.indices.sorted { texts[$0].utf8.lexicographicallyPrecedes(texts[$1].utf8) }
    let people = product.run + "/snapshot/entities/people/"
    let latitude = try Column<Double>(people + "latitude.npy").elements
    let longitude = try Column<Double>(people + "longitude.npy").elements
    let expected = order.enumerated().map { row, index in
      let name = index % 4 == 0 ? nil : texts[(index + 1) % texts.count]
      let isEven = index % 2 == 0
      return bytes([
        texts[index], isEven ? latitude[row].description : nil, isEven ? longitude[row].description : nil,
        isEven ? "2024-02-29 12:00:00.001+00" : nil, name, name, index % 3 == 0 ? nil : texts[index / 5],
        isEven ? "5e-324" : nil, isEven ? "true" : "false",
      ])
    }
    let columns = try DuckDBTool.rows(
      "SELECT column_name AS c0, column_type AS c1 FROM (DESCRIBE FROM '\(directory("out/snapshot/people.parquet"))')"
    )
    #expect(
      columns == [
        ["id", "VARCHAR"], ["latitude", "DOUBLE"], ["longitude", "DOUBLE"],
        ["created", "TIMESTAMP WITH TIME ZONE"], ["ID_1", "VARCHAR"], ["field", "VARCHAR"],
        ["gone", "BOOLEAN"],
        ["name", "VARCHAR"], ["years", "DOUBLE"],
      ])
    let found = try rows(
      "snapshot/people", "id", "latitude", "longitude", "created", "name", "ID_1", "field", "years", "gone")
    #expect(found.count == texts.count)
    for (found, expected) in zip(found, expected) { #expect(found == expected) }
  }

  @Test func `interactions equal the snapshot's, in order`() throws {
    let product = try exportNaughty()
    let ids = try StringColumn(product.run + "/snapshot/entities/people/id").strings
    let likes = try InteractionTable(product.run + "/snapshot/interactions/likes")
    let found = try rows("snapshot/likes", "user_id", "candidate_id", "epoch_ms(\"at\")", "value")
    #expect(found.count == likes.count && likes.count == 4 * ids.count)
    for (row, found) in found.enumerated() {
      let value = likes.value[row]
      #expect(
        found
          == bytes([
            ids[Int(likes.user.elements[row])], ids[Int(likes.candidate[row])], String(likes.at[row]),
            "\(value)",
          ]))
    }
  }

  @Test func `exported lists equal the lines of the ranking files`() throws {
    let product = try exportNaughty()
    let lines = try RankingsFiles(product.run + "/rankings", list: "partners").lines
    let expected = lines.flatMap { line in
      line.recommendations.map {
        bytes([
          line.user, String($0.rank), $0.candidate, $0.score?.description, $0.kilometers?.description,
        ])
      }
    }
    let found = try rows("rankings/partners", "user_id", "rank", "candidate_id", "score", "distance_km")
    #expect(found.count == expected.count && found.count > 100)
    for (found, expected) in zip(found, expected) {
      #expect(found[0] == expected[0] && found[1] == expected[1] && found[2] == expected[2])
      // 1e-05 and 1e-5 are the same number.
      for column in 3...4 { #expect(number(found[column]) == number(expected[column])) }
    }
  }

  private func number(_ cell: Cell) -> UInt64? {
    cell.flatMap { Double(String(decoding: $0, as: UTF8.self)) }.map(\.bitPattern)
  }

  @Test func `matches are the pairs who like each other`() throws {
    _ = try exportNaughty()
    let texts = NaughtyProduct.texts
    // Each person likes the next person on the first day, and the next person later likes the person
    // back. Each person passes on the person two places later.
    let expected = texts.indices.map { index in
      let pair = [texts[index], texts[(index + 1) % texts.count]]
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return bytes(pair + ["2024-03-05 10:00:00.5+00"])
    }
    let found = try rows("rankings/matches", "user_id", "other_user_id", "matched_at")
    #expect(Set(found) == Set(expected) && found.count == expected.count)
  }

  @Test func `models equal the output of explain`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    let arguments = [product.pipelineFile, "--work", product.work]
    let ended = try export(arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.output == directory("out") + "\n" && ended.errors.contains("5 files"))
    let found = try rows(
      "models", "user_id", "\"column\"", "coefficient", "learning_mean", "observations", "base", "intercept")
    var expected: [[String?]] = []
    for id in SmallProduct.ids.sorted() {
      let text = try Program.run("nightjar", ["explain"] + arguments + ["--user", id, "--json"])
      guard text.output != "null\n" else { continue }
      let explanation = try Explanation(text)
      let whole = [explanation.interactions, explanation.base, explanation.terms.first?.coefficient]
      for term in explanation.terms {
        expected.append([id, term.column] + ([term.coefficient, term.mean] + whole).map { $0?.description })
      }
    }
    #expect(found.count == expected.count && found.count > 20)
    for (found, expected) in zip(found, expected) {
      #expect(Array(found[0...1]) == bytes(Array(expected[0...1])))
      for column in 2..<found.count { #expect(number(found[column]) == number(bytes(expected)[column])) }
    }
  }

  @Test func `the manifest lists the run, the stages and every file`() throws {
    let product = try exportNaughty()
    let manifest = try json(directory("out/manifest.json"))
    #expect(manifest["stage"] as? String == "parquet" && manifest.object("counts").integer("run") == 1)
    #expect(manifest.object("parents").keys.sorted() == ["index", "models", "rankings", "snapshot"])
    let ranked = try json(product.run + "/rankings/manifest.json")
    #expect(manifest.object("as_of")["utc"] as? String == ranked.object("as_of")["utc"] as? String)
    try expectWholeOrAbsent(directory("out"))
    let permissions = try FileManager.default.attributesOfItem(atPath: directory("out/models.parquet"))
    #expect(
      permissions[.posixPermissions] as? Int == 0o640,
      "the file contains personal data, so other users must not read it")
  }

  @Test func `the same run gives the same bytes on any number of threads, even over an earlier export`()
    throws
  {
    let run = try SmallFusion.run.get()
    var contents: [DirectoryContents] = []
    for threads in ["1", "3"] {
      let ended = try export(run.arguments + ["--run", run.path, "--force", "--threads", threads])
      try #require(ended.ending == .status(0), "\(ended.errors)")
      contents.append(try DirectoryContents(of: directory("out")))
    }
    #expect(contents[0].differences(from: contents[1]) == [])
    let lists = ["entrepreneurs", "incoming", "investors", "matches", "partners", "partners_by_field"]
    let names =
      ["models", "models/interests"] + lists.map { "rankings/" + $0 } + ["snapshot/swipes", "snapshot/users"]
    #expect(contents[0].names.filter { $0.hasSuffix(".parquet") } == names.map { $0 + ".parquet" })
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out"])
  }

  // MARK: Errors

  private func expectRefusal(_ ended: Program.Finished, status: Int32, _ says: String) throws {
    #expect(ended.ending == .status(status) && ended.output == "")
    #expect(ended.errors.contains(says), "\(ended.errors)")
    #expect(SmallProduct.secrets(in: ended.errors) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0 != "out" } == [])
  }

  @Test func `an existing path is not replaced`() throws {
    let product = try NaughtyProduct.shared.get()
    try directory.write("mine", to: "out/precious.txt")
    let arguments = product.arguments + ["--run", "1"]
    try expectRefusal(try export(arguments), status: 73, "--force")
    try expectRefusal(try export(arguments + ["--force"]), status: 73, "replaces only an earlier export")
    #expect(directory.files == ["out/precious.txt"])
  }

  @Test func `without a run there is nothing to export`() throws {
    let product = try SmallProduct()
    let arguments = [product.pipelineFile, "--work", product.work]
    try expectRefusal(try export(arguments), status: 66, "nightjar run")
    try expectRefusal(try export(arguments + ["--run", "7"]), status: 66, "run 7 does not exist")
    try expectRefusal(try export(arguments + ["--run", "nowhere"]), status: 66, "'nowhere'")
    try #require(try product.run("--until", "fit").ending == .status(0))
    try expectRefusal(try export(arguments + ["--run", product.run(1)]), status: 66, "rankings")
    #expect(!directory.exists("out"))
  }

  @Test func `a run of another pipeline is rejected`() throws {
    let product = try SmallProduct()
    let other = try NaughtyProduct.shared.get()
    let ended = try export([product.pipelineFile, "--work", product.work, "--run", other.run])
    try expectRefusal(ended, status: 66, "'naughty'")
  }

  @Test(
    arguments: [
      ("/nonexistent", 69, "pip install duckdb-cli"), ("no-such-duckdb", 69, "NIGHTJAR_DUCKDB"),
      ("/", 69, "not a program"),
      ("/bin/false", 74, "status 1"), ("/bin/true", 74, "could not write"),
    ] as [(String, Int32, String)]) func `without DuckDB nothing is written`(
      program: String, status: Int32, says: String
    ) throws
  {
    let product = try NaughtyProduct.shared.get()
    let ended = try export(
      product.arguments + ["--run", "1"], environment: ["NIGHTJAR_DUCKDB=" + program])
    try expectRefusal(ended, status: status, says)
    #expect(!directory.exists("out"))
  }

  /// Returns a script that runs `commands`. A separate process writes the script. Otherwise another
  /// thread could fork while the file is open for writing, and the kernel would refuse to run it.
  private func program(running commands: String) throws -> String {
    let path = directory("duckdb-script")
    let ended = try Program.run(
      "/bin/sh",
      ["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", commands, path])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return path
  }

  @Test func `a wrapper script around DuckDB works`() throws {
    let product = try NaughtyProduct.shared.get()
    let duckdb = try #require(DuckDBTool.program)
    let script = try program(running: "'\(duckdb)' \"$@\"")
    let ended = try export(product.arguments + ["--run", "1"], environment: ["NIGHTJAR_DUCKDB=" + script])
    #expect(ended.ending == .status(0), "\(ended.errors)")
  }

  /// The helper does not read, does not exit, and ignores signals of the terminal. It must still
  /// die with the export.
  @Test func `DuckDB dies with the export, and the next export cleans up`() throws {
    let run = try SmallFusion.run.get()
    let arguments = run.arguments + ["--run", run.path, "--parquet", directory("to/out")]
    let script = try program(running: "trap '' HUP PIPE TERM; exec sleep 3600")
    let nightjar = Program.products + "/nightjar"
    let running = try Program.start(
      "/usr/bin/env", ["NIGHTJAR_DUCKDB=" + script, nightjar, "export"] + arguments)
    var helper: Int32?
    while running.isRunning, helper == nil {
      helper = Program.children(of: running.process).first { Program.name(of: $0) == "sleep" }
    }
    running.kill()
    let ended = running.wait()
    let child = try #require(helper, "\(ended.errors)")
    #expect(ended.ending == .signal(SIGKILL))
    let limit = ContinuousClock.now + .seconds(60)
    while Program.name(of: child) == "sleep", ContinuousClock.now < limit { usleep(1000) }
    #expect(Program.name(of: child) != "sleep", "the helper still exists")
    if Program.name(of: child) == "sleep" { Glibc.kill(child, SIGKILL) }

    let left = try FileManager.default.contentsOfDirectory(atPath: directory("to"))
    #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix(".out.") && $0.hasSuffix(".partial") })
    let again = try Program.run("nightjar", ["export"] + arguments)
    #expect(again.ending == .status(0), "\(again.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory("to")) == ["out"])
  }
}
