import Foundation
import Testing
import TestSupport

/// One run of `pipelines/fusion.yaml` in its own directory.
struct FusionRun: Sendable {
  static let pipelineFile = SharedData.repository.appending(path: "pipelines/fusion.yaml").path
  static let exports = SharedData.repository.appending(path: "datasets/fusion").path

  let directory: ScratchDirectory
  let exports: String
  /// The pipeline file and its overrides.
  let arguments: [String]
  let ended: Program.Finished

  /// The run over the bundled exports as of their newest swipe. Tests share it and must not change it.
  static let bundled = Result { try FusionRun(["--as-of", newestSwipe], untilExit: true) }

  /// Tests that compare bytes set this as-of time, because the default depends on the machine's
  /// clock.
  static let newestSwipe = "2026-11-15T23:41:07Z"

  /// Runs the pipeline over the exports in `exports`, with `arguments` added to the command.
  init(exports: String = Self.exports, _ arguments: [String] = [], untilExit: Bool = false) throws {
    directory = try ScratchDirectory(untilExit: untilExit)
    self.exports = exports
    self.arguments = Self.arguments(in: directory, exports: exports)
    ended = try Program.run(
      "nightjar", ["run"] + self.arguments + ["--work", directory("var")] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  /// Copies the work directory and the store of `other` into a new directory.
  init(copying other: FusionRun) throws {
    directory = try ScratchDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: other.directory.path) {
      try FileManager.default.copyItem(atPath: other.directory(name), toPath: directory(name))
    }
    arguments = Self.arguments(in: directory, exports: other.exports)
    exports = other.exports
    ended = other.ended
  }

  private static func arguments(in directory: ScratchDirectory, exports: String) -> [String] {
    var arguments = [pipelineFile, "--set", "publish.store=sqlite:" + directory("serving.sqlite")]
    // The pipeline file already contains the paths of the bundled exports.
    if exports != Self.exports {
      arguments += ["--set", "entities.users.source.path=\(exports)/users.json"]
      arguments += ["--set", "interactions.swipes.source.path=\(exports)/swipes.csv"]
    }
    return arguments
  }

  /// Runs the pipeline again. The new runs have the numbers 2, 3, and so on.
  func again(_ other: [String] = []) throws -> Program.Finished {
    try Program.run("nightjar", ["run"] + chosen + other)
  }

  /// The directory of run 1.
  var path: String { directory("var/fusion/runs/1") }

  /// The arguments with which `run` and commands for analysts use this work directory and store.
  var chosen: [String] { arguments + ["--work", directory("var")] }

  /// The arguments with which a stage's program reads this run's exports and writes into `run`.
  func stageArguments(run: String) -> [String] {
    arguments + ["--run-dir", run]
  }

  func manifest(_ stage: String) throws -> [String: Any] {
    try json("\(path)/\(stage)/manifest.json")
  }
}

/// Synthetic exports of a few hundred people, for tests that run many times.
struct SmallFusion: Sendable {
  let directory: ScratchDirectory
  var path: String { directory.path }

  static let exports = Result {
    let directory = try ScratchDirectory(untilExit: true)
    let ended = try Program.run(
      "nightjar",
      ["synthesize", "--users", "160", "--swipes", "2400", "--seed", "11", "--out", directory.path])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return SmallFusion(directory: directory)
  }

  /// A run over these exports up to the rankings.
  static let run = Result {
    try FusionRun(
      exports: exports.get().path, ["--until", "rank", "--as-of", FusionRun.newestSwipe], untilExit: true)
  }

  /// The same run with lists of three entries.
  static let threes = Result {
    try FusionRun(
      exports: exports.get().path,
      ["--until", "rank", "--as-of", FusionRun.newestSwipe, "--set", "rankings.partners.top=3"],
      untilExit: true)
  }

  func copy(_ name: String, to other: ScratchDirectory) throws {
    try FileManager.default.copyItem(atPath: directory(name), toPath: other(name))
  }

  /// The documents of `users.json`, as they are in the file.
  func documents() throws -> [String] { try RawDocument.documents(of: directory("users.json")) }
}

/// Edits one person's document in `users.json` as text, so the rest stays unchanged.
enum RawDocument {
  /// Returns the documents of the file at `path`, as they are in the file.
  static func documents(of path: String) throws -> [String] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    try #require(lines.first == "{\"documents\":[" && lines.last == "]}")
    return lines.dropFirst().dropLast().map { String($0.last == "," ? $0.dropLast() : $0) }
  }

  static func file(_ documents: [String]) -> String {
    "{\"documents\":[\n" + documents.joined(separator: ",\n") + "\n]}\n"
  }

  /// The id, which is the last part of the document's name.
  static func id(_ document: String) -> String {
    let name = document.split(separator: "\"", maxSplits: 4)[3]
    return String(name.split(separator: "/").last ?? "")
  }

  /// Returns the document with another position in the same cell of precision 6. A document without
  /// a position stays unchanged.
  static func moved(_ document: String, using random: inout some RandomNumberGenerator) -> String {
    let marks = ["\"latitude\":", ",\"longitude\":", "}"]
    guard let first = document.range(of: marks[0]),
      let second = document.range(of: marks[1], range: first.upperBound..<document.endIndex),
      let end = document.range(of: marks[2], range: second.upperBound..<document.endIndex),
      let latitude = Double(document[first.upperBound..<second.lowerBound]), abs(latitude) <= 90,
      let longitude = Double(document[second.upperBound..<end.lowerBound]), abs(longitude) <= 180
    else { return document }
    let cell = PlainGeodesy.cell(latitude: latitude, longitude: longitude, precision: 6)
    // The new position is not close to an edge, so writing it as a decimal cannot move it out of
    // the cell.
    let north = cell.south + (cell.north - cell.south) * Double.random(in: 0.01...0.99, using: &random)
    let east = cell.west + (cell.east - cell.west) * Double.random(in: 0.01...0.99, using: &random)
    return document[..<first.upperBound] + "\(north)" + marks[1] + "\(east)" + document[end.lowerBound...]
  }
}
