import Concurrency
import Foundation
import Testing
import TestSupport

/// The exports of `SmallFusion` with some invalid and repeated rows. They are divided into files at
/// random. Some files are empty, and some are compressed.
struct SplitExport {
  /// The place of a row after the division: the file, and the line or element in the file.
  struct Place: Hashable {
    var file: String
    var number: Int
  }

  let directory: ScratchDirectory
  /// The new places of the lines of `swipes.csv` and the elements of `users.json`.
  private(set) var swipes: [Int: Place] = [:]
  private(set) var users: [Int: Place] = [:]

  /// Divides each export into `pieces` files. The `tools` compress them in turn. `nil` means no
  /// compression.
  init(pieces: Int, tools: [String?], seed: UInt64) throws {
    directory = try ScratchDirectory()
    var random = SplitMix64(seed: seed)
    let lines = try Self.swipes()
    let rows = Array(lines.dropFirst())
    for (piece, range) in Self.cut(rows.count, into: pieces, using: &random).enumerated() {
      // Each file has the columns in another order.
      let order = lines[0].indices.shuffled(using: &random)
      let text = ([lines[0]] + rows[range]).map { row in
        order.map { row[$0] }.joined(separator: ",") + "\n"
      }
      let name = try write(text.joined(), "swipes", "csv", piece, tools)
      for row in range { swipes[row + 2] = Place(file: name, number: row - range.lowerBound + 2) }
    }
    let documents = try Self.documents()
    for (piece, range) in Self.cut(documents.count, into: pieces, using: &random).enumerated() {
      let name = try write(RawDocument.file(Array(documents[range])), "users", "json", piece, tools)
      for row in range { users[row + 1] = Place(file: name, number: row - range.lowerBound + 1) }
    }
    // These files must be ignored. Reading them as exports would fail.
    for name in ["_SUCCESS", ".hidden.csv", "_temporary/part-0.csv"] {
      try directory.write("\u{0}", to: "swipes/" + name)
      try directory.write("\u{0}", to: "users/" + name)
    }
  }

  /// A directory with the undivided exports and their snapshot in `run`.
  static let whole = Result {
    let directory = try ScratchDirectory(untilExit: true)
    try directory.write(RawDocument.file(documents()), to: "users.json")
    try directory.write(swipes().map { $0.joined(separator: ",") + "\n" }.joined(), to: "swipes.csv")
    let ended = try ingest(
      [
        "--set", "entities.users.source.path=" + directory("users.json"), "--set",
        "interactions.swipes.source.path=" + directory("swipes.csv"),
      ], to: directory("run"))
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return directory
  }

  static func ingest(_ arguments: [String], to run: String) throws -> Program.Finished {
    let given = ["--as-of", FusionRun.newestSwipe, "--set", "reject_limit=10 %", "--quiet"]
    return try Program.run("nightjar-ingest", [FusionRun.pipelineFile, "--run-dir", run] + given + arguments)
  }

  /// Returns the rows of `swipes.csv`, including the header.
  private static func swipes() throws -> [[String]] {
    let text = try SmallFusion.exports.get().directory.text("swipes.csv")
    return text.split(separator: "\n").enumerated().map { index, line in
      var row = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if index % 97 == 3 { row[1] = "nobody" }
      if index % 53 == 5 { row[2] = "maybe" }
      return row
    }
  }

  private static func documents() throws -> [String] {
    let documents = try SmallFusion.exports.get().documents()
    let broken = documents.enumerated().map { index, document in
      index % 30 == 7
        ? document.replacing(
          "\"deleted\":{\"booleanValue\":false}", with: "\"deleted\":{\"stringValue\":\"x\"}")
        : document
    }
    return broken + broken.prefix(20)
  }

  /// Returns the relative paths of the files in ascending byte order.
  func files(_ export: String) -> [String] {
    directory.files.filter { $0.hasPrefix(export + "/part-") || $0.hasPrefix(export + "/more/part-") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func write(_ text: String, _ export: String, _ ending: String, _ piece: Int, _ tools: [String?])
    throws
    -> String
  {
    // `more/` sorts before `part-`, so it contains the first files.
    let name = "\(export)/\(piece < 2 ? "more/" : "")part-\(piece < 10 ? "0" : "")\(piece).\(ending)"
    let path = try directory.write(text, to: name)
    guard let tool = tools[piece % tools.count] else { return name }
    return String(try compress(path, by: tool).dropFirst(directory.path.count + 1))
  }

  private static func cut(_ count: Int, into pieces: Int, using random: inout SplitMix64) -> [Range<Int>] {
    let cuts = (1..<max(pieces, 1)).map { _ in Int.random(in: 0...count, using: &random) }.sorted()
    return zip([0] + cuts, cuts + [count]).map { $0..<$1 }
  }
}
