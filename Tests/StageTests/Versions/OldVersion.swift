import Foundation
import GRDB
import RunSchemas
import TestSupport
import Text

/// A copy of the files of version 0.1.0 in `Version010`: run 1 with an evaluation, run 2 that
/// stopped after ingest, and a store.
struct OldVersion {
  static let tool = "nightjar 0.1.0"

  let directory: ScratchDirectory

  /// Copies the files. Version 0.2.0 renamed a key, so the pipeline file gets the new name, as an operator
  /// would change it.
  init() throws {
    directory = try ScratchDirectory()
    let source = SharedData.repository.appending(path: "Tests/StageTests/Versions/Version010").path
    for name in try FileManager.default.contentsOfDirectory(atPath: source) {
      try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: directory(name))
    }
    let text = try directory.text("village.yaml")
    precondition(text.contains("    directory: people\n"), "the fixture has lost its old key")
    try directory.write(
      text.replacing("    directory: people\n", with: "    catalog: people\n"), to: "village.yaml")
  }

  /// Runs a command line in the directory of the pipeline file.
  func run(_ command: TypedCommand) throws -> Program.Finished {
    try Program.run(command.words[0], Array(command.words.dropFirst()), in: directory.path)
  }

  /// The files of a run.
  func contents(ofRun number: Int) throws -> DirectoryContents {
    try DirectoryContents(of: directory("work/village/runs/\(number)"))
  }

  /// The bytes of the store and of its write-ahead log.
  func store() throws -> [[UInt8]] {
    try ["serving.sqlite", "serving.sqlite-wal"].map { directory.exists($0) ? try directory.bytes($0) : [] }
  }

  /// Returns the schema of the store and all rows of its tables.
  func dump() throws -> [String] {
    try read { database in
      let schema = try Row.fetchAll(database, sql: "SELECT type, name, sql FROM sqlite_master ORDER BY name")
      let names: [String] = schema.filter { $0["type"] == "table" }.map { $0["name"] }
      return try schema.map(\.description)
        + names.flatMap { try Row.fetchAll(database, sql: "SELECT * FROM \($0)").map(\.description) }
    }
  }

  /// Returns the first column of a query on the store.
  func query(_ sql: String) throws -> [String] { try read { try String.fetchAll($0, sql: sql) } }

  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: directory("serving.sqlite"), configuration: configuration).read(body)
  }

  /// Changes the store as another program could.
  func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: directory("serving.sqlite"))
    try queue.writeWithoutTransaction { try $0.execute(sql: sql + "; PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
  }

  /// Adds a swipe to the export, so the next run publishes other lists.
  func addSwipe() throws {
    let text = try directory.text("swipes.csv")
    try directory.write(text + "adaXQ,svenXQ,right,2024-03-12T17:45:00Z\n", to: "swipes.csv")
  }

  /// Returns the files in `names` that contain the id or the name of this person.
  func traces(of id: String, _ name: String, in names: [String]) throws -> [String] {
    try directory.files.filter { file in
      guard names.contains(where: { file == $0 || file.hasPrefix($0 + "/") || file.hasPrefix($0 + "-") })
      else {
        return false
      }
      let bytes = try Data(directory.bytes(file))
      return [id, name].contains { bytes.range(of: Data($0.utf8)) != nil }
    }
  }
}

/// A command line as in a terminal. No argument contains a space.
struct TypedCommand: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  let words: [String]

  init(_ text: String) { words = text.split(separator: " ").map(String.init) }
  init(stringLiteral text: String) { self.init(text) }

  var description: String { words.joined(separator: " ") }

  /// The name of the command on pages: without `nightjar`, if it is a command of `nightjar`.
  var name: String { words[0] == "nightjar" ? words[1] : words[0] }
}
