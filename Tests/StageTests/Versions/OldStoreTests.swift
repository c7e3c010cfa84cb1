import Foundation
import Testing
import TestSupport

/// Runs the current programs on a SQLite store of version 0.1.0 and on a store of a newer version,
/// as the table about stores in `docs/versions.md` describes.
struct OldStoreTests {
  /// Each command with its expected output: a file with the same output, or a text that the output
  /// contains.
  static let reading: [(command: TypedCommand, answer: String)] = [
    ("nightjar show village.yaml --user adaXQ --json", "answers/show.jsonl"),
    ("nightjar show village.yaml --catalog by_field --key gardens --json", "answers/gardens.jsonl"),
    ("nightjar near 52.5 13.4 --radius-km 3 village.yaml --json", "answers/near.jsonl"),
    ("nightjar verify village.yaml --work work", "117 rows compared, all equal"),
    ("nightjar generations village.yaml", "*           1    1  "),
    ("nightjar doctor village.yaml --work work", "generation 1 of run 1"),
    (
      "nightjar publish village.yaml --run-dir work/village/runs/1 --dry-run",
      "change nothing: generation 1 contains the same rows"
    ),
    (
      "nightjar erase village.yaml --work work --user adaXQ --dry-run",
      "sqlite:serving.sqlite, 1 generation: would remove 1 list, 7 entries on other lists, 3 matches, 1 profile, "
        + "1 position, 1 catalog entry"
    ),
  ]

  @Test(arguments: reading)
  func `commands read an older store and do not change it`(command: TypedCommand, answer: String) throws {
    let old = try OldVersion()
    let before = try (bytes: old.store(), rows: old.dump())
    #expect(try old.query("PRAGMA user_version") == ["1"])
    let ended = try old.run(command)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    if answer.hasPrefix("answers/") {
      #expect(try ended.output == old.directory.text(answer))
    } else {
      #expect(ended.output.contains(answer), "\(ended.output)\(ended.errors)")
    }
    #expect(try old.dump() == before.rows)
    #expect(try old.query("PRAGMA user_version") == ["1"])
    // An erasure makes a transaction and rolls it back, which writes to the write-ahead log.
    if command.name != "erase" { #expect(try old.store() == before.bytes) }
  }

  static let upgrading: [(command: TypedCommand, generations: [String])] = [
    ("nightjar run village.yaml --work work", ["2", "1"]),
    ("nightjar publish village.yaml --run-dir work/village/runs/1 --force", ["2", "1"]),
    ("nightjar rollback village.yaml --work work --to 1", ["1"]),
    ("nightjar erase village.yaml --work work --user dinaXQ", ["1"]),
  ]

  @Test(arguments: upgrading)
  func `opening an older store for publishing upgrades it, and all generations stay`(
    command: TypedCommand, generations: [String]
  ) throws {
    let old = try OldVersion()
    try old.addSwipe()
    let ended = try old.run(command)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(try old.query("PRAGMA user_version") == ["2"])
    #expect(try old.query("SELECT number FROM generations ORDER BY number DESC") == generations)
    #expect(
      try old.query("SELECT name FROM sqlite_master WHERE name IN ('directories', 'new_contents')") == [])
    #expect(try old.query("SELECT kind FROM contents WHERE kind = 'directory'") == [])
    #expect(try old.query("PRAGMA integrity_check") == ["ok"])
    #expect(try old.query("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
  }

  @Test func `after a new run the older generation can be served again, with the same answers`() throws {
    let old = try OldVersion()
    try old.addSwipe()
    let night = try old.run("nightjar run village.yaml --work work")
    try #require(night.ending == .status(0), "\(night.errors)")
    let answers = Self.reading.filter { $0.answer.hasPrefix("answers/") }
    let shown = try old.run(answers[0].command)
    #expect(try shown.ending == .status(0) && shown.output != old.directory.text(answers[0].answer))
    #expect(try old.run("nightjar verify village.yaml --work work").output.contains("generation 2 in"))
    let back = try old.run("nightjar rollback village.yaml --work work")
    #expect(
      back.ending == .status(0) && back.output.contains("*           1 "), "\(back.output)\(back.errors)")
    for (command, answer) in answers {
      #expect(try old.run(command).output == old.directory.text(answer), "\(command)")
    }
    #expect(
      try old.run("nightjar verify village.yaml --work work").output.contains("117 rows compared, all equal"))
    // Apps can still use the earlier name, `served_directories`, in queries.
    let entries = try ["served_directories WHERE directory", "served_catalogs WHERE catalog"].map { asked in
      try old.query("SELECT entry FROM \(asked) = 'by_field' AND key = 'gardens' ORDER BY rank")
    }
    #expect(entries[0].count == 6 && entries[0] == entries[1])
    #expect(
      try entries[0] == old.directory.text("answers/gardens.jsonl").split(separator: "\n").map(String.init))
  }

  /// Another table already has the name that the last step of the upgrade needs, so the upgrade fails.
  @Test(arguments: upgrading)
  func `an upgrade that fails changes nothing, and the store keeps serving`(
    command: TypedCommand, _: [String]
  ) throws {
    let old = try OldVersion()
    try old.addSwipe()
    try old.execute("CREATE TABLE served_catalogs (x)")
    let before = try old.dump()
    let ended = try old.run(command)
    #expect(ended.ending == .status(69), "\(ended.errors)")
    #expect(ended.errors.contains("run the command again"), "\(ended.errors)")
    #expect(try old.query("PRAGMA user_version") == ["1"])
    #expect(try old.dump() == before)
    for (command, answer) in Self.reading where answer.hasPrefix("answers/") {
      #expect(try old.run(command).output == old.directory.text(answer), "\(command)")
    }
  }

  @Test(arguments: reading.map(\.command) + upgrading.map(\.command))
  func `a store with a newer schema is rejected and not changed`(command: TypedCommand) throws {
    let old = try OldVersion()
    try old.execute("PRAGMA user_version = 3")
    let before = try old.store()
    let ended = try old.run(command)
    #expect(ended.ending == .status(69), "\(ended.errors)")
    #expect(
      (ended.errors + ended.output).contains(
        "the store has schema version 3, but this program supports versions up to 2; use a newer version of Nightjar, or another path"
      ),
      "\(ended.errors)")
    #expect(try old.store() == before)
  }
}
