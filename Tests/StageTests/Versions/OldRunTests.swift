import Foundation
import RunSchemas
import Testing
import TestSupport
import Text

/// Runs the current programs on a run of version 0.1.0, as the tables about runs in
/// `docs/versions.md` describe.
struct OldRunTests {
  static let continuing: [TypedCommand] = [
    "nightjar run village.yaml --work work --resume",
    "nightjar run village.yaml --work work --from index",
    "nightjar run village.yaml --work work --from fit",
    "nightjar run village.yaml --work work --from rank",
    "nightjar run village.yaml --work work --from publish",
  ]

  @Test(arguments: continuing)
  func `a run of another version is not continued, and the message names both versions`(command: TypedCommand)
    throws
  {
    let old = try OldVersion()
    let before = try DirectoryContents(of: old.directory("work/village/runs"))
    let ended = try old.run(command)
    #expect(ended.ending == .status(78))
    #expect(
      [1, 2].contains { run in
        ended.errors.contains(
          "\(OldVersion.tool) made run \(run), but this is \(Tool.name). Start a new run.")
      }, "\(ended.errors)")
    #expect(try DirectoryContents(of: old.directory("work/village/runs")).differences(from: before) == [])
  }

  /// Each command with its expected output: a file with the same output, or a text that the output
  /// contains.
  static let reading: [(command: TypedCommand, answer: String)] = [
    ("nightjar explain village.yaml --work work --user adaXQ --json", "answers/model.json"),
    (
      "nightjar explain village.yaml --work work --user adaXQ --candidate svenXQ --json",
      "answers/prediction.json"
    ),
    ("nightjar check village.yaml --work work", "candidates in reach"),
    ("nightjar runs village.yaml --work work", "  1  complete"),
    ("nightjar diff 1 1 --work work", "Both runs have the same settings, counts and quality."),
    ("nightjar doctor village.yaml --work work", "run 2 is incomplete and was made by \(OldVersion.tool)"),
    ("nightjar verify village.yaml --work work", "117 rows compared, all equal"),
    ("nightjar report village.yaml --work work --out reports", "reports/village.html"),
    ("nightjar ingest village.yaml --run-dir work/village/runs/3 --as-of newest", "runs/3/snapshot"),
  ]

  @Test(arguments: reading)
  func `commands read a run and do not change it`(command: TypedCommand, answer: String) throws {
    let old = try OldVersion()
    let before = try old.contents(ofRun: 1)
    let ended = try old.run(command)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    if answer.hasPrefix("answers/") {
      // OpenBLAS rounds differently on different processors.
      let earlier = try JSONDecoder().decode(JSONValue.self, from: Data(old.directory.bytes(answer)))
      let answered = try JSONDecoder().decode(JSONValue.self, from: Data(ended.output.utf8))
      #expect(answered.isClose(to: earlier), "\(ended.output)")
    } else {
      #expect(ended.output.contains(answer), "\(ended.output)\(ended.errors)")
    }
    #expect(try old.contents(ofRun: 1).differences(from: before) == [])
  }

  static let exporting: TypedCommand = "nightjar export village.yaml --work work --parquet out"

  @Test(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
  func `a run is exported as Parquet`() throws {
    let old = try OldVersion()
    let ended = try old.run(Self.exporting)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let rows = try DuckDBTool.rows(
      "SELECT count(*)::VARCHAR AS c0 FROM '\(old.directory("out/rankings/by_field.parquet"))'")
    #expect(rows == [["19"]])
  }

  @Test func `the report of a run names the version that made it`() throws {
    let old = try OldVersion()
    try #require(
      try old.run("nightjar report village.yaml --work work --out reports").ending == .status(0))
    let page = try old.directory.text("reports/village.html")
    #expect(page.contains("<span class=\"value\">\(OldVersion.tool)</span>"))
    #expect(!page.contains("not compared"))
  }

  @Test func `the report of the first run compares it with the older run`() throws {
    let old = try OldVersion()
    try old.addSwipe()
    try #require(try old.run("nightjar run village.yaml --work work").ending == .status(0))
    let ended = try old.run("nightjar report village.yaml --work work --out reports")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let page = try old.directory.text("reports/village.html")
    #expect(page.contains("<span class=\"value\">\(Tool.name)</span>") && page.contains("run 1"))
    #expect(!page.contains("because this version of the program cannot read that run"))
    #expect(try !old.directory.text("reports/index.html").contains("This list omits"))
  }

  static let stages: [TypedCommand] = [
    "nightjar index village.yaml --run-dir work/village/runs/2",
    "nightjar fit village.yaml --run-dir work/village/runs/2",
    "nightjar rank village.yaml --run-dir work/village/runs/2",
    "nightjar evaluate village.yaml --run-dir work/village/runs/2",
    "nightjar publish village.yaml --run-dir work/village/runs/2 --force",
  ]

  @Test func `single stages continue a run that the older version started`() throws {
    let old = try OldVersion()
    let snapshot = try DirectoryContents(of: old.directory("work/village/runs/2/snapshot"))
    for command in Self.stages {
      let ended = try old.run(command)
      try #require(ended.ending == .status(0), "\(command): \(ended.errors)")
    }
    for stage in ["snapshot", "rankings/by_field"] {
      let (first, second) = try (
        DirectoryContents(of: old.directory("work/village/runs/1/\(stage)")),
        DirectoryContents(of: old.directory("work/village/runs/2/\(stage)"))
      )
      #expect(second.differences(from: first) == [], "\(stage)")
    }
    for list in ["partners"] {
      let (first, second) = try (
        RankingsFiles(old.directory("work/village/runs/1/rankings"), list: list).lines,
        RankingsFiles(old.directory("work/village/runs/2/rankings"), list: list).lines
      )
      #expect(first.map(\.user) == second.map(\.user) && !first.isEmpty)
      for (first, second) in zip(first, second) {
        #expect(first.recommendations.map(\.candidate) == second.recommendations.map(\.candidate))
        // Another kind of processor may round sums in fit differently, so nine digits are compared.
        for (first, second) in zip(first.recommendations, second.recommendations) {
          #expect(abs((first.score ?? 0) - (second.score ?? 0)) < 1e-9)
        }
      }
    }
    #expect(
      try DirectoryContents(of: old.directory("work/village/runs/2/snapshot")).differences(from: snapshot)
        == [])
  }

  static let erasing: TypedCommand = "nightjar erase village.yaml --work work --user adaXQ"

  @Test func `an erased person is removed from the runs and the store`() throws {
    let old = try OldVersion()
    let places = ["work", "serving.sqlite"]
    #expect(try old.traces(of: "adaXQ", "Ada Quill", in: places).count > 5)
    let ended = try old.run(Self.erasing)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(
      ended.output.contains("run 1: removed 1 row, 20 interactions, 1 model, 1 list"), "\(ended.output)")
    #expect(ended.output.contains("run 2: removed 1 row, 20 interactions"), "\(ended.output)")
    #expect(try old.traces(of: "adaXQ", "Ada Quill", in: places) == [])
    #expect(try old.traces(of: "benXQ", "Ben Quill", in: places).count > 5)
    // The rest of the run can still be read, and it still counts as a run of the older version.
    let report = try old.run("nightjar report village.yaml --work work --out reports")
    #expect(report.ending == .status(0), "\(report.errors)")
    #expect(try old.traces(of: "adaXQ", "Ada Quill", in: ["reports"]) == [])
    for command in Self.continuing {
      let refused = try old.run(command)
      #expect(refused.ending == .status(78) && refused.errors.contains(OldVersion.tool), "\(refused.errors)")
    }
  }

  // MARK: Manifests that cannot be read

  static let unreadable: [(command: TypedCommand, file: String)] = [
    ("nightjar explain village.yaml --work work --user adaXQ", "1/snapshot/manifest.json"),
    ("nightjar explain village.yaml --work work --user adaXQ", "1/models/manifest.json"),
    ("nightjar run village.yaml --work work --from rank", "1/snapshot/manifest.json"),
    ("nightjar run village.yaml --work work --resume", "2/snapshot/manifest.json"),
    ("nightjar run village.yaml --work work --resume", "2/run.json"),
    ("nightjar report village.yaml --work work --out reports", "1/snapshot/manifest.json"),
    ("nightjar report village.yaml --work work --out reports", "1/rankings/manifest.json"),
    ("nightjar report village.yaml --work work --out reports", "1/run.json"),
    ("nightjar export village.yaml --work work --parquet out", "1/rankings/manifest.json"),
    ("nightjar publish village.yaml --run-dir work/village/runs/1", "1/rankings/manifest.json"),
    ("nightjar rank village.yaml --run-dir work/village/runs/2", "2/snapshot/manifest.json"),
    (erasing, "1/snapshot/manifest.json"),
  ]

  /// An object of another version, a truncated file and an empty file.
  static let damages = ["{ \"format\": 9 }\n", "{\n  \"as_of\" : {", ""]

  @Test(arguments: unreadable, damages)
  func `an error about an unreadable file of a run names the file and the next step`(
    damaged: (command: TypedCommand, file: String), damage: String
  ) throws {
    let old = try OldVersion()
    try old.directory.write(damage, to: "work/village/runs/" + damaged.file)
    let run = Int(damaged.file.prefix(1)) ?? 0
    let before = try old.contents(ofRun: run)
    let ended = try old.run(damaged.command)
    #expect(ended.ending == .status(74), "\(ended.errors)")
    // Some commands name the files of the last complete run by the link `latest`.
    let paths = [damaged.file, "latest/" + damaged.file.dropFirst(2)].map {
      "\($0)': this version cannot read it"
    }
    #expect(paths.contains(where: ended.errors.contains), "\(ended.errors)")
    #expect(ended.errors.contains("Use the version that made this run, or delete the run's directory"))
    #expect(!ended.errors.contains("DecodingError") && !ended.errors.contains("CodingKey"))
    #expect(try old.contents(ofRun: run).differences(from: before) == [])
  }

  @Test
  func
    `an erasure with an unreadable run removes the person elsewhere, and succeeds after that run is deleted`()
    throws
  {
    let old = try OldVersion()
    try old.directory.write("{}\n", to: "work/village/runs/1/snapshot/manifest.json")
    let ended = try old.run(Self.erasing)
    #expect(ended.ending == .status(74), "\(ended.errors)")
    #expect(
      try old.traces(of: "adaXQ", "Ada Quill", in: ["work/village/runs/2", "serving.sqlite"]) == [],
      "\(ended.output)")
    #expect(try old.traces(of: "adaXQ", "Ada Quill", in: ["work/village/runs/1"]) != [])
    try FileManager.default.removeItem(atPath: old.directory("work/village/runs/1"))
    #expect(try old.run(Self.erasing).ending == .status(0))
    #expect(try old.traces(of: "adaXQ", "Ada Quill", in: ["work", "serving.sqlite"]) == [])
  }

  static let configured: [TypedCommand] = [
    "nightjar report village.yaml --work work --out reports", erasing,
  ]

  @Test(arguments: configured)
  func `an error about an unknown key in a manifest names the manifest and the next step`(
    command: TypedCommand
  )
    throws
  {
    let old = try OldVersion()
    let manifest = "work/village/runs/1/snapshot/manifest.json"
    let text = try old.directory.text(manifest)
    try old.directory.write(text.replacing("\"directory\" :", with: "\"shelf\" :"), to: manifest)
    let before = try old.contents(ofRun: 1)
    let ended = try old.run(command)
    #expect(ended.ending == .status(78), "\(ended.errors)")
    #expect(
      ended.errors.contains("\(manifest): this version cannot read its pipeline file: unknown key"))
    #expect(ended.errors.contains("Use the version that made this run"), "\(ended.errors)")
    #expect(!ended.errors.contains("village.yaml"), "\(ended.errors)")
    #expect(try old.contents(ofRun: 1).differences(from: before) == [])
    if command.name == "erase" {
      #expect(try old.traces(of: "adaXQ", "Ada Quill", in: ["work/village/runs/2", "serving.sqlite"]) == [])
    }
  }

  @Test(arguments: ["run", "check"])
  func `a run fails if an expectation needs the unreadable last run`(command: String) throws {
    let old = try OldVersion()
    try old.directory.write("{}\n", to: "work/village/runs/1/snapshot/manifest.json")
    let expecting = "entities.people.expect.rows.drop_at_most=0.5"
    let ended = try old.run(TypedCommand("nightjar \(command) village.yaml --work work --set \(expecting)"))
    #expect(ended.ending == .status(74), "\(ended.errors)")
    #expect(ended.errors.contains("snapshot/manifest.json': this version cannot read it"), "\(ended.errors)")
  }

  @Test(arguments: ["1/snapshot/manifest.json", "1/run.json"])
  func `a run succeeds if an earlier run is unreadable, and its report omits the comparison`(file: String)
    throws
  {
    let old = try OldVersion()
    try old.directory.write("{}\n", to: "work/village/runs/" + file)
    // Only the newest run without a readable record is kept.
    try FileManager.default.removeItem(atPath: old.directory("work/village/runs/2"))
    try old.addSwipe()
    let night = try old.run("nightjar run village.yaml --work work")
    #expect(night.ending == .status(0), "\(night.errors)")
    let ended = try old.run("nightjar report village.yaml --work work --out reports")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(
      try old.directory.text("reports/village.html").contains(
        "This version of the program cannot read run ")
    )
    #expect(
      try old.directory.text("reports/index.html").contains("that this version of the program cannot read"))
  }
}

extension JSONValue {
  /// Whether both values are equal. Numbers may differ by 1e-12 of their size.
  fileprivate func isClose(to other: JSONValue) -> Bool {
    if case .number(let number) = self, case .number(let second) = other {
      return abs(number - second) <= 1e-12 * max(abs(number), abs(second))
    }
    if case .object(let members) = self, case .object(let others) = other {
      return members.keys == others.keys
        && members.allSatisfy { others[$0.key].map($0.value.isClose) ?? false }
    }
    if case .array(let elements) = self, case .array(let others) = other {
      return elements.count == others.count && zip(elements, others).allSatisfy { $0.isClose(to: $1) }
    }
    return self == other
  }
}
