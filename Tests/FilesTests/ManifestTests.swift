import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Files
@testable import Text

@Suite struct ManifestTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private static let configurations: [JSONValue] = [
    .null, .boolean(true), .integer(.max), .integer(.min), .number(0.1), .number(1e300), .number(-2.5e-10),
    .string("é\u{0}\"\\/"), .array([]), .array([.null, .integer(1), .boolean(false), .string("1")]),
    .object([:]),
    ["a": ["b": .array([1, "x", .number(0.5)])], "": 0],
  ]

  @Test(arguments: configurations) func `any value round-trips`(value: JSONValue) throws {
    let data = Data(value.pretty)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
  }

  @Test func `a manifest round-trips`() throws {
    var manifest = Manifest(
      tool: "nightjar 1", stage: "snapshot", pipeline: "p", configuration: .array(Self.configurations),
      asOf: Instant(milliseconds: -1), seed: .max,
      inputs: [FileDigest(path: "../x.csv", bytes: 3, sha256: "ab", rows: 1)],
      counts: ["sources": ["users": ["read": 3]]], parents: ["index": "cd"])
    manifest.outputs = [FileDigest(path: "y", bytes: 0, sha256: "ef")]
    try scratch.write(manifest.json, to: "s/manifest.json")
    #expect(try Manifest(of: scratch("s")) == manifest)
    let text = try scratch.text("s/manifest.json")
    #expect(text.contains("\"utc\" : \"1969-12-31T23:59:59.999Z\""))
    #expect(text.hasSuffix("}\n"))
  }

  @Test func `each member of a manifest has its own key`() throws {
    var manifest = Manifest(
      tool: "nightjar 1", stage: "snapshot", pipeline: "p", configuration: ["k": 1],
      asOf: Instant(milliseconds: 7), seed: 9,
      inputs: [FileDigest(path: "../x.csv", bytes: 3, sha256: "ab", rows: 1)],
      counts: ["read": 3], parents: ["index": "cd"])
    manifest.outputs = [FileDigest(path: "y", bytes: 4, sha256: "ef")]
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(manifest.json))
    let expected: [String: JSONValue] = [
      "tool": "nightjar 1", "stage": "snapshot", "pipeline": "p", "configuration": ["k": 1], "seed": 9,
      "counts": ["read": 3], "parents": ["index": "cd"],
      "inputs": .array([["path": "../x.csv", "bytes": 3, "sha256": "ab", "rows": 1]]),
      "outputs": .array([["path": "y", "bytes": 4, "sha256": "ef"]]),
    ]
    for (key, value) in expected { #expect(json[key] == value, "\(key)") }
    #expect(json["as_of"]?["milliseconds"] == 7)
    #expect(Set(json.members.keys) == Set(expected.keys).union(["as_of"]))
  }

  @Test(arguments: [0, 1, -1] as [Int64])
  func `an as-of time whose differences could overflow counts as damage`(beyond: Int64) throws {
    for sign in [1, -1] as [Int64] {
      var manifest = Manifest.plain
      manifest.asOf = Instant(milliseconds: sign * (1 << 58 + beyond))
      try scratch.write(manifest.json, to: "s/manifest.json")
      if beyond <= 0 {
        #expect(try Manifest(of: scratch("s")).asOf == manifest.asOf)
      } else {
        let error = #expect(throws: FileError.self) { _ = try Manifest(of: scratch("s")) }
        #expect(error?.reason == "its as-of time is out of range, so the run is damaged")
      }
    }
  }

  @Test func `a manifest with checksums must have its own checksum`() throws {
    var manifest = Manifest.plain
    let bytes: [UInt8] = [1]
    manifest.outputs = [
      FileDigest(path: "y", bytes: 1, sha256: "ef", crc32c: BlockChecksums(of: bytes.span.bytes))
    ]
    let text = String(decoding: manifest.json, as: UTF8.self)
    #expect(text.hasPrefix("{\n  \"checksum\" : \""))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    try scratch.write((lines.prefix(1) + lines.dropFirst(2)).joined(separator: "\n"), to: "s/manifest.json")
    let error = #expect(throws: FileError.self) { _ = try Manifest(of: scratch("s")) }
    #expect(error?.reason == "its first member is not 'checksum', so the run is damaged")
  }

  @Test func `a manifest of another version is an error with advice`() throws {
    try scratch.write("{\"tool\":\"t\"}", to: "s/manifest.json")
    let error = try #require(throws: FileError.self) { _ = try Manifest(of: scratch("s")) }
    #expect(error.operation == .read && error.path == scratch("s/manifest.json"))
    #expect(error.reason.hasPrefix("this version cannot read it as a manifest: the key '"))
    #expect(
      error.advice
        == "Use the version that made this run, or delete the run's directory and start a new run.")
  }

  @Test(arguments: [JSONValue.number(1000), .number(-0.0), .number(1e16), .number(0x1p64)])
  func `the digest of a parsed manifest equals the file's`(value: JSONValue) throws {
    let manifest = Manifest(
      tool: "t", stage: "s", pipeline: "p", configuration: ["x": value], asOf: Instant(milliseconds: 0),
      seed: 0,
      counts: .null)
    let bytes = manifest.json
    try scratch.write(bytes, to: "s/manifest.json")
    #expect(try Manifest(of: scratch("s")).digest == SHA256.digest(of: bytes))
  }

  @Test func `a missing stage is a find error, and a damaged manifest is a read error`() throws {
    #expect(#expect(throws: FileError.self) { _ = try Manifest(of: scratch("none")) }?.operation == .find)
    // A stage directory without its manifest is damaged, not missing.
    try scratch.write("x", to: "bare/file")
    let bare = #expect(throws: FileError.self) { _ = try Manifest(of: scratch("bare")) }
    #expect(bare?.operation == .read && bare?.path == scratch("bare/manifest.json"))
    let whole = Manifest.plain.json
    var random = SplitMix64(seed: 1)
    for count in stride(from: 0, to: whole.count - 3, by: 7) {
      try scratch.write(Array(whole.prefix(count)), to: "s/manifest.json")
      #expect(#expect(throws: FileError.self) { _ = try Manifest(of: scratch("s")) }?.operation == .read)
    }
    for _ in 0..<100 {
      var damaged = whole
      damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      try scratch.write(damaged, to: "s/manifest.json")
      do throws(FileError) { _ = try Manifest(of: scratch("s")) } catch { #expect(error.operation == .read) }
    }
  }

  @Test func `the manifest of another stage counts as damaged`() throws {
    var manifest = Manifest.plain
    for stage in ["snapshot", "index", "models", "rankings", "evaluation"] {
      manifest.stage = stage
      try scratch.write(manifest.json, to: "run/\(stage)/manifest.json")
      #expect(try Manifest(of: scratch("run/\(stage)")) == manifest)
      let other = stage == "index" ? "models" : "index"
      try scratch.write(manifest.json, to: "run/\(other)/manifest.json")
      let error = #expect(throws: FileError.self) { try Manifest(of: scratch("run/\(other)")) }
      #expect(error?.operation == .read && error?.reason.contains("'\(stage)'") == true)
    }
  }

  /// Writes the manifest of a stage directory of `run` and returns its digest.
  @discardableResult
  private func stage(
    _ name: String, of run: String, seed: UInt64 = 1, madeFrom parents: [String: String] = [:]
  )
    throws -> String
  {
    let manifest = Manifest(
      tool: "t", stage: name, pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: seed, counts: .null, parents: parents)
    try scratch.write(manifest.json, to: "\(run)/\(name)/manifest.json")
    return manifest.digest
  }

  @Test func `stages of one run have digests, and stages of different runs are an error`() throws {
    let snapshot = try stage("snapshot", of: "r")
    let index = try stage("index", of: "r", madeFrom: ["snapshot": snapshot])
    let models = try stage("models", of: "r", madeFrom: ["snapshot": snapshot, "index": index])
    let all = ["snapshot": snapshot, "index": index, "models": models]
    #expect(try Manifest.parents(["snapshot", "index", "models"], in: scratch("r")) == all)
    // `rankings` names other models as its parent. This is ignored, because the models are not
    // requested.
    try stage("rankings", of: "r", madeFrom: ["models": "another"])
    #expect(try Manifest.parents(["snapshot", "rankings"], in: scratch("r")).count == 2)
    // First the snapshot differs from the snapshot that the index names. Then the index differs from
    // the index that the models name.
    for (changed, blamed) in [("snapshot", "index"), ("index", "models")] {
      try stage(changed, of: "r", seed: 2, madeFrom: changed == "index" ? ["snapshot": snapshot] : [:])
      let error = #expect(throws: FileError.self) {
        try Manifest.parents(["snapshot", "index", "models"], in: scratch("r"))
      }
      #expect(error?.path == scratch("r/\(blamed)") && error?.operation == .read)
      #expect(error?.description.contains("not made from the '\(changed)' of this run") == true)
      try stage(changed, of: "r", madeFrom: changed == "index" ? ["snapshot": snapshot] : [:])
    }
    #expect(try Manifest.parents(["snapshot", "index", "models"], in: scratch("r")) == all)
  }

  @Test func `parts of values are reached by key`() {
    let value: JSONValue = ["a": ["x": 1, "y": 2, "z": "3"], "b": 5]
    #expect(value["a"]?["y"]?.integerValue == 2)
    #expect(value["a"]?.total == 3)
    #expect(value["b"]?["x"] == nil)
    #expect(value["b"]?.members == [:])
    #expect(JSONValue.number(1).integerValue == nil)
  }
}
