import Foundation
import Testing
import TestSupport

/// Tests the commands for analysts and the options of a run. Eight people have lists that can be
/// verified by hand.
struct CommandTests {
  /// Returns a product after one run.
  private func served(_ arguments: String...) throws -> SmallProduct {
    let product = try SmallProduct()
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.work] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return product
  }

  private func nightjar(_ verb: String, _ product: SmallProduct, _ arguments: String...) throws
    -> Program.Finished
  {
    try Program.run("nightjar", [verb, product.pipelineFile, "--work", product.work] + arguments)
  }

  private func candidates(_ product: SmallProduct, _ user: String) throws -> [String] {
    let ended = try nightjar("show", product, "--user", user, "--json")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return try RankingsFiles.Line(json: ended.output).recommendations.map(\.candidate)
  }

  // MARK: Run

  @Test(arguments: [
    ("rnu", "unknown command 'rnu'; did you mean 'run'?"),
    ("fti", "unknown command 'fti'; did you mean 'fit'?"),
    ("Report", "unknown command 'Report'; did you mean 'report'?"),
    ("pipelines/fusion.yaml", "unknown command 'pipelines/fusion.yaml'\n"),
    ("\u{1B}[31m", "unknown command '\\u001b[31m'\n"), ("", "unknown command ''"),
  ])
  func `an unknown command gives status 64 and the most similar name`(_ name: String, _ message: String)
    throws
  {
    let ended = try Program.run("nightjar", [name, "x.yaml", "--work", "var"])
    #expect(ended.ending == .status(64) && ended.output == "")
    #expect(ended.errors.contains(message), "\(ended.errors)")
  }

  @Test(arguments: [
    (["geohash", "encde", "1", "2"], "unknown command 'encde'; did you mean 'encode'?"),
    (["help", "rnu"], "unknown command 'rnu'; did you mean 'run'?"),
    (["help", "geohash", "encde"], "unknown command 'encde'; did you mean 'encode'?"),
    (["show", "--usr", "x"], "Unknown option '--usr'. Did you mean '--user'?"),
    (["erase", "--usr=x"], "Unknown option '--usr'. Did you mean '--user'?"),
    (["run", "--evalute"], "Unknown option '--evalute'. Did you mean '--evaluate'?"),
    (
      ["geohash", "encode", "1", "--precison", "4"],
      "Unknown option '--precison'. Did you mean '--precision'?"
    ),
    // The value of an option with an id is not an option.
    (["show", "--user", "--usr", "--key", "k"], "--catalog and --key require each other."),
  ])
  func `a misspelled command or option gives status 64 and the most similar name`(
    _ arguments: [String], _ message: String
  ) throws {
    let ended = try Program.run("nightjar", arguments)
    #expect(ended.ending == .status(64) && ended.output == "")
    #expect(ended.errors.contains(message), "\(ended.errors)")
  }

  @Test func `help for a command, and for a command of a command, is not an error`() throws {
    for arguments in [["help", "run"], ["help", "geohash", "encode"], ["help"], ["geohash"]] {
      let ended = try Program.run("nightjar", arguments)
      #expect(ended.ending == .status(0) && ended.output.contains("USAGE: nightjar"), "\(arguments)")
    }
  }

  @Test func `without a pipeline file, names are completed from the pipelines in the work directory`() throws
  {
    let product = try served("--until", "rank")
    let elsewhere = try ScratchDirectory()
    func completions(_ words: String..., in directory: String? = nil) throws -> String {
      let request = ["---completion", "show", "--", "--list", "\(words.count + 3)", "0", "nightjar", "show"]
      return try Program.run("nightjar", request + words + ["--list", ""], in: directory ?? elsewhere.path)
        .output
    }
    #expect(try completions("--user", "x", in: product.directory.path) == "", "no run is complete")
    try #require(try product.run().ending == .status(0))
    #expect(try completions("--user", "x", in: product.directory.path) == "partners\n")
    #expect(try completions("--user", "x") == "", "another directory has no runs")
    #expect(try completions("--work", product.work) == "partners\n")
    #expect(try completions("--work=" + product.work) == "partners\n")
    #expect(try completions("--work", "=", product.work) == "partners\n")
    #expect(try completions(product.pipelineFile) == "partners\n")
  }

  @Test func `run prints its directory and reports every stage with counts and seconds`() throws {
    let product = try SmallProduct()
    try product.replace(
      "fritzXQ,dinaXQ,right,2024-03-04T11:00:00Z", by: "fritzXQ,dinaXQ,maybe,2024-03-04T11:00:00Z",
      in: "swipes.csv")
    let ended = try product.run()
    #expect(ended.output == product.run(1) + "\n")
    let lines = ended.errors.split(separator: "\n")
    for stage in ["ingest", "index", "fit", "rank", "publish"] {
      #expect(lines.contains { $0.contains(stage) && $0.hasSuffix("started") })
      #expect(
        lines.contains { $0.contains(/^  [a-z]+ +\d+\.\d s  \S/) && $0.contains(stage) }, "\(ended.errors)")
    }
    #expect(ended.errors.contains("as of 2024-03-06T10:00:00Z"))
    #expect(ended.errors.contains("8 people, 11 swipes"))
    #expect(ended.errors.contains("1 rejected by 1 rule"))
    #expect(ended.errors.contains("1 unknown_value"))
    #expect(
      !ended.errors.contains("\u{1B}") && !ended.errors.contains("\r"), "nothing is drawn without a terminal")
    #expect(SmallProduct.secrets(in: ended.errors) == [])
  }

  @Test(arguments: [
    ("ingest", ["snapshot"]), ("index", ["index", "snapshot"]), ("fit", ["index", "models", "snapshot"]),
    ("rank", ["index", "models", "rankings", "snapshot"]),
  ]) func `--until ends after that stage`(stage: String, directories: [String]) throws {
    let product = try served("--until", stage)
    let names = try FileManager.default.contentsOfDirectory(atPath: product.run(1)).sorted()
    #expect(names == (directories + ["run.json"]).sorted())
    #expect(!FileManager.default.fileExists(atPath: product.work + "/small/latest"))
    #expect(!FileManager.default.fileExists(atPath: product.directory("serving.sqlite")))
    #expect(try json(product.run(1) + "/run.json")["complete"] as? Bool == false)
  }

  @Test func `--until publish runs all stages`() throws {
    let product = try served("--until", "publish")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/1")
    #expect(try json(product.run(1) + "/run.json")["complete"] as? Bool == true)
  }

  @Test func `stages run by hand write the same files as run`() throws {
    let product = try served()
    let alone = product.directory("alone")
    try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
    let stages = [("ingest", "snapshot"), ("index", "index"), ("fit", "models"), ("rank", "rankings")]
    for (stage, name) in stages {
      let ended = try Program.run("nightjar-" + stage, [product.pipelineFile, "--run-dir", alone])
      #expect(ended.ending == .status(0), "\(ended.errors)")
      #expect(ended.output == "\(alone)/\(name)\n")
      #expect(ended.errors.hasPrefix("  \(stage)"))
      #expect(ended.errors.contains(" started\n  \(stage) "))
      let difference = try DirectoryContents(of: "\(alone)/\(name)")
        .differences(from: DirectoryContents(of: "\(product.run(1))/\(name)"))
      #expect(difference == [], "\(stage)")
    }
    let published = try Program.run(
      "nightjar-publish", [product.pipelineFile, "--run-dir", alone, "--quiet", "--force"])
    #expect(published.ending == .status(0) && published.errors == "")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(published.output.utf8)) as? [String: Any])
    #expect(report.integer("generation") == 2 && report.integer("kept") == 2)
    #expect(report.object("rows").integers == ["partners": 8, "matches": 2])
  }

  @Test func `generations and runs are kept as configured`() throws {
    let product = try SmallProduct()
    try product.replace("seed: 7", by: "seed: 7\nkeep_runs: 2")
    for number in 1...4 {
      // Each run has other lists, because equal lists would not be published again.
      let ended = try product.run("--set", "rankings.partners.top=\(number)")
      try #require(ended.ending == .status(0), "\(ended.errors)")
      #expect(ended.errors.contains("generation \(number) in"))
      #expect(ended.errors.contains("\(min(number, 3)) kept"))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: product.work + "/small/runs").sorted() == [
        "3", "4",
      ])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/4")
  }

  @Test func `--as-of with a time in the middle excludes and counts later rows`() throws {
    let product = try served("--as-of", "2024-03-03T10:30:00Z")
    let manifest = try json(product.run(1) + "/snapshot/manifest.json")
    let swipes = manifest.object("counts").object("sources").object("swipes")
    #expect(swipes.integer("read") == 12 && swipes.integer("kept") == 6 && swipes.integer("later") == 6)
    #expect(manifest.object("as_of")["utc"] as? String == "2024-03-03T10:30:00Z")
    #expect(manifest.object("counts")["as_of_from"] as? String == "given")
    // Hugo has not swiped yet, so his list is ordered by distance. It excludes only Hugo and the
    // deleted person.
    let hugo = try nightjar("show", product, "--user", "hugoXQ", "--json")
    let list = try RankingsFiles.Line(json: hugo.output)
    let others = ["adaXQ", "benXQ", "cleoXQ", "dinaXQ", "fritzXQ"]
    #expect(list.recommendations.map(\.candidate) == (try others.sortedByDistance(from: "hugoXQ")))
    #expect(list.recommendations.allSatisfy { $0.score == nil && $0.reasons.isEmpty })
    #expect(list.shortfall == "none_in_radius")
  }

  @Test func `--as-of accepts a date and an offset`() throws {
    let date = try served("--as-of", "2024-03-03", "--until", "ingest")
    let offset = try served("--as-of", "2024-03-03T01:00:00+01:00", "--until", "ingest")
    let times = try [date, offset].map {
      try json($0.run(1) + "/snapshot/manifest.json").object("as_of")["utc"] as? String
    }
    #expect(times == ["2024-03-03T00:00:00Z", "2024-03-03T00:00:00Z"])
  }

  @Test func `with as_of newest, the newest swipe that is not in the future is the as-of time`() throws {
    let product = try SmallProduct()
    try product.replace(
      "adaXQ,benXQ,right,2024-03-01T10:00:00Z", by: "adaXQ,benXQ,right,2099-03-01T10:00:00Z", in: "swipes.csv"
    )
    try #require(try product.run("--until", "ingest", "--set", "later_limit=20 %").ending == .status(0))
    let manifest = try json(product.run(1) + "/snapshot/manifest.json")
    #expect(manifest.object("as_of")["utc"] as? String == "2024-03-06T10:00:00Z")
    #expect(manifest.object("counts")["as_of_from"] as? String == "newest_interaction")
    #expect(manifest.object("counts").object("sources").object("swipes").integer("later") == 1)
  }

  @Test func `--set changes one value, and the manifest records it`() throws {
    let product = try served("--set", "rankings.partners.top=1", "--set", "seed=9")
    let lines = try RankingsFiles(product.run(1) + "/rankings", list: "partners").lines
    #expect(lines.allSatisfy { $0.recommendations.count <= 1 })
    #expect(lines.contains { $0.recommendations.count == 1 && $0.shortfall == nil })
    let configuration = try json(product.run(1) + "/rankings/manifest.json").object("configuration")
    #expect(configuration.object("rankings").object("partners").integer("top") == 1)
    #expect(configuration.integer("seed") == 9)
  }

  @Test func `runs under another --work are separate`() throws {
    let product = try served()
    let other = product.directory("elsewhere/deep")
    let ended = try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", other, "--until", "rank"])
    #expect(ended.output == other + "/small/runs/1\n")
    #expect(!FileManager.default.fileExists(atPath: product.run(2)))
  }

  @Test func `paths in the pipeline file are relative to the file`() throws {
    let product = try SmallProduct()
    let elsewhere = try ScratchDirectory()
    let ended = try Program.run("nightjar", ["run", product.pipelineFile], in: elsewhere.path)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.output == "var/small/runs/1\n")
    #expect(FileManager.default.fileExists(atPath: elsewhere("var/small/latest/rankings/_SUCCESS")))
    #expect(FileManager.default.fileExists(atPath: product.directory("serving.sqlite")))
    // `var` contains only one pipeline, so its name is optional.
    let shown = try Program.run("nightjar", ["show", "--user", "adaXQ"], in: elsewhere.path)
    #expect(shown.ending == .status(0), "\(shown.errors)")
    let explained = try Program.run("nightjar", ["explain", "--user", "adaXQ"], in: elsewhere.path)
    #expect(explained.ending == .status(0), "\(explained.errors)")
  }

  // MARK: Lists by hand

  @Test func `the eight lists equal a calculation by hand`() throws {
    let product = try served()
    // Ada decided on Ben and Cleo, and Emil is deleted. No person passed on Ada.
    #expect(Set(try candidates(product, "adaXQ")).isSubset(of: ["dinaXQ", "fritzXQ", "hugoXQ"]))
    // Dina passed on Ben. Ben decided on Ada and Dina.
    #expect(Set(try candidates(product, "benXQ")) == ["cleoXQ", "fritzXQ", "hugoXQ"])
    // Ada passed on Cleo, so Cleo's list lacks Ada.
    #expect(Set(try candidates(product, "cleoXQ")) == ["benXQ", "dinaXQ", "fritzXQ", "hugoXQ"])
    // Hugo passed on Fritz, so Fritz's list lacks Hugo.
    #expect(Set(try candidates(product, "fritzXQ")) == ["benXQ", "cleoXQ"])
    // Greta has no position and is on no list. Emil is deleted but still has a list.
    #expect(try candidates(product, "gretaXQ") == [])
    #expect(
      try candidates(product, "emilXQ")
        == ["benXQ", "adaXQ", "fritzXQ", "hugoXQ", "cleoXQ", "dinaXQ"].sortedByDistance(from: "emilXQ"))
    let matches = try rows(ofCSV: product.run(1) + "/rankings/matches.csv")
    #expect(
      matches == [
        ["user_id", "other_user_id", "matched_at"], ["adaXQ", "benXQ", "2024-03-01T11:00:00Z"],
        ["dinaXQ", "hugoXQ", "2024-03-05T11:00:00Z"],
      ])
  }

  // MARK: Show

  @Test func `show prints the person, the list and the matches`() throws {
    let product = try served()
    let ended = try nightjar("show", product, "--user", "benXQ")
    #expect(ended.ending == .status(0) && ended.errors == "")
    #expect(ended.lines.first == "benXQ, Finance")
    #expect(
      ended.lines.dropFirst().prefix(4).map { $0.split(separator: " ").first ?? "" } == [
        "rank", "1", "2", "3",
      ])
    #expect(ended.lines.contains { $0.contains(" km") })
    #expect(ended.lines.contains("  matches: 1"))
    #expect(
      ended.lines.contains { $0.hasPrefix("  no more: ") }, "why the list is short, without telling of a veto"
    )
    let top = try nightjar("show", product, "--user", "benXQ", "--top", "1")
    // Columns are as wide as their contents.
    let words = [top, ended].map { $0.lines.map { $0.split(separator: " ") } }
    #expect(words[0] == words[1].prefix(3) + [["matches:", "1"]])
    #expect(
      try nightjar("show", product, "--user", "gretaXQ").output.contains(
        "empty: the user's position is unknown"))
  }

  @Test func `show --json prints the line of the rankings file`() throws {
    let product = try served()
    let text = try String(
      contentsOfFile: product.run(1) + "/rankings/partners/part-00000.jsonl", encoding: .utf8)
    for (id, line) in zip(SmallProduct.ids, text.split(separator: "\n")) {
      #expect(try nightjar("show", product, "--user", id, "--json").output == line + "\n")
      #expect(
        try nightjar("show", product, "--user", id, "--json", "--list", "partners").output == line + "\n")
    }
  }

  @Test func `show of an unknown list gives status 64 and names the existing ones`() throws {
    let product = try served()
    expectFailure(
      try nightjar("show", product, "--user", "adaXQ", "--list", "partner"), status: 64,
      says: ["'partner'", "partners"])
    expectFailure(
      try nightjar("show", product, "--user", "adaXQ", "--top", "0"), status: 64, says: ["--top", "0"])
  }

  @Test func `show reads the store, not the run directories`() throws {
    let product = try served()
    let before = try nightjar("show", product, "--user", "adaXQ").output
    try FileManager.default.removeItem(atPath: product.work)
    #expect(try nightjar("show", product, "--user", "adaXQ").output == before)
  }

  // MARK: Explain

  @Test func `explain prints coefficients in original units that give the list's score`() throws {
    let product = try served()
    let model = try Explanation(nightjar("explain", product, "--user", "dinaXQ", "--json"))
    // Dina's first swipe was on the field Finance, so Finance is the reference category and has no
    // coefficient.
    #expect(
      model.terms.map(\.column) == [
        "(intercept)", "field=Finance", "field=Technology", "latitude", "longitude", "years",
      ])
    #expect(model.terms[1].coefficient == 0)
    #expect(model.interactions == 2 && model.base == 0)
    let line = try RankingsFiles.Line(json: nightjar("show", product, "--user", "dinaXQ", "--json").output)
    let adas = try #require(line.recommendations.first { $0.candidate == "adaXQ" })
    let cell = PlainGeodesy.cell(latitude: 52.51231, longitude: 13.38761, precision: 6)
    let features = [1, 0, 1, cell.latitude, cell.longitude, 12]
    let score = zip(model.terms, features).reduce(0) { $0 + ($1.0.coefficient ?? .nan) * $1.1 }
    #expect(abs(score - (adas.score ?? .nan)) < 1e-9)

    let text = try nightjar("explain", product, "--user", "dinaXQ")
    #expect(text.lines.contains { $0.hasPrefix("field=Technology ") && $0.contains(" 0.500000") })
    #expect(text.lines.contains { $0 == "interactions  2" })
  }

  @Test func `explain of a prediction names distance and every term`() throws {
    let product = try served()
    let ended = try nightjar("explain", product, "--user", "dinaXQ", "--candidate", "adaXQ")
    let cells = ended.lines.filter { !$0.isEmpty }.map { $0.split(separator: " ").map(String.init) }
    let names = cells.map { $0[0] }
    // The mean of Hugo's and Ben's positions is southeast of Ada's position, and Ada has more years
    // than both.
    #expect(
      names == [
        "distance_km", "term", "(base)", "field=Technology", "latitude=north", "longitude=west",
        "years=high",
        "(score)",
      ])
    let numbers = cells.dropFirst(2).compactMap { Double($0[1]) }
    try #require(numbers.count == 6)
    #expect(abs(numbers.dropLast().reduce(0, +) - numbers[5]) < 5e-6, "each number has six decimals")
  }

  @Test func `explain reports that a user has not swiped`() throws {
    let product = try served()
    let ended = try nightjar("explain", product, "--user", "emilXQ")
    #expect(ended.ending == .status(0) && ended.output == "")
    #expect(ended.errors.contains("no model"))
    #expect(try nightjar("explain", product, "--user", "emilXQ", "--json").output == "null\n")
  }

  @Test func `a run that is not kept gives status 66 and names the kept ones`() throws {
    let product = try served()
    expectFailure(
      try nightjar("explain", product, "--user", "adaXQ", "--run", "7"), status: 66, says: ["7", "1"])
    #expect(try nightjar("explain", product, "--user", "adaXQ", "--run", "1").ending == .status(0))
  }
}

extension [String] {
  /// Returns the ids of the small product, ordered by the distance of their cells.
  fileprivate func sortedByDistance(from origin: String) throws -> [String] {
    let cells = Dictionary(
      uniqueKeysWithValues: SmallProduct.people.split(separator: "\n").compactMap { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        return Double(fields[2]).flatMap { latitude in
          Double(fields[3]).map {
            (String(fields[0]), PlainGeodesy.cell(latitude: latitude, longitude: $0, precision: 6))
          }
        }
      })
    let center = try #require(cells[origin])
    let distances = try map { PlainGeodesy.kilometers(center, try #require(cells[$0])) }
    return indices.sorted { distances[$0] < distances[$1] }.map { self[$0] }
  }
}
