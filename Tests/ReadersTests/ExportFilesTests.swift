import Concurrency
import Foundation
import Glibc
import System
import Testing
import TestSupport

@testable import Readers

@Suite struct ExportFilesTests {
  private let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
  }

  private func write(_ names: String...) throws {
    for name in names { try scratch.write("x", to: name) }
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: scratch(name), withDestinationPath: target)
  }

  private func shown(_ names: String...) throws -> [String] {
    try ExportFile.files(named: names, in: scratch.path).map(\.shown)
  }

  private func error(_ names: String...) throws -> ExportError {
    try #require(throws: ExportError.self) { _ = try ExportFile.files(named: names, in: scratch.path) }
  }

  @Test func `a file can be opened from the working directory`() throws {
    try write("a.csv")
    let files = try ExportFile.files(named: ["a.csv", scratch("a.csv") + ""], in: scratch.path)
    #expect(files == [ExportFile(shown: scratch("a.csv"), path: scratch("a.csv"))])
    #expect(
      try ExportFile.files(named: ["a.csv"], in: scratch.path)
        == [ExportFile(shown: "a.csv", path: scratch("a.csv"))])
    #expect(try ExportFile.files(named: ["-"], in: scratch.path) == [ExportFile(shown: "-", path: "-")])
  }

  @Test(arguments: ["b/../a.csv", "./a.csv", "b//../a.csv"])
  func `a path with .. or . is shown as written`(name: String) throws {
    try write("a.csv", "b/c.csv")
    #expect(try shown(name) == [name])
  }

  @Test func `a folder means its regular files at any depth, without hidden ones and markers, in byte order`()
    throws
  {
    try write(
      "e/b.csv", "e/a.csv", "e/Z.csv", "e/a/x", "e/a-b", "e/é.csv", "e/_SUCCESS", "e/.a.csv.crc",
      "e/_temporary/0/a.csv", "e/.git/a", "e/deep/er/z", "f.csv")
    #expect(mkfifo(scratch("e/_pipe"), 0o600) == 0)
    let expected = ["e/Z.csv", "e/a-b", "e/a.csv", "e/a/x", "e/b.csv", "e/deep/er/z", "e/é.csv"]
    #expect(try shown("e") == expected)
    #expect(try shown("e/") == expected)
    let files = try ExportFile.files(named: ["e"], in: scratch.path)
    #expect(files.map(\.path) == expected.map { scratch($0) })
  }

  @Test func `a named folder or file is read whatever its first character`() throws {
    try write("_e/a.csv", ".b.csv")
    #expect(try shown("_e", ".b.csv") == [".b.csv", "_e/a.csv"])
    #expect(try shown("_*/a*") == ["_e/a.csv"])
  }

  @Test(arguments: [
    ("e/*.csv", ["e/a.csv", "e/b.csv"]), ("e/?.csv", ["e/a.csv", "e/b.csv"]), ("e/[bc].csv", ["e/b.csv"]),
    ("e/[!b].csv", ["e/a.csv"]), ("*/a.csv", ["e/a.csv", "f/a.csv"]),
    ("e/*", ["e/a.csv", "e/b.csv", "e/d/c.tsv"]),
    ("*", ["e/a.csv", "e/b.csv", "e/d/c.tsv", "f/a.csv"]), ("./*/b.csv", ["./e/b.csv"]),
    ("e/d*/", ["e/d/c.tsv"]), ("e/../e/b*", ["e/../e/b.csv"]), ("e//b*", ["e//b.csv"]),
  ]) func `a pattern matches as in a shell`(pattern: String, expected: [String]) throws {
    try write("e/a.csv", "e/b.csv", "e/d/c.tsv", "f/a.csv", "e/_SUCCESS", "e/.hidden", "_g/a.csv")
    #expect(try shown(pattern) == expected)
  }

  @Test func `an existing name is not a pattern`() throws {
    try write("a*.csv", "ab.csv", "[b].csv", "b.csv", "c?/x.csv")
    #expect(try shown("a*.csv") == ["a*.csv"])
    #expect(try shown("[b].csv") == ["[b].csv"])
    #expect(try shown("c?") == ["c?/x.csv"])
    #expect(try shown("a[*]*") == ["a*.csv"])
  }

  @Test(arguments: ["[x]", "a*b", "q?", "back\\slash", "sp ace", "é"])
  func `the folder of the pipeline file is not a pattern`(folder: String) throws {
    try write("\(folder)/1.csv", "\(folder)/2.csv", "x/1.csv", "aab/1.csv", "qq/1.csv", "backslash/1.csv")
    let files = try ExportFile.files(named: ["*.csv"], in: scratch(folder))
    #expect(files.map(\.shown) == ["1.csv", "2.csv"])
    #expect(files.map(\.path) == [scratch(folder + "/1.csv"), scratch(folder + "/2.csv")])
  }

  @Test func `an absolute pattern stays absolute`() throws {
    try write("a.csv", "b.csv")
    #expect(try shown(scratch("*.csv")) == [scratch("a.csv"), scratch("b.csv")])
    let root = try ExportFile.files(named: ["proc/self/stat*"], in: "/")
    #expect(root.contains(ExportFile(shown: "proc/self/status", path: "/proc/self/status")))
    let pattern = try ExportFile.files(named: ["pro[c]/self/status"], in: "/")
    #expect(pattern == [ExportFile(shown: "proc/self/status", path: "/proc/self/status")])
  }

  @Test func `each file counts once, however it is reached`() throws {
    try write("e/a.csv", "e/b.csv")
    try link("e/latest.csv", to: "b.csv")
    try link("also", to: "e")
    #expect(try shown("e", "e/a.csv", "e/*.csv", "./e/b.csv", "also") == ["./e/b.csv", "also/a.csv"])
    #expect(try shown("e") == ["e/a.csv", "e/b.csv"])
  }

  @Test func `two encodings of an accent are two files`() throws {
    try write("e/\u{E9}.csv", "e/e\u{301}.csv")
    #expect(
      try shown("e").map { Array($0.utf8) } == [Array("e/e\u{301}.csv".utf8), Array("e/\u{E9}.csv".utf8)])
  }

  @Test func `links are followed, but never in a cycle`() throws {
    try write("e/a.csv", "f/b.csv")
    try link("e/up", to: "..")
    try link("e/self", to: ".")
    try link("f/e", to: "../e")
    try link("e/c.csv", to: "../f/b.csv")
    #expect(try shown("e") == ["e/a.csv", "e/c.csv"])
    #expect(try shown("f") == ["f/b.csv", "f/e/a.csv"])
    try link("circle", to: "circle")
    #expect(try error("circle").code == .unreadable)
  }

  @Test func `a device is kept, and a named pipe is refused at once`() throws {
    #expect(mkfifo(scratch("pipe"), 0o600) == 0)
    try write("e/a.csv")
    #expect(mkfifo(scratch("e/b.csv"), 0o600) == 0)
    for name in ["pipe", "p*", "e/b.csv", "e/b*", "e", "[e]"] {
      #expect(try error(name).code == .oddFile, "\(name)")
    }
    #expect(try shown("/dev/null", "/dev/zero") == ["/dev/null", "/dev/zero"])
  }

  @Test func `a path without files is an error that lists existing names`() throws {
    try write("e/swipes.csv", "e/users.csv", "marks/_SUCCESS", "marks/.x")
    let typo = try error("e/swipe.csv")
    #expect(typo.code == .missingFile && typo.file == scratch("e/swipe.csv"))
    #expect(typo.reason.contains("did you mean 'swipes.csv'"), "\(typo)")
    #expect(typo.reason.contains("'\(scratch("e"))' contains swipes.csv, users.csv"), "\(typo)")
    let folder = try error("exports/2024/a.csv")
    #expect(folder.reason.contains("'\(scratch.path)' contains e, marks"), "\(folder)")
    let pattern = try error("e/*.tsv")
    #expect(pattern.code == .missingFile && pattern.reason.contains("no file matches this pattern"))
    #expect(pattern.reason.contains("swipes.csv, users.csv"), "\(pattern)")
    #expect(try error("none/*.tsv").code == .missingFile)
    #expect(try error("e/swipes.csv/*").code == .missingFile)
    #expect(try error("e/swipes.csv/x").code == .missingFile)
    let marks = try error("marks")
    #expect(marks.code == .missingFile && marks.reason.contains("(2 here)"), "\(marks)")
    try link("e/gone.csv", to: "nowhere")
    #expect(try error("e").file == scratch("e/gone.csv"))
    #expect(try error("e/gone.csv").code == .missingFile)
    #expect(try error("e/g*").code == .missingFile)
  }

  /// Runs in a process of its own without special rights, because the superuser can read all folders.
  @Test func `a folder that this account cannot read is an error that names it`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      if getuid() == 0 { try #require(setgid(65534) == 0 && setuid(65534) == 0) }
      let scratch = try ScratchDirectory()
      let folders: [(name: String, mode: mode_t)] = [
        ("closed", 0), ("listed", 0o400), ("open", 0o700), ("searched", 0o100),
      ]
      for folder in folders {
        try scratch.write("x", to: "e/\(folder.name)/a.csv")
        chmod(scratch("e/\(folder.name)"), folder.mode)
      }
      defer { for folder in folders { chmod(scratch("e/\(folder.name)"), 0o700) } }
      // The arguments are a path or pattern, and the folder in the message.
      for (name, folder) in [
        ("e", "closed"), ("e/closed", "closed"), ("e/closed/a.csv", "closed"), ("e/closed/*.csv", "closed"),
        ("e/listed", "listed"), ("e/listed/*.csv", "listed"), ("e/searched", "searched"),
        ("e/searched/*.csv", "searched"), ("e/searched/b.csv", "searched"),
        // glob(3) finds only the files in the folders `open` and `searched`.
        ("e/*/a.csv", "closed"), ("e/l*/a.csv", "listed"), ("e/*/*.csv", "closed"),
      ] {
        let error = try #require(throws: ExportError.self) {
          _ = try ExportFile.files(named: [name], in: scratch.path)
        }
        try #require(error.code == .unreadable && error.exitStatus == .ioError, "\(name): \(error)")
        try #require(error.description.contains(scratch("e/" + folder)), "\(name): \(error)")
        try #require(error.description.contains("Permission denied"), "\(name): \(error)")
      }
      let found = try ExportFile.files(named: ["e/[os]*/a.csv", "e/searched/a.csv"], in: scratch.path)
      try #require(found.map(\.shown) == ["e/open/a.csv", "e/searched/a.csv"])
    }
  }

  @Test func `a long folder is listed in part`() throws {
    for number in 10..<30 { try write("e/\(number)") }
    let reason = try error("e/9").reason
    #expect(reason.contains("10, 11, 12, 13, 14, and 15 more"), "\(reason)")
  }

  @Test func `a name that is not UTF-8 is rejected`() throws {
    try write("e/a.csv")
    var path = Array((scratch("e/b") + "b").utf8CString)
    path[path.count - 2] = CChar(bitPattern: 0xFF)
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    #expect(try error("e").code == .unreadable)
    #expect(try error("e/*").code == .unreadable)
    #expect(try shown("e/a*") == ["e/a.csv"])
  }

  @Test func `in the working directory nothing is prepended to a name`() throws {
    let files = try ExportFile.files(named: ["/dev/null"], in: ".")
    #expect(files == [ExportFile(shown: "/dev/null", path: "/dev/null")])
    #expect(ExportFile.joined(".", "a/b.csv") == "a/b.csv")
    #expect(ExportFile.joined("a/", "b.csv") == "a/b.csv")
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a folder equals a plain listing of it`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let letters = ["a", "b", "_", ".x", "*", "[", "é", " ", "\\", "-"]
    func name() -> String {
      (0..<Int.random(in: 1...3, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
        .joined()
    }
    for _ in 0..<40 {
      let depth = Int.random(in: 0...3, using: &random)
      let path = "root/" + (0..<depth).map { _ in "d" + name() + "/" }.joined() + name()
      var isFolder = ObjCBool(false)
      if FileManager.default.fileExists(atPath: scratch(path), isDirectory: &isFolder) { continue }
      try write(path)
    }
    try write("root/a")
    let expected = scratch.files.filter {
      !$0.split(separator: "/").contains { $0.hasPrefix("_") || $0.hasPrefix(".") }
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(try shown("root") == expected)
    #expect(try shown("roo[t]") == expected)
    for file in expected { #expect(try shown(file) == [file]) }
  }
}

@Suite struct EndingTests {
  @Test(arguments: [
    ("a.csv", ExportFormat.csv), ("a.tsv.gz", .tsv), ("a.ndjson.zst", .jsonl), ("a.json", .json),
    ("x/y.z/a.JSONL", .jsonl), ("a.b.parquet", .parquet), (".csv", .csv),
  ]) func `a file extension decides the format`(path: String, format: ExportFormat) {
    #expect(ExportFormat(endingOf: path) == format)
  }

  @Test(arguments: [
    "", "-", "csv", "a", "a.", "a.gz", "a.csv.gz.gz", "a.csv/", "a.csv/b", "a.firestore", "a.duckdb", "gz",
    ".gz",
    "a.csv.bz2", "a.csv*",
  ]) func `an unknown file extension does not decide the format`(path: String) {
    #expect(ExportFormat(endingOf: path) == nil)
  }
}
