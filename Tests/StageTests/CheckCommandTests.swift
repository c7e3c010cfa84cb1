import Foundation
import Testing
import TestSupport

@Suite struct CheckCommandTests {
  private func check(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["check", product.pipelineFile, "--work", product.work] + arguments)
  }

  @Test func `check prints the contents of the exports and writes no file`() throws {
    let product = try SmallProduct()
    let before = try DirectoryContents(of: product.directory.path)
    let ended = try check(product)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors == "")
    #expect(try DirectoryContents(of: product.directory.path).differences(from: before) == [])
    #expect(!FileManager.default.fileExists(atPath: product.work))
    #expect(
      ended.output == """
        small, as of 2024-03-06T10:00:00Z, the newest interaction
        newest rows: people 2024-01-01T00:00:00Z, swipes 2024-03-06T10:00:00Z

        people, from people.csv
          8 rows read: 8 kept, 0 rejected
          in 7 cells, 1 without a position

          column     type      missing
          field      category   12.5 %  3 different: Technology 3, Finance 2, Media 2
          gone       flag               12.5 % true (1)
          years      number     12.5 %  1 to 20, median 7, mean 8.143
          updated    time               2024-01-01T00:00:00Z to 2024-01-01T00:00:00Z
          latitude   number     12.5 %  52.49 to 52.54, median 52.51, mean 52.52
          longitude  number     12.5 %  13.39 to 13.44, median 13.41, mean 13.41

        swipes, from swipes.csv
          12 rows read: 12 kept, 0 rejected
          7 users, 6 candidates, a median of 2 and at most 2 per user, 0 repeated pairs

          column  type    missing
          at      time             2024-03-01T10:00:00Z to 2024-03-06T10:00:00Z
          value   number           -1 to 1, median 1, mean 0.5, right (1): 75 %, left (-1): 25 %

        candidates in reach
          ranking   within  users  with none  p10  median  p90
          partners   50 km      7    0 (0 %)    5       5    6  1 without a position

        """)
  }

  @Test func `the JSON of check is reproducible and contains the requested as-of time`() throws {
    let product = try SmallProduct()
    let ended = try check(product, "--json", "--as-of", "2024-03-02T00:00:00Z")
    #expect(ended.ending == .status(0))
    #expect(try check(product, "--json", "--as-of", "2024-03-02T00:00:00Z").output == ended.output)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
    #expect(object["as_of_from"] as? String == "given")
    let sources = try #require(object["sources"] as? [[String: Any]])
    #expect(sources.map { $0["name"] as? String } == ["people", "swipes"])
    #expect(sources[1].integers["later"] == 9)
    #expect(sources[1].integers["kept"] == 3)
  }

  @Test func `check counts as the run does, even while a run holds the lock`() throws {
    let product = try SmallProduct()
    try product.replace("hugoXQ,fritzXQ,left,", by: "hugoXQ,fritzXQ,perhaps,", in: "swipes.csv")
    try #require(try product.run("--until", "ingest").ending == .status(0))
    let lock = open(product.work + "/small/lock", O_RDWR | O_CLOEXEC)
    try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    defer { close(lock) }
    let before = try DirectoryContents(of: product.directory.path)
    let ended = try check(product, "--json")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(try DirectoryContents(of: product.directory.path).differences(from: before) == [])
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
    let manifest = try json(product.run(1) + "/snapshot/manifest.json")
    let counts = manifest.object("counts").object("sources")
    for source in try #require(report["sources"] as? [[String: Any]]) {
      let name = try #require(source["name"] as? String)
      for outcome in ["read", "kept", "merged", "later"] {
        #expect(source.integer(outcome) == counts.object(name).integer(outcome), "\(name) \(outcome)")
      }
      for outcome in ["rejected", "dangling", "not_allowed"] {
        let rows = counts.object(name).object(outcome).integers.values.reduce(0, +)
        #expect(source.integer(outcome) == rows, "\(name) \(outcome)")
      }
    }
  }

  @Test func `too many rejects give status 65, and the report is printed`() throws {
    let product = try SmallProduct()
    try product.replace("hugoXQ,fritzXQ,left,", by: "hugoXQ,fritzXQ,perhaps,", in: "swipes.csv")
    try product.replace("adaXQ,benXQ,right,", by: "adaXQ,benXQ,\u{1B}]0;x\u{7}\u{9B}2J,", in: "swipes.csv")
    let ended = try check(product)
    #expect(ended.ending == .status(65))
    #expect(ended.errors.contains("swipes: 2 of 12 rows of 'swipes.csv' (16.67 %) are rejected"))
    #expect(!ended.errors.contains("rejects.csv"))
    #expect(ended.output.contains("unknown_value  2  line 2   answer  '\\u001b]0;x\\u0007\\u009b2J'"))
    #expect(ended.output.contains("candidates in reach"))
    for scalar in ended.output.unicodeScalars where scalar != "\n" {
      #expect(scalar.properties.generalCategory != .control)
    }
  }

  @Test func `an unreadable export is reported, and so are the others`() throws {
    let product = try SmallProduct()
    try product.replace("from,to,answer,at", by: "from,to,answers\u{1B}[2J,at", in: "swipes.csv")
    let ended = try check(product)
    #expect(ended.ending == .status(65))
    #expect(ended.errors.contains("answer") && !ended.errors.contains("\u{1B}"))
    #expect(ended.output.contains("people, from people.csv"))
    #expect(!ended.output.contains("swipes, from"))
    try FileManager.default.removeItem(atPath: product.directory("swipes.csv"))
    let missing = try check(product, "--json")
    #expect(missing.ending == .status(66))
    #expect(missing.errors.contains("swipes.csv"))
    #expect(try JSONSerialization.jsonObject(with: Data(missing.output.utf8)) is [String: Any])
  }

  @Test func `violated expectations end the run with status 65, and each is reported`() throws {
    let product = try SmallProduct()
    try product.replace(
      "    id: id\n",
      by:
        "    id: id\n    expect: { rows: { drop_at_most: 20 % }, range: { years: [0, 60] }, unique: [[field, years]] }\n"
    )
    // The first run has no earlier run for a comparison, and the output says so.
    let first = try check(product)
    #expect(first.ending == .status(0), "\(first.errors)")
    #expect(first.output.contains("not checked  people  rows.drop_at_most  20 %"))
    #expect(
      first.output.contains("met          people  range.years        [0.0, 60.0]: values from 1.0 to 20.0"))
    try #require(try product.run().ending == .status(0))

    try product.replace(
      "hugoXQ,Technology,52.48897,13.44327,9,", by: "hugoXQ,Technology,52.48897,13.44327,99,",
      in: "people.csv")
    try product.replace("fritzXQ,,52.49786,13.43216,1,false,2024-01-01T00:00:00Z\n", by: "", in: "people.csv")
    try product.replace("gretaXQ,Media,,,5,false,2024-01-01T00:00:00Z\n", by: "", in: "people.csv")
    for id in ["fritzXQ,adaXQ,right", "fritzXQ,dinaXQ,right", "gretaXQ,adaXQ,right"] {
      try product.replace(id, by: "hugoXQ,adaXQ,right", in: "swipes.csv")
    }
    try product.replace("hugoXQ,fritzXQ,left", by: "hugoXQ,adaXQ,left", in: "swipes.csv")
    let violations = [
      "people: expected rows.drop_at_most 20 %, found 6 rows, down from 8 in the last complete run (25 % fewer).",
      "people: expected range.years [0.0, 60.0], found values from 3.0 to 99.0, 1 outside, the first in "
        + "people.csv, line 7.",
    ]
    let before = try DirectoryContents(of: product.directory.path)
    let checked = try check(product)
    #expect(checked.ending == .status(65))
    #expect(checked.output.contains("VIOLATED  people  range.years"))
    for violation in violations { #expect(checked.errors.contains("nightjar: " + violation)) }
    #expect(try DirectoryContents(of: product.directory.path).differences(from: before) == [])

    let ended = try product.run()
    expectFailure(
      ended, status: 65, says: violations + ["the exports violate 2 expectations", "no snapshot was written"])
    let run = product.work + "/small/runs/2"
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run).sorted() == ["run.json"])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/1")
    // A single stage in a run directory also compares with the last run. Elsewhere, there is no
    // last run.
    let stage = try Program.run("nightjar-ingest", [product.pipelineFile, "--run-dir", product.run(3)])
    expectFailure(stage, status: 65, says: violations)
    let elsewhere = try Program.run(
      "nightjar-ingest", [product.pipelineFile, "--run-dir", product.directory("elsewhere")])
    expectFailure(elsewhere, status: 65, says: ["the exports violate 1 expectation", violations[1]])
  }

  @Test func `an invalid pipeline file gives status 78, and an invalid time gives 64`() throws {
    let product = try SmallProduct()
    expectFailure(try check(product, "--as-of", "noon"), status: 64, says: ["--as-of"])
    expectFailure(try check(product, "--set", "rankings.partners.tops=3"), status: 78, says: ["tops"])
  }
}
