import Foundation
import Testing
import TestSupport

/// Tests the options for the dialect of an export with the programs.
struct DialectTests {
  private func ingest(_ product: SmallProduct, _ arguments: [String]) throws -> Program.Finished {
    try Program.run(
      "nightjar", ["run", product.pipelineFile, "--work", product.work, "--until", "ingest"] + arguments)
  }

  private func snapshot(_ product: SmallProduct, _ arguments: [String] = []) throws -> DirectoryContents {
    let ended = try ingest(product, arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return try DirectoryContents(of: product.run(1) + "/snapshot")
  }

  private func inDialect(_ text: String, delimiter: String, quote: String, missing: [String], line: String)
    -> String
  {
    text.split(separator: "\n").map { row in
      row.split(separator: ",", omittingEmptySubsequences: false).enumerated().map { index, field in
        let value = field.isEmpty ? missing[index % missing.count] : String(field)
        return index % 2 == 0 ? quote + value + quote : value
      }.joined(separator: delimiter) + line
    }.joined()
  }

  @Test(arguments: [
    (";", "'", "\n", "delimiter: \";\", quote: \"'\""), ("|", "\"", "\r\n", "delimiter: \"|\""),
    ("\t", "~", "\n", "delimiter: \"\\t\", quote: \"~\""), (":", "\"", "\n", ""), (" ", "/", "\r", ""),
  ]) func `delimiter, quote, missing texts and line ends do not change the snapshot`(
    delimiter: String, quote: String, line: String, written: String
  ) throws {
    let product = try SmallProduct()
    let people = inDialect(
      // With colons, the times would need quotes.
      SmallProduct.people.replacing("2024-01-01T00:00:00Z", with: "1704067200000"), delimiter: delimiter,
      quote: quote, missing: ["NA", "null", "-999", "n/a"].filter { !$0.contains(quote) }, line: line)
    try product.directory.write(people, to: "people.csv")
    let options =
      (written.isEmpty ? "delimiter: \"\(delimiter)\", quote: '\(quote)'" : written)
      + ", missing: [NA, null, -999, \"n/a\"]"
    try product.replace("source: { path: people.csv }", by: "source: { path: people.csv, \(options) }")
    let difference = try snapshot(product).differences(from: snapshot(SmallProduct()))
    #expect(difference == ["manifest.json"])
  }

  @Test func `missing texts apply to JSON too, and only with the setting`() throws {
    let product = try SmallProduct()
    let people = SmallProduct.people.replacing("dinaXQ,Media,", with: "dinaXQ,NA,")
    try product.directory.write(people, to: "people.csv")
    let check = ["check", product.pipelineFile, "--json"]
    func fields(_ ended: Program.Finished) throws -> [String: Any] {
      let report = try #require(
        try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
      let sources = try #require(report["sources"] as? [[String: Any]])
      let columns = try #require(sources[0]["columns"] as? [[String: Any]])
      return try #require(columns.first { $0["name"] as? String == "field" })
    }
    #expect(try fields(Program.run("nightjar", check)).integer("missing") == 1)
    let set = ["--set", "entities.people.source.missing=[NA]"]
    #expect(try fields(Program.run("nightjar", check + set)).integer("missing") == 2)
    try product.useFirestore()
    let documents = try product.directory.text("people.json")
    try product.directory.write(
      documents.replacing("{\"stringValue\":\"Finance\"}", with: "{\"stringValue\":\"NA\"}"),
      to: "people.json")
    #expect(try fields(Program.run("nightjar", check)).integer("missing") == 1)
    #expect(try fields(Program.run("nightjar", check + set)).integer("missing") == 3)
  }

  @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .isoLatin1, .windowsCP1252])
  func `another encoding gives status 65 with the byte`(encoding: String.Encoding) throws {
    let product = try SmallProduct()
    let people = SmallProduct.people.replacing("emilXQ,Finance", with: "emilXQ,Z\u{FC}rich")
    let data = try #require(people.data(using: encoding))
    try product.directory.write(data, to: "people.csv")
    // The first byte that is not ASCII is not valid UTF-8. UTF-16 without a byte order mark has no
    // such byte before the accent.
    let bytes = Array(data)
    let byte = try #require(bytes.firstIndex { $0 >= 0x80 })
    let isWide = [.utf16, .utf16LittleEndian, .utf16BigEndian].contains(encoding)
    for ended in [
      try product.run("--until", "ingest"), try Program.run("nightjar", ["check", product.pipelineFile]),
    ] {
      #expect(ended.ending == .status(65))
      #expect(ended.errors.contains("people.csv"), "\(ended.errors)")
      if !isWide || byte == 0 {
        #expect(ended.errors.contains("byte \(byte): the file must be UTF-8"), "\(ended.errors)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: product.run(1) + "/snapshot"))
  }

  @Test(arguments: [
    (String.Encoding.utf16LittleEndian, "utf-16"), (.utf16, "utf-16"), (.windowsCP1252, "latin1"),
  ])
  func `an encoding that the source names gives the same snapshot`(
    encoding: String.Encoding, name: String
  ) throws {
    let (product, plain) = (try SmallProduct(), try SmallProduct())
    let people = SmallProduct.people.replacing("emilXQ,Finance", with: "emilXQ,Z\u{FC}rich")
    try product.directory.write(try #require(people.data(using: encoding)), to: "people.csv")
    try plain.directory.write(people, to: "people.csv")
    let set = ["--set", "entities.people.source.encoding=\(name)"]
    let difference = try snapshot(product, set).differences(from: snapshot(plain))
    #expect(difference == ["manifest.json"])
  }

  @Test func `a file without a header gives the same snapshot if the source names its columns`() throws {
    let product = try SmallProduct()
    let lines = SmallProduct.people.split(separator: "\n", maxSplits: 1)
    try product.directory.write(String(lines[1]), to: "people.csv")
    let difference = try snapshot(product, ["--set", "entities.people.source.columns=[\(lines[0])]"])
      .differences(from: snapshot(SmallProduct()))
    #expect(difference == ["manifest.json"])
  }

  @Test func `a part without bytes is a part without rows, and an export without bytes is an error`() throws {
    let product = try SmallProduct()
    try product.directory.write("", to: "people-2.csv")
    let parts = ["--set", "entities.people.source.path=[people.csv, people-2.csv]"]
    #expect(try snapshot(product, parts).differences(from: snapshot(SmallProduct())) == ["manifest.json"])
    try product.directory.write("", to: "people.csv")
    let ended = try ingest(product, parts)
    #expect(ended.ending == .status(65) && ended.errors.contains("the file is empty"), "\(ended.errors)")
  }

  @Test func `UTF-8 with a byte order mark is accepted`() throws {
    let product = try SmallProduct()
    try product.directory.write("\u{FEFF}" + SmallProduct.people, to: "people.csv")
    let difference = try snapshot(product).differences(from: snapshot(SmallProduct()))
    #expect(difference == ["manifest.json"])
  }
}
