import Foundation
import Glibc
import Testing
import TestSupport

/// A source with many files must give the same snapshot as one file with all rows.
struct SplitExportTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var pieces: Int
    var tools: [String?] = [nil]
    /// Returns the path of an export for the pipeline file.
    var path: @Sendable (SplitExport, String) -> String = { split, export in split.directory(export) }
    var testDescription: String

    static let all = [
      Case(pieces: 1, testDescription: "one file in a folder"),
      Case(pieces: 3, testDescription: "three files in a folder"),
      Case(pieces: 17, testDescription: "17 files in a folder"),
      Case(pieces: 1, tools: ["gzip"], testDescription: "one compressed file"),
      Case(pieces: 3, tools: [nil, "gzip"], testDescription: "three files, one compressed"),
      Case(pieces: 17, tools: ["gzip"], testDescription: "17 compressed files"),
      Case(
        pieces: 17,
        path: { split, export in "[\(split.directory(export))/*/*, \(split.directory(export))/part*]" },
        testDescription: "patterns"),
      Case(
        pieces: 5,
        path: { split, export in
          "[" + split.files(export).reversed().map { split.directory($0) }.joined(separator: ", ") + "]"
        }, testDescription: "a list of files in another order"),
      Case(
        pieces: 5, path: { split, export in "[\(split.directory(export)), \(split.directory(export))/*]" },
        testDescription: "a folder twice"),
    ]
  }

  private func source(_ split: SplitExport, _ path: (SplitExport, String) -> String) -> [String] {
    ["--set", "entities.users.source.path=" + path(split, "users")]
      + ["--set", "interactions.swipes.source.path=" + path(split, "swipes")]
  }

  @Test(arguments: Case.all) func `split files give the snapshot of the whole file`(_ split: Case) throws {
    try expectSame(split)
  }

  @Test(.enabled(if: Command.path(of: "zstd") != nil, "zstd is not installed"))
  func `split files may include Zstandard`()
    throws
  {
    try expectSame(Case(pieces: 9, tools: ["zstd", nil, "gzip"], testDescription: "three ways"))
  }

  private func expectSame(_ chosen: Case) throws {
    let whole = try SplitExport.whole.get()
    let split = try SplitExport(pieces: chosen.pieces, tools: chosen.tools, seed: UInt64(chosen.pieces))
    let run = split.directory("run")
    let ended = try SplitExport.ingest(source(split, chosen.path), to: run)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let difference = try DirectoryContents(of: run + "/snapshot")
      .differences(from: DirectoryContents(of: whole("run/snapshot")))
    #expect(difference == ["manifest.json", "rejects.csv"])
    let manifest = try json(run + "/snapshot/manifest.json")
    let counts = [manifest, try json(whole("run/snapshot/manifest.json"))].map {
      NSDictionary(dictionary: $0.object("counts"))
    }
    #expect(counts[0] == counts[1])
    try expectRejects(run, split, whole)
    try expectDigests(manifest, split)
  }

  /// Expects every reject of the undivided file at the new place of its row.
  private func expectRejects(_ run: String, _ split: SplitExport, _ whole: ScratchDirectory) throws {
    func rows(_ run: String) throws -> [[String]] {
      plainCSVText(Array(try Data(contentsOf: URL(filePath: run + "/snapshot/rejects.csv"))))
    }
    let expected = try rows(whole("run")).dropFirst().map { row in
      let number = try #require(Int(row[2]))
      let place = try #require(row[1] == "line" ? split.swipes[number] : split.users[number])
      return [split.directory(place.file), row[1], "\(place.number)"] + row[3...]
    }
    let found = Array(try rows(run).dropFirst())
    #expect(
      found.sorted { $0.description < $1.description } == expected.sorted { $0.description < $1.description })
    #expect(
      Set(found.map { $0[4] })
        == ["bad_flag", "duplicate_id", "unknown_candidate", "unknown_user", "unknown_value"])
    // The rows of each file are together, and files are in the order of reading.
    let users = found.prefix { $0[0].contains("/users/") }.map { $0[0] }
    let swipes = found.dropFirst(users.count).map { $0[0] }
    #expect(users == users.sorted() && swipes == swipes.sorted() && !users.isEmpty && !swipes.isEmpty)
  }

  /// The manifest must have the digests of the files on disk, compressed or not.
  private func expectDigests(_ manifest: [String: Any], _ split: SplitExport) throws {
    let inputs = try #require(manifest["inputs"] as? [[String: Any]])
    let files = (split.files("swipes") + split.files("users")).map { split.directory($0) }
    #expect(inputs.map { $0["path"] as? String } == files)
    let sums = try Program.run("/usr/bin/sha256sum", ["--"] + files)
    #expect(sums.lines == zip(inputs, files).map { "\($0["sha256"] ?? "")  \($1)" })
    for (input, file) in zip(inputs, files) {
      #expect(input.integer("bytes") == (try Data(contentsOf: URL(filePath: file))).count)
    }
    for (export, source) in [("swipes", "swipes"), ("users", "users")] {
      let rows = zip(inputs, files).filter { $0.1.contains("/\(export)/") }.compactMap {
        $0.0.integer("rows")
      }
      let counts = manifest.object("counts").object("sources").object(source)
      #expect(rows.reduce(0, +) == counts.integer("read"))
      let rejected = counts.byRule.values.reduce(0, +)
      let others = ["kept", "merged", "later"].compactMap { counts.integer($0) }.reduce(0, +)
      #expect(counts.integer("read") == others + rejected)
    }
  }

  // MARK: Files of different kinds

  private func product(_ files: [String: String], path: String = "parts") throws -> SmallProduct {
    let product = try SmallProduct()
    for (name, text) in files { try product.directory.write(text, to: name) }
    try product.replace("source: { path: people.csv }", by: "source: { path: \(path), format: csv }")
    return product
  }

  private static let header = "id,field,lat,lon,years,gone,changed\n"
  private static let row = ",Technology,52.5,13.4,1,false,2024-01-01T00:00:00Z\n"

  @Test func `a column missing in one file is reported with that file`() throws {
    let product = try product([
      "parts/a.csv": Self.header + "adaXQ" + Self.row,
      "parts/b.csv": "id,lat,lon,years,gone,changed\n",
    ])
    expectFailure(try product.run("--until", "ingest"), status: 65, says: ["parts/b.csv", "'field'"])
    expectFailure(
      try Program.run("nightjar-ingest", [product.pipelineFile, "--run-dir", product.directory("run")]),
      status: 65, says: ["parts/b.csv", "'field'"])
    #expect(!product.directory.exists("run/snapshot"))
  }

  @Test func `a file without a header is reported by name`() throws {
    let product = try product(["parts/a.csv": SmallProduct.people, "parts/b.csv": "\n"])
    expectFailure(try product.run("--until", "ingest"), status: 65, says: ["parts/b.csv", "first line"])
  }

  @Test func `a JSON field of a single file is a field`() throws {
    let product = try SmallProduct()
    let place = "\"lat\":52.51,\"lon\":13.38,\"gone\":false,\"changed\":\"2024-01-01T00:00:00Z\",\"years\":1"
    let ids = SmallProduct.ids
    func lines(_ ids: ArraySlice<String>, _ more: String) -> String {
      ids.map { "{\"id\":\"\($0)\",\(place)\(more)}\n" }.joined()
    }
    try product.directory.write(lines(ids[..<4], ""), to: "parts/a.jsonl")
    try product.directory.write(lines(ids[4...], ",\"field\":\"Media\""), to: "parts/b.jsonl")
    try product.replace("source: { path: people.csv }", by: "source: { path: parts, format: jsonl }")
    let ended = try product.run("--until", "ingest")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(!ended.errors.contains("check the spelling"))
    try product.directory.write(lines(ids[4...], ""), to: "parts/b.jsonl")
    expectFailure(try product.run("--until", "ingest"), status: 65, says: ["parts", "'field'"])
  }

  @Test(arguments: [(2, true), (3, false)]) func `reject_limit applies to all files of a source together`(
    broken: Int, isComplete: Bool
  ) throws {
    // One file contains only invalid rows. The limit allows 10 % of 20 rows.
    let whole = (broken..<20).map { "u\($0)" + Self.row }.joined()
    let product = try product([
      "parts/a.csv": Self.header + String(repeating: Self.row, count: broken),
      "parts/b.csv": Self.header + whole,
    ])
    try product.directory.write("from,to,answer,at\n", to: "swipes.csv")
    let ended = try product.run("--until", "ingest")
    #expect(ended.ending == .status(isComplete ? 0 : 65), "\(ended.errors)")
    #expect(ended.errors.contains("\(broken) missing_id"))
    guard !isComplete else { return }
    #expect(ended.errors.contains("people: 3 of 20 rows of 'parts'") && ended.errors.contains("15.0 %"))
    let rejects = plainCSVText(Array(try Data(contentsOf: URL(filePath: product.run(1) + "/rejects.csv"))))
    #expect(rejects.dropFirst().map { $0[0] } == Array(repeating: "parts/a.csv", count: broken))
  }

  @Test func `two files whose names differ in the encoding of an accent are two inputs`() throws {
    let names = ["parts/e\u{301}.csv", "parts/\u{E9}.csv"]
    let lines = SmallProduct.people.split(separator: "\n").map { $0 + "\n" }
    let product = try product([:])
    // The files are written separately, because a dictionary would merge the two names.
    try product.directory.write(Self.header + lines[1...4].joined(), to: names[0])
    try product.directory.write(Self.header + lines[5...].joined(), to: names[1])
    let ended = try product.run("--until", "ingest")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let manifest = try json(product.run(1) + "/snapshot/manifest.json")
    let inputs = try #require(manifest["inputs"] as? [[String: Any]])
    let expected = (names + ["swipes.csv"]).map { Array($0.utf8) }
    #expect(inputs.compactMap { ($0["path"] as? String).map { Array($0.utf8) } } == expected)
    #expect(Set(inputs.compactMap { $0["sha256"] as? String }).count == 3)
  }

  /// Whether a thread of `process` is reading standard input. The system call `read` has the number
  /// 0 on x86-64 and 63 on arm64.
  private static func waitsForInput(_ process: Int32) -> Bool {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return tasks.contains { task in
      let call = FileManager.default.contents(atPath: "/proc/\(process)/task/\(task)/syscall") ?? Data()
      let words = String(decoding: call, as: UTF8.self).split(separator: " ")
      return words.count > 1 && ["0", "63"].contains(words[0]) && words[1] == "0x0"
    }
  }

  @Test(arguments: ["parts/\u{E9}.csv", "parts/b.csv"])
  func `one changed file of many ends the run`(name: String) throws {
    let product = try product(["parts/a.csv": SmallProduct.people])
    try product.directory.write(Self.header, to: name)
    try product.directory.write(Self.header, to: "parts/e\u{301}.csv")
    // The program reads the swipes last. When it waits for them, it has already read the people.
    let endless = try product.endlessPipe()
    let running = try Program.start(
      "nightjar-ingest",
      [product.pipelineFile, "--run-dir", product.directory("run")] + SmallProduct.swipesFromInput,
      input: endless.path)
    while running.isRunning, !Self.waitsForInput(running.process) { usleep(1000) }
    try product.directory.write(Self.header + "newXQ" + Self.row, to: name)
    try endless.writer.write(contentsOf: Data(SmallProduct.swipes.utf8))
    try endless.writer.close()
    let ended = running.wait()
    expectFailure(ended, status: 74, says: [name, "changed while it was being read"])
    #expect(!product.directory.exists("run/snapshot"))
  }
}
