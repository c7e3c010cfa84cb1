import Concurrency
import Foundation
import Testing
import TestSupport

/// Lists must not reveal positions within a cell. All people repeatedly move at random within their
/// cells, and no byte of a list, match or snapshot may change.
struct MovedPeopleTests {
  private static let parts = 2
  private static let tally = Tally("moves inside cells", cases: parts)
  /// The number of moves of one person. Each run moves nearly all people at once.
  private static let moves = Soak.count(100, soak: 10_000)

  @Test(arguments: 0..<parts) func `moving people within their cells changes no byte`(part: Int) throws {
    let exports = try BadNightExports.shared.get()
    let documents = try RawDocument.documents(of: exports.path + "/users.json")
    let directory = try ScratchDirectory()
    for name in ["users.json", "swipes.csv"] {
      try FileManager.default.copyItem(atPath: exports.path + "/" + name, toPath: directory(name))
    }
    let arguments = ["--until", "rank", "--as-of", FusionRun.newestSwipe, "--set", "keep_runs=1"]
    let run = try FusionRun(exports: directory.path, arguments)
    let reference = try DirectoryContents(of: run.path)

    var random = SplitMix64(seed: UInt64(part))
    var (moves, number) = (0, 1)
    while moves < Self.moves / Self.parts {
      let moved = documents.map { RawDocument.moved($0, using: &random) }
      let count = zip(documents, moved).count { $0 != $1 }
      try #require(count > documents.count * 3 / 4, "too few people move")
      moves += count
      number += 1
      try directory.write(RawDocument.file(moved), to: "users.json")
      let again = try run.again(arguments)
      try #require(again.ending == .status(0), "\(again.errors)")
      let other = run.directory("var/fusion/runs/\(number)")
      let difference = try DirectoryContents(of: other).differences(from: reference)
      // Manifests contain the digests of exports and of other manifests.
      let allowed = ["run.json"] + BadNight.stages.map { $0 + "/manifest.json" }
      #expect(Set(difference).isSubset(of: allowed), "\(difference)")
      #expect(difference.contains("snapshot/manifest.json"), "the run must have read the new positions")
      try FileManager.default.removeItem(atPath: other)
      // The next run gets the same number.
      number -= 1
      Self.tally.add("moves", count)
      Self.tally.add("runs with the same lists")
      Self.tally.add("files compared", reference.names.count)
    }
    Self.tally.end()
  }
}
