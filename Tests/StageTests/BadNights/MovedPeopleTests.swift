import Concurrency
import Foundation
import Testing
import TestSupport

/// Lists do not reveal positions within a cell. All people move at random inside their cells, repeatedly, and no byte
/// of any list, match or snapshot changes.
struct MovedPeopleTests {
  private static let parts = 2
  private static let tally = Tally("moves inside cells", cases: parts)
  /// The number of moves, each of one person. Every run moves nearly all people at once.
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
      try #require(count > documents.count * 3 / 4, "hardly anybody moves")
      moves += count
      number += 1
      try directory.write(RawDocument.file(moved), to: "users.json")
      let again = try run.again(arguments)
      try #require(again.ending == .status(0), "\(again.errors)")
      let other = run.directory("var/fusion/runs/\(number)")
      let difference = try DirectoryContents(of: other).differences(from: reference)
      // Manifests have the digests of exports and of one another.
      let allowed = ["run.json"] + BadNight.stages.map { $0 + "/manifest.json" }
      #expect(Set(difference).isSubset(of: allowed), "\(difference)")
      #expect(difference.contains("snapshot/manifest.json"), "the run has not seen that anybody moved")
      try FileManager.default.removeItem(atPath: other)
      // The next run takes the same number.
      number -= 1
      Self.tally.add("moves", count)
      Self.tally.add("runs with the same lists")
      Self.tally.add("files compared", reference.names.count)
    }
    Self.tally.end()
  }
}
