import Concurrency
import Foundation
import Testing
import TestSupport

/// Different ways to the same result must give the same bytes.
struct SameBytesTests {
  @Test(arguments: [1, 2, 5]) func `the number of threads changes no byte of models and rankings`(
    threads: Int
  ) throws {
    let whole = try FusionRun.bundled.get()
    let directory = try ScratchDirectory()
    for stage in ["snapshot", "index"] {
      try FileManager.default.copyItem(atPath: "\(whole.path)/\(stage)", toPath: directory(stage))
    }
    for program in ["nightjar-fit", "nightjar-rank"] {
      let ended = try Program.run(
        program,
        whole.stageArguments(run: directory.path) + ["--threads", String(threads), "--quiet"])
      try #require(ended.ending == .status(0), "\(ended.errors)")
      #expect(ended.errors == "")
    }
    for stage in ["models", "rankings"] {
      let difference = try DirectoryContents(of: directory(stage))
        .differences(from: DirectoryContents(of: "\(whole.path)/\(stage)"))
      #expect(difference == [], "\(stage)")
    }
  }

  @Test func `a second run writes the same bytes except run.json`() throws {
    let exports = try SmallFusion.exports.get()
    let first = try FusionRun(exports: exports.path, ["--as-of", FusionRun.newestSwipe])
    let again = try first.again(["--as-of", FusionRun.newestSwipe])
    try #require(again.ending == .status(0), "\(again.errors)")
    let difference = try DirectoryContents(of: first.directory("var/fusion/runs/2"))
      .differences(from: DirectoryContents(of: first.path))
    #expect(difference == ["run.json"])
  }

  @Test func `the order of the people's documents does not matter`() throws {
    let exports = try SmallFusion.exports.get()
    let directory = try ScratchDirectory()
    try exports.copy("swipes.csv", to: directory)
    var documents = try exports.documents()
    // Some people have a second document with the same time that deletes their account. The later
    // document in the file counts.
    let repeated = Set(documents.prefix(20).map(RawDocument.id))
    documents += documents.prefix(20).map {
      $0.replacing("\"deleted\":{\"booleanValue\":false}", with: "\"deleted\":{\"booleanValue\":true}")
    }
    try directory.write(RawDocument.file(documents), to: "users.json")
    let arguments = ["--until", "rank", "--as-of", FusionRun.newestSwipe, "--set", "reject_limit=0"]
    let run = try FusionRun(exports: directory.path, arguments)

    var random = SplitMix64(seed: 3)
    var shuffled = documents.shuffled(using: &random)
    for id in repeated {
      let places = shuffled.indices.filter { RawDocument.id(shuffled[$0]) == id }
      for (place, document) in zip(places, documents.filter { RawDocument.id($0) == id }) {
        shuffled[place] = document
      }
    }
    #expect(shuffled != documents && shuffled.sorted() == documents.sorted())
    try directory.write(RawDocument.file(shuffled), to: "users.json")
    let again = try run.again(arguments)
    try #require(again.ending == .status(0), "\(again.errors)")

    for stage in ["snapshot", "index", "models", "rankings"] {
      let difference = try DirectoryContents(of: run.directory("var/fusion/runs/2/\(stage)"))
        .differences(from: DirectoryContents(of: "\(run.path)/\(stage)"))
      // The rejects file contains the lines of merged rows, which differ.
      #expect(difference == (stage == "snapshot" ? ["manifest.json", "rejects.csv"] : ["manifest.json"]))
    }
    let merged = try run.manifest("snapshot").object("counts").object("sources").object("users")
    #expect(merged.integer("merged") == 20)
  }

  @Test func `moving people within their cells changes only digests`() throws {
    let exports = try SmallFusion.exports.get()
    let directory = try ScratchDirectory()
    for name in ["users.json", "swipes.csv"] { try exports.copy(name, to: directory) }
    let arguments = ["--until", "rank", "--as-of", FusionRun.newestSwipe]
    let run = try FusionRun(exports: directory.path, arguments)

    var random = SplitMix64(seed: 9)
    let documents = try exports.documents()
    let moved = documents.map { RawDocument.moved($0, using: &random) }
    #expect(zip(documents, moved).count { $0 != $1 } > 140, "nearly all people must move")
    try directory.write(RawDocument.file(moved), to: "users.json")
    let again = try run.again(arguments)
    try #require(again.ending == .status(0), "\(again.errors)")

    for stage in ["snapshot", "index", "models", "rankings"] {
      let other = run.directory("var/fusion/runs/2/\(stage)")
      let difference = try DirectoryContents(of: other)
        .differences(from: DirectoryContents(of: "\(run.path)/\(stage)"))
      #expect(difference == ["manifest.json"], "\(stage)")
      var manifests = [try run.manifest(stage), try json(other + "/manifest.json")]
      for index in manifests.indices {
        manifests[index]["inputs"] = nil
        manifests[index]["parents"] = nil
        manifests[index]["checksum"] = nil
      }
      #expect(NSDictionary(dictionary: manifests[0]) == NSDictionary(dictionary: manifests[1]), "\(stage)")
    }
  }
}
