import Concurrency
import Foundation
import Testing
import TestSupport

/// Runs `nightjar check` and ingest on damaged exports. Neither may crash, every row must be
/// counted, and no output may control the terminal.
struct HostileCheckTests {
  /// Bytes with a special meaning in CSV, in JSON or on a terminal.
  private static let nasty: [[UInt8]] = [
    [0], [0x1B, 0x5B, 0x32, 0x4A], [0x22], [0x2C], [0x0A], [0x0D], [0x5C], [0xFF], [0xC2, 0x9B],
    [0xE2, 0x80, 0xAE], [0x7B], [0x7D], [0x5B], [0x2D], Array("1e999".utf8), Array("\\ud800".utf8),
    [0xEF, 0xBB, 0xBF],
  ]

  private static func damaged(_ bytes: [UInt8], using random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      let nasty = Self.nasty[Int.random(in: 0..<Self.nasty.count, using: &random)]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.insert(contentsOf: nasty, at: place)
      case 1: bytes.replaceSubrange(place..<min(bytes.count, place + nasty.count), with: nasty)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
      default: bytes.insert(contentsOf: bytes.prefix(Int.random(in: 0...200, using: &random)), at: place)
      }
    }
    return bytes
  }

  @Test(arguments: ["people.csv", "people.json", "swipes.csv"], 0..<12 as Range<UInt64>)
  func `damaged exports are reported or rejected, and every row is counted`(name: String, seed: UInt64)
    throws
  {
    let product = try SmallProduct()
    if name == "people.json" { try product.useFirestore() }
    try product.replace("reject_limit: 10 %", by: "reject_limit: 100 %")
    var random = SplitMix64(seed: seed)
    let bytes = Self.damaged(try product.directory.bytes(name), using: &random)
    try product.directory.write(bytes, to: name)
    let check = ["check", product.pipelineFile, "--as-of", "2024-12-31"]
    let report = try Program.run("nightjar", check + ["--json"])
    let text = try Program.run("nightjar", check)
    let ingested = try product.run("--until", "ingest", "--as-of", "2024-12-31")
    for ended in [report, text, ingested] {
      #expect([.status(0), .status(65)].contains(ended.ending), "\(ended.ending): \(ended.errors)")
      #expect(ended.ending == ingested.ending)
      expectHarmless(ended.output)
      expectHarmless(ended.errors)
    }
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
    let sources = try #require(object["sources"] as? [[String: Any]])
    for source in sources { expectAccounted(source) }
    guard ingested.ending == .status(0) else {
      #expect((object["problems"] as? [Any])?.isEmpty == false)
      #expect(!FileManager.default.fileExists(atPath: product.run(1) + "/snapshot"))
      return
    }
    #expect(sources.count == 2)
    let counts = try json(product.run(1) + "/snapshot/manifest.json").object("counts").object("sources")
    for source in sources {
      let counts = counts.object(try #require(source["name"] as? String))
      for outcome in ["read", "kept", "merged", "later"] {
        #expect(source.integer(outcome) == counts.integer(outcome))
      }
      for outcome in ["rejected", "dangling", "not_allowed"] {
        #expect(source.integer(outcome) == counts.object(outcome).integers.values.reduce(0, +))
      }
    }
  }

  @Test func `messages of a run contain no control sequences`() throws {
    let product = try SmallProduct()
    try product.replace("id,field,lat", by: "id,f\u{1B}]0;gone\u{7}eld\u{202E},lat", in: "people.csv")
    for arguments in [
      ["run", product.pipelineFile, "--work", product.work], ["check", product.pipelineFile],
    ] {
      let ended = try Program.run("nightjar", arguments)
      #expect(ended.ending == .status(65))
      #expect(ended.errors.contains("f\\u001b]0;gone\\u0007eld\\u202e"), "\(ended.errors)")
      expectHarmless(ended.errors)
    }
  }
}
