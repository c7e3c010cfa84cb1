import Foundation
import Glibc
import Testing
import TestSupport

/// Checks the exit status and the message for every external cause of a failed run.
struct ProgramStatusTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var status: Int32
    /// The texts that the message must contain.
    var says: [String]
    /// Arguments that are added to `nightjar run PIPELINE --work WORK`.
    var arguments: [String] = []
    var prepare: @Sendable (SmallProduct) throws -> Void = { _ in }

    init(
      _ description: String, status: Int32, says: [String], arguments: [String] = [],
      prepare: @escaping @Sendable (SmallProduct) throws -> Void = { _ in }
    ) {
      testDescription = description
      self.status = status
      self.says = says
      self.arguments = arguments
      self.prepare = prepare
    }
  }

  static let pipelineFile: [Case] = [
    Case("a misspelt key of a ranking", status: 78, says: ["small.yaml:37:", "'topp'", "'top'"]) {
      try $0.replace("    top: 10", by: "    topp: 10")
    },
    Case("a misspelt key at the top", status: 78, says: ["small.yaml:5:", "'entites'", "'entities'"]) {
      try $0.replace("entities:", by: "entites:")
    },
    Case(
      "a misspelt key in braces", status: 78,
      says: ["small.yaml:3:", "'snap_position_to'", "'snap_positions_to'"]
    ) {
      try $0.replace("snap_positions_to", by: "snap_position_to")
    },
    Case(
      "a word for a number", status: 78,
      says: ["small.yaml:37:", "'rankings.partners.top'", "whole number", "'ten'"]
    ) {
      try $0.replace("top: 10", by: "top: ten")
    },
    Case(
      "a number for a list", status: 78,
      says: ["small.yaml:34:", "'rankings.partners.exclude'", "list", "'5'"]
    ) {
      try $0.replace("exclude: [self, interacted, vetoed, gone]", by: "exclude: 5")
    },
    Case("a list for a mapping", status: 78, says: ["small.yaml:42:", "'publish.attributes'", "mapping"]) {
      try $0.replace("attributes: { people: [field] }", by: "attributes: [field]")
    },
    Case("a precision that no geohash has", status: 78, says: ["small.yaml:3:", "13", "1 to 12"]) {
      try $0.replace("snap_positions_to: 6", by: "snap_positions_to: 13")
    },
    Case(
      "no recommendation", status: 78, says: ["small.yaml:37:", "'rankings.partners.top'", "0", "1 to 1000"]
    ) {
      try $0.replace("top: 10", by: "top: 0")
    },
    Case("a reject limit above all", status: 78, says: ["small.yaml:4:", "'reject_limit'"]) {
      try $0.replace("10 %", by: "110 %")
    },
    Case(
      "a radius under five diagonals", status: 78,
      says: ["small.yaml:33:", "within_km", "five diagonals", "snap_positions_to"]
    ) {
      try $0.replace("within_km: 50", by: "within_km: 5")
    },
    Case("a negative radius", status: 78, says: ["small.yaml:33:", "within_km", "-5"]) {
      try $0.replace("within_km: 50", by: "within_km: -5")
    },
    Case("an exclusion that is no flag", status: 78, says: ["small.yaml:34:", "'gome'", "'gone'"]) {
      try $0.replace("vetoed, gone]", by: "vetoed, gome]")
    },
    Case("a feature that is no attribute", status: 78, says: ["small.yaml:25:", "'feild'", "'field'"]) {
      try $0.replace("- category: field", by: "- category: feild")
    },
    Case("matches of an unknown interaction", status: 78, says: ["small.yaml:38:", "'swypes'", "'swipes'"]) {
      try $0.replace("mutual: swipes", by: "mutual: swypes")
    },
    Case("no entities", status: 78, says: ["'entities'"]) {
      try $0.directory.write("pipeline: small\n", to: "small.yaml")
    },
    Case("an empty file", status: 78, says: ["small.yaml: it is empty"]) {
      try $0.directory.write("", to: "small.yaml")
    },
    Case("no YAML", status: 78, says: ["small.yaml:3:"]) {
      try $0.directory.write("pipeline: small\nentities: [\n", to: "small.yaml")
    },
    Case("a key that occurs twice", status: 78, says: ["small.yaml", "'seed'", "occurs"]) {
      try $0.replace("seed: 7", by: "seed: 7\nseed: 8")
    },
    Case("a store of an unknown kind", status: 78, says: ["'paper'", "sqlite"]) {
      try $0.replace("sqlite:serving.sqlite", by: "paper:serving.sqlite")
    },
    Case(
      "--set of an unknown key", status: 78, says: ["--set", "'toop'", "'top'"],
      arguments: ["--set", "rankings.partners.toop=3"]),
    Case(
      "--set of a wrong type", status: 78, says: ["--set rankings.partners.top", "'many'"],
      arguments: ["--set", "rankings.partners.top=many"]),
    Case(
      "--set under a plain value", status: 78, says: ["--set seed.deep", "'deep'"],
      arguments: ["--set", "seed.deep=1"]),
  ]

  static let inputs: [Case] = [
    Case("no pipeline file", status: 66, says: ["small.yaml", "No such file"]) {
      try FileManager.default.removeItem(atPath: $0.pipelineFile)
    },
    Case("no export", status: 66, says: ["swipes.csv"]) {
      try FileManager.default.removeItem(atPath: $0.directory("swipes.csv"))
    },
    Case("a wrong column", status: 65, says: ["swipes.csv", "'answr'", "from, to, answer, at"]) {
      try $0.replace("{ from: answer,", by: "{ from: answr,")
    },
    Case("an empty CSV", status: 65, says: ["swipes.csv"]) {
      try $0.directory.write("", to: "swipes.csv")
    },
    Case("a wrong Firestore path", status: 65, says: ["people.json", "'feild'", "'field'"]) {
      try $0.useFirestore()
      try $0.replace("field: { type: category }", by: "field: { type: category, from: feild }")
    },
    Case("a wrong Firestore path of the positions", status: 65, says: ["people.json", "'location.lat'"]) {
      try $0.useFirestore()
      try $0.replace("latitude: location.latitude", by: "latitude: location.lat")
    },
    Case("not JSON", status: 65, says: ["people.json"]) {
      try $0.useFirestore()
      try $0.directory.write("id,field\nadaXQ,Media\n", to: "people.json")
    },
    Case("JSON cut off", status: 65, says: ["people.json"]) {
      try $0.useFirestore()
      let whole = try Data(contentsOf: URL(filePath: $0.directory("people.json")))
      try $0.directory.write(whole.dropLast(40), to: "people.json")
    },
    Case("JSON of another shape", status: 65, says: ["people.json"]) {
      try $0.useFirestore()
      try $0.directory.write("{\"people\": []}", to: "people.json")
    },
    Case("an empty folder for an export", status: 66, says: ["swipes.csv", "contains no export file"]) {
      try FileManager.default.removeItem(atPath: $0.directory("swipes.csv"))
      try FileManager.default.createDirectory(
        atPath: $0.directory("swipes.csv"), withIntermediateDirectories: true)
    },
  ]

  static let commandLines: [Case] = [
    Case("an unknown option", status: 64, says: ["--thread"], arguments: ["--thread", "2"]),
    Case("no threads", status: 64, says: ["--threads", "0"], arguments: ["--threads", "0"]),
    Case("threads in words", status: 64, says: ["threads", "two"], arguments: ["--threads", "two"]),
    Case(
      "more threads than anybody has", status: 64, says: ["--threads", "4096"],
      arguments: ["--threads", "4096"]),
    Case(
      "a time that is none", status: 64, says: ["as-of", "yesterday"], arguments: ["--as-of", "yesterday"]),
    Case(
      "a day that is in no calendar", status: 64, says: ["as-of", "2024-02-30"],
      arguments: ["--as-of", "2024-02-30"]),
    Case("an unknown stage", status: 64, says: ["until", "rnak"], arguments: ["--until", "rnak"]),
  ]

  static let stores: [Case] = [
    Case("a store that is a text file", status: 69, says: ["serving.sqlite"]) {
      try $0.directory.write(
        "Dear diary, this is no database. It is long enough to be one.\n", to: "serving.sqlite")
    },
    Case("a store where nothing can be created", status: 69, says: ["/proc/nightjar/serving.sqlite"]) {
      try $0.replace("sqlite:serving.sqlite", by: "sqlite:/proc/nightjar/serving.sqlite")
    },
    Case("a store under a file", status: 69, says: ["people.csv/serving.sqlite"]) {
      try $0.replace("sqlite:serving.sqlite", by: "sqlite:people.csv/serving.sqlite")
    },
  ]

  @Test(arguments: pipelineFile) func `an invalid pipeline file gives status 78 with place and rule`(
    _ wrong: Case
  )
    throws
  {
    let product = try SmallProduct()
    try check(wrong, product)
    #expect(!FileManager.default.fileExists(atPath: product.work), "no stage may start")
  }

  @Test(arguments: inputs) func `an invalid input is named and leaves no snapshot`(_ wrong: Case) throws {
    let product = try SmallProduct()
    try check(wrong, product)
    #expect(!FileManager.default.fileExists(atPath: product.run(1) + "/snapshot"))
    #expect(!FileManager.default.fileExists(atPath: product.work + "/small/latest"))
  }

  @Test(arguments: commandLines) func `an invalid command line gives status 64`(_ wrong: Case) throws {
    let product = try SmallProduct()
    try check(wrong, product)
    #expect(!FileManager.default.fileExists(atPath: product.work), "no stage may start")
  }

  @Test(arguments: stores) func `a store that fails gives status 69, and the rankings stay`(_ wrong: Case)
    throws
  {
    let product = try SmallProduct()
    try check(wrong, product)
    #expect(FileManager.default.fileExists(atPath: product.run(1) + "/rankings/_SUCCESS"))
    #expect(
      !FileManager.default.fileExists(atPath: product.work + "/small/latest"), "the run is not complete")
  }

  /// Runs the product after the changes of the case. Checks the status, the message, and that no
  /// other output exists.
  private func check(_ wrong: Case, _ product: SmallProduct) throws {
    try wrong.prepare(product)
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.work] + wrong.arguments)
    expectFailure(ended, status: wrong.status, says: wrong.says)
  }

  @Test func `too many rejects give status 65 and no snapshot, and the rejects are kept`() throws {
    let product = try SmallProduct()
    try product.replace("adaXQ,benXQ,right,", by: "adaXQ,benXQ,maybe,", in: "swipes.csv")
    try product.replace("benXQ,dinaXQ,right,", by: "benXQ,dinaXQ,right!,", in: "swipes.csv")
    let ended = try product.run()
    expectFailure(
      ended, status: 65,
      says: [
        "swipes", "2 of 12", "10.0 %", "2 unknown_value", "rejects.csv",
        "reject_limit",
      ])
    #expect(!FileManager.default.fileExists(atPath: product.run(1) + "/snapshot"))
    let rejects = try String(contentsOfFile: product.run(1) + "/rejects.csv", encoding: .utf8)
    #expect(
      rejects == """
        file,unit,number,field,rule,value
        swipes.csv,line,2,answer,unknown_value,maybe
        swipes.csv,line,5,answer,unknown_value,right!

        """)
    // One reject in twelve rows is below the limit of 10 %.
    try product.replace("right!", by: "right", in: "swipes.csv")
    #expect(try product.run().ending == .status(0))
  }

  @Test func `rejected rows of one account do not end a run`() throws {
    let product = try SmallProduct()
    try product.replace("adaXQ,benXQ,right,", by: "adaXQ,benXQ,maybe,", in: "swipes.csv")
    try product.replace("adaXQ,cleoXQ,left,", by: "adaXQ,cleoXQ,maybe,", in: "swipes.csv")
    let ended = try product.run("--until", "ingest")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("2 unknown_value"), "\(ended.errors)")
  }

  @Test func `a second concurrent run gives status 75 and names the lock`() throws {
    let product = try SmallProduct()
    try #require(try product.run("--until", "ingest").ending == .status(0))
    let path = product.work + "/small/lock"
    let lock = open(path, O_RDWR | O_CLOEXEC)
    try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    expectFailure(try product.run(), status: 75, says: ["holds the lock '\(path)'", "one command at a time"])
    let stage = try Program.run("nightjar-index", [product.pipelineFile, "--run-dir", product.run(1)])
    expectFailure(stage, status: 75, says: [path])
    #expect(!FileManager.default.fileExists(atPath: product.run(2)))
    // A run of another pipeline is not affected.
    #expect(try product.run("--set", "pipeline=other", "--until", "ingest").ending == .status(0))
    close(lock)
    #expect(try product.run().ending == .status(0))
  }

  @Test func `a run of another process is reported`() throws {
    let product = try SmallProduct()
    // The first run waits for the end of its standard input.
    let endless = try product.endlessPipe()
    let first = try Program.start(
      "nightjar",
      ["run", product.pipelineFile, "--work", product.work] + SmallProduct.swipesFromInput,
      input: endless.path)
    defer {
      try? endless.writer.close()
      first.kill()
      _ = first.wait()
    }
    while first.isRunning, !FileManager.default.fileExists(atPath: product.run(1) + "/run.json") {
      usleep(1000)
    }
    try #require(first.isRunning)
    let second = try product.run()
    expectFailure(second, status: 75, says: ["process \(first.process)", product.work + "/small/lock"])
  }

  @Test func `an existing stage directory gives status 73 and is unchanged`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    let before = try DirectoryContents(of: product.run(1))
    for (program, name) in [
      ("nightjar-ingest", "snapshot"), ("nightjar-index", "index"), ("nightjar-fit", "models"),
      ("nightjar-rank", "rankings"),
    ] {
      let ended = try Program.run(program, [product.pipelineFile, "--run-dir", product.run(1)])
      expectFailure(ended, status: 73, says: [product.run(1) + "/" + name, "already exists"])
    }
    #expect(try DirectoryContents(of: product.run(1)).differences(from: before) == [])
  }

  @Test(arguments: [
    ("nightjar-index", "snapshot"), ("nightjar-fit", "snapshot"), ("nightjar-rank", "snapshot"),
    ("nightjar-publish", "rankings"),
  ]) func `a stage without its input gives status 66 and names it`(program: String, missing: String) throws {
    let product = try SmallProduct()
    let directory = product.directory("empty")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let ended = try Program.run(program, [product.pipelineFile, "--run-dir", directory])
    expectFailure(ended, status: 66, says: [directory + "/" + missing])
  }

  @Test func `an output that cannot be created gives status 73`() throws {
    let product = try SmallProduct()
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.directory("people.csv")])
    expectFailure(ended, status: 73, says: ["people.csv"])
  }

  @Test(arguments: [
    ["frobnicate"], ["run"], ["show"], ["run", "a.yaml", "b.yaml"], ["geohash", "frobnicate"],
    ["--frobnicate"],
  ]) func `an unknown or incomplete command gives status 64`(arguments: [String]) throws {
    let directory = try ScratchDirectory()
    let ended = try Program.run("nightjar", arguments, in: directory.path)
    expectFailure(ended, status: 64, says: ["Usage: nightjar"])
  }

  @Test(arguments: [
    "nightjar", "nightjar-ingest", "nightjar-index", "nightjar-fit", "nightjar-rank", "nightjar-publish",
  ])
  func `help goes to stdout with the table of exit statuses`(program: String) throws {
    let ended = try Program.run(program, ["--help"])
    #expect(ended.ending == .status(0))
    for status in [0, 64, 65, 66, 69, 70, 73, 74, 75, 78] {
      #expect(ended.lines.contains { $0.hasPrefix("  \(status) ") }, "\(status)")
    }
    #expect(ended.errors == "")
  }

  @Test func `help names the man pages and the completions, on lines of at most 80 columns`() throws {
    let lines = try Program.run("nightjar", ["--help"]).lines
    for text in ["man nightjar-run", "nightjar --generate-completion-script bash"] {
      #expect(lines.contains("  " + text), "\(text)")
    }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `an unknown id gives status 66, and the id is not repeated`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    for verb in ["show", "explain"] {
      let ended = try Program.run(
        "nightjar", [verb, product.pipelineFile, "--work", product.work, "--user", "ADAXQ"])
      expectFailure(ended, status: 66, says: ["id"])
      #expect(!ended.errors.contains("ADAXQ"))
    }
    let candidate = try Program.run(
      "nightjar",
      ["explain", product.pipelineFile, "--work", product.work, "--user", "adaXQ", "--candidate", "ada"])
    expectFailure(candidate, status: 66, says: ["id"])
  }

  @Test func `before the first run, explain and show fail`() throws {
    let product = try SmallProduct()
    let arguments = [product.pipelineFile, "--work", product.work, "--user", "adaXQ"]
    expectFailure(
      try Program.run("nightjar", ["explain"] + arguments), status: 66, says: ["latest", "nightjar run"])
    expectFailure(
      try Program.run("nightjar", ["show"] + arguments), status: 69, says: ["serving.sqlite", "publish"])
    #expect(!FileManager.default.fileExists(atPath: product.directory("serving.sqlite")))
    try #require(try product.run("--until", "rank").ending == .status(0))
    expectFailure(
      try Program.run("nightjar", ["explain"] + arguments), status: 66, says: ["latest", "complete"])
  }
}

/// Expects `status`, no standard output, and a message with all texts of `says`. The message must
/// not contain an id or a position.
func expectFailure(
  _ ended: Program.Finished, status: Int32, says: [String], sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(ended.ending == .status(status), "\(ended.errors)", sourceLocation: sourceLocation)
  #expect(ended.output == "", sourceLocation: sourceLocation)
  for text in says {
    #expect(
      ended.errors.contains(text), "it does not say \(text): \(ended.errors)", sourceLocation: sourceLocation)
  }
  #expect(SmallProduct.secrets(in: ended.errors) == [], "\(ended.errors)", sourceLocation: sourceLocation)
}

extension SmallProduct {
  /// Replaces the export of people with a Firestore export.
  func useFirestore() throws {
    let rows = Self.people.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    let documents = rows.map { row in
      let place =
        row[2].isEmpty
        ? "{\"nullValue\":null}" : "{\"geoPointValue\":{\"latitude\":\(row[2]),\"longitude\":\(row[3])}}"
      return """
        {"name":"projects/x/databases/(default)/documents/people/\(row[0])","fields":{\
        "field":{"stringValue":"\(row[1])"},"location":\(place),\
        "years":\(row[4].isEmpty ? "{\"nullValue\":null}" : "{\"integerValue\":\"\(row[4])\"}"),\
        "gone":{"booleanValue":\(row[5])},"changed":{"timestampValue":"\(row[6])"}}}
        """
    }
    try directory.write(
      "{\"documents\":[\n" + documents.joined(separator: ",\n") + "\n]}\n", to: "people.json")
    try replace("source: { path: people.csv }", by: "source: { path: people.json, format: firestore }")
    try replace(
      "latitude: lat, longitude: lon", by: "latitude: location.latitude, longitude: location.longitude")
  }
}
