import Foundation
import Testing
import TestSupport

/// Runs the programs on compressed exports that are truncated, damaged or decompression bombs.
struct CompressedExportTests {
  static let tools = ["gzip", "zstd"].filter { Command.path(of: $0) != nil }

  /// Returns a product whose export of swipes is `text`, compressed with `tool`.
  private func product(_ text: String, _ tool: String) throws -> (SmallProduct, Data) {
    let product = try SmallProduct()
    try product.directory.write(text, to: "swipes.csv")
    let path = try compress(product.directory("swipes.csv"), by: tool)
    let name = URL(filePath: path).lastPathComponent
    try product.replace("source: { path: swipes.csv }", by: "source: { path: \(name) }")
    return (product, try Data(contentsOf: URL(filePath: path)))
  }

  private func name(_ tool: String) -> String { tool == "zstd" ? "swipes.csv.zst" : "swipes.csv.gz" }

  /// The rows exceed the buffer of a decompressor, and no two rows are equal.
  private static let long =
    "from,to,answer,at\n"
    + (0..<40_000).map { index in
      "benXQ,dinaXQ,\(index % 3 == 0 ? "left" : "right"),2024-03-02T10:\(10 + index % 50):00.\(index % 1000)Z\n"
    }.joined()

  @Test(arguments: tools) func `a compressed export reads as its content`(tool: String) throws {
    let (product, _) = try product(SmallProduct.swipes, tool)
    let whole = try SmallProduct()
    for product in [product, whole] {
      try #require(try product.run("--until", "ingest").ending == .status(0))
    }
    let difference = try DirectoryContents(of: product.run(1) + "/snapshot")
      .differences(from: DirectoryContents(of: whole.run(1) + "/snapshot"))
    #expect(difference == ["manifest.json"])
  }

  @Test(arguments: tools) func `an export truncated anywhere gives status 65 with the byte and no snapshot`(
    tool: String
  )
    throws
  {
    let (product, bytes) = try product(Self.long, tool)
    for length in [0, 1, 5, 9, 17, bytes.count / 2, bytes.count - 9, bytes.count - 1] {
      try product.directory.write(bytes.prefix(length), to: name(tool))
      let ended = try Program.run(
        "nightjar-ingest", [product.pipelineFile, "--run-dir", product.directory("run-\(length)")])
      expectFailure(
        ended, status: 65, says: [name(tool) + ": compressed byte ", "export or copy the file again"])
      let match = try #require(ended.errors.firstMatch(of: /compressed byte (\d+)/))
      #expect(try #require(Int(match.1)) <= length, "\(ended.errors)")
      #expect(!product.directory.exists("run-\(length)/snapshot"))
    }
    #expect(try product.run().ending == .status(65))
    #expect(!FileManager.default.fileExists(atPath: product.work + "/small/latest"))
  }

  @Test(arguments: tools) func `a wrong byte gives status 65`(tool: String) throws {
    let (product, bytes) = try product(Self.long, tool)
    for place in [bytes.count / 3, bytes.count - 2] {
      var damaged = bytes
      damaged[place] ^= 0x55
      try product.directory.write(damaged, to: name(tool))
      let ended = try product.run("--until", "ingest")
      #expect(ended.ending == .status(65) && ended.errors.contains("compressed byte"), "\(ended.errors)")
      let checked = try Program.run("nightjar", ["check", product.pipelineFile, "--json"])
      #expect(checked.ending == .status(65) && checked.errors.contains("compressed byte"))
      #expect(try JSONSerialization.jsonObject(with: Data(checked.output.utf8)) is [String: Any])
    }
  }

  // MARK: Bombs

  @Test(arguments: tools) func `a decompression bomb is stopped by either limit, which the message names`(
    tool: String
  )
    throws
  {
    // The file has 48 MB. gzip compresses it to about 1/1000, and Zstandard compresses it further.
    let bomb = SmallProduct.swipes + String(repeating: "\n", count: 48 << 20)
    let (product, _) = try product(bomb, tool)
    func run(_ settings: String...) throws -> Program.Finished {
      let set = settings.flatMap { ["--set", "interactions.swipes.source." + $0] }
      return try Program.run(
        "nightjar", ["run", product.pipelineFile, "--work", product.work, "--until", "ingest"] + set)
    }
    let byRatio = tool == "gzip" ? try run("max_ratio=500") : try run()
    let byBytes = try run("max_ratio=1000000", "max_expanded=2 MB")
    for (ended, limit) in [(byRatio, "(max_ratio)"), (byBytes, "more than 2 000 000 bytes (max_expanded)")] {
      #expect(ended.ending == .status(65), "\(ended.errors)")
      #expect(ended.errors.contains(name(tool) + ": compressed byte ") && ended.errors.contains(limit))
    }
    for number in 1...2 {
      #expect(!FileManager.default.fileExists(atPath: product.run(number) + "/snapshot"))
    }
    // With a larger limit, the file is accepted, because blank lines are not rows.
    let ended = try run("max_ratio=1000000")
    #expect(ended.ending == .status(0) && ended.errors.contains("12 swipes"), "\(ended.errors)")
  }
}
