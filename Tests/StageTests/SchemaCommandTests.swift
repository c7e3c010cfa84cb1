import Foundation
import Testing
import TestSupport

/// `nightjar schema` describes exports for other tools.
struct SchemaCommandTests {
  @Test func `schema prints a package with paths relative to the working directory`() throws {
    let product = try SmallProduct()
    let ended = try Program.run("nightjar", ["schema", "small.yaml"], in: product.directory.path)
    #expect(ended.ending == .status(0) && ended.errors == "")
    let package = try object(ended.output)
    #expect(package["name"] as? String == "small")
    let resources = try #require(package["resources"] as? [[String: Any]])
    #expect(resources.map { $0["name"] as? String } == ["people", "swipes"])
    #expect(resources.map { $0["path"] as? String } == ["people.csv", "swipes.csv"])
    let swipes = try #require(resources[1]["schema"] as? [String: Any])
    let fields = try #require(swipes["fields"] as? [[String: Any]])
    #expect(fields.map { $0["name"] as? String } == ["from", "to", "answer", "at"])
    #expect(fields[2].object("constraints")["enum"] as? [String] == ["left", "right"])
    #expect((swipes["foreignKeys"] as? [Any])?.count == 2)
    // In another working directory, only the paths differ.
    let elsewhere = try Program.run("nightjar", ["schema", product.pipelineFile])
    let people = product.directory("people.csv")
    #expect(elsewhere.output.contains("\"\(people)\""))
    #expect(elsewhere.output.replacing(product.directory.path + "/", with: "") == ended.output)
  }

  @Test func `for a single source, schema prints its Table Schema with the overrides applied`() throws {
    let product = try SmallProduct()
    let ended = try Program.run(
      "nightjar",
      [
        "schema", product.pipelineFile, "--source", "people", "--set",
        "entities.people.expect={ range: { years: [0, 60] } }", "--set",
        "entities.people.source.missing=[NA]",
      ])
    #expect(ended.ending == .status(0) && ended.errors == "")
    let schema = try object(ended.output)
    #expect(schema["missingValues"] as? [String] == ["", "NA"])
    let fields = try #require(schema["fields"] as? [[String: Any]])
    let years = try #require(fields.first { $0["name"] as? String == "years" })
    #expect(years.object("constraints").integers == ["minimum": 0, "maximum": 60])
  }

  @Test func `schema needs no export and starts no program`() throws {
    let product = try SmallProduct()
    for name in ["people.csv", "swipes.csv"] {
      try FileManager.default.removeItem(atPath: product.directory(name))
    }
    let ended = try Program.run("nightjar", ["schema", product.pipelineFile])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(product.directory.files == ["small.yaml"])
  }

  @Test func `a missing source gives status 64 and names the existing ones`() throws {
    let product = try SmallProduct()
    let ended = try Program.run("nightjar", ["schema", product.pipelineFile, "--source", "person"])
    expectFailure(ended, status: 64, says: ["'person'", "people, swipes"])
    expectFailure(try Program.run("nightjar", ["schema"]), status: 64, says: ["Usage: nightjar schema"])
  }

  @Test(arguments: [
    ("{ path: people.csv }", "{ path: people.csv, delimeter: x }", ["small.yaml:7:", "'delimiter'"]),
    ("{ path: people.csv }", "{ path: people }", ["small.yaml:7:", "format", "'people'"]),
    ("{ path: people.csv }", "{ path: people.json, quote: x }", ["small.yaml:7:", "csv and tsv"]),
    (
      "    user: from", "    expect: { range: { valeu: [0, 1] } }\n    user: from",
      ["small.yaml:18:", "'value'"]
    ),
  ]) func `a mistake in a source or an expectation gives status 78`(old: String, new: String, says: [String])
    throws
  {
    let product = try SmallProduct()
    try product.replace(old, by: new)
    expectFailure(try Program.run("nightjar", ["schema", product.pipelineFile]), status: 78, says: says)
  }

  @Test func `a missing pipeline file gives status 66`() throws {
    let product = try SmallProduct()
    expectFailure(
      try Program.run("nightjar", ["schema", product.directory("none.yaml")]), status: 66, says: ["none.yaml"]
    )
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }
}
