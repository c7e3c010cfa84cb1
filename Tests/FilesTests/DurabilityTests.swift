import Foundation
import Testing
import TestSupport

@testable import Files

/// Durability across a power cut. A file is synced before its name, and its name is synced before
/// other steps rely on it.
@Suite struct DurabilityTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Expects that `name` was in the directory `path` at the directory's last sync.
  private func expectNamed(_ name: String, in path: String, _ syncs: Syncs) {
    #expect(syncs.directory(path).last?.names?.contains(name) == true, "\(name) in \(path): \(syncs.all)")
  }

  @Test func `the observer sees syncs of the process's files and directories only`() throws {
    let other = try ScratchDirectory()
    let syncs = try Syncs(under: scratch.path) {
      try Directories.replace(other("x"), with: [1])
      try Directories.sync(scratch.path)
    }
    #expect(syncs.all.count == 1 && syncs.directory(scratch.path).count == 1)
    #expect(syncs.contain(scratch.path) && !syncs.contain(other.path))
  }

  @Test(arguments: [false, true])
  func `a file is synced before it replaces another, and its name is synced later`(isSecret: Bool) throws {
    try scratch.write("old", to: "file")
    let syncs = try Syncs(under: scratch.path) {
      if isSecret {
        try Directories.replaceSecret(scratch("file"), with: Array("new".utf8))
      } else {
        try Directories.replace(scratch("file"), with: Array("new".utf8))
      }
    }
    let file = try #require(syncs.files().first)
    #expect(syncs.files().count == 1 && file.path.hasSuffix(".partial"))
    #expect(syncs.contain(scratch("file")))
    #expect(syncs.all.map { $0.names != nil } == [false, true])
    #expect(syncs.directory(scratch.path).map(\.names) == [["file"]])
  }

  @Test func `a stage directory is synced before it appears, and its name is synced afterwards`() throws {
    let syncs = try Syncs(under: scratch.path) {
      var directory = try StageDirectory("s", in: scratch("runs/1"))
      try directory.write("deep/er/a.txt") { (writer) throws(FileError) in try writer.append("a") }
      try directory.write("b.txt", "c.txt") { (one, other) throws(FileError) in
        try one.append("b")
        try other.append("c")
      }
      try directory.adopt("d.txt") {
        try Data("d".utf8).write(to: URL(filePath: $0))
        return 1
      }
      _ = try directory.complete(.plain, marker: "_SUCCESS")
    }
    let names = ["_SUCCESS", "b.txt", "c.txt", "d.txt", "deep/er/a.txt", "manifest.json"]
    #expect(scratch.files == names.map { "runs/1/s/" + $0 })
    for name in names { #expect(syncs.contain(scratch("runs/1/s/" + name)), "\(name)") }
    for name in ["", "/deep", "/deep/er"] { #expect(syncs.contain(scratch("runs/1/s" + name)), "s\(name)") }
    // Everything inside was synced while the directory still had its hidden name.
    #expect(!syncs.all.contains { $0.path.hasSuffix("/runs/1/s") || $0.path.contains("/runs/1/s/") })
    expectNamed("s", in: scratch("runs/1"), syncs)
    // The new parent directories were synced too.
    expectNamed("1", in: scratch("runs"), syncs)
    expectNamed("runs", in: scratch.path, syncs)
  }

  @Test func `files that other threads write are synced too`() throws {
    let syncs = try Syncs(under: scratch.path) {
      var directory = try StageDirectory("s", in: scratch.path)
      let bodies = (0..<9).map { StageDirectory.body(writing: "\($0)/x") }
      try directory.writeTogether(threads: 3, bodies)
      _ = try directory.complete(.plain)
    }
    for number in 0..<9 {
      #expect(syncs.contain(scratch("s/\(number)/x")) && syncs.contain(scratch("s/\(number)")))
    }
  }

  @Test func `more files than may be open at once are synced`() throws {
    let count = 300
    let syncs = try Syncs(under: scratch.path) {
      var directory = try StageDirectory("s", in: scratch.path)
      for number in 0..<count {
        try directory.write("\(number)") { (writer) throws(FileError) in try writer.append("x") }
      }
      _ = try directory.complete(.plain)
    }
    #expect((0..<count).allSatisfy { syncs.contain(scratch("s/\($0)")) })
  }

  @Test func `a directory's new name is synced before the old directory is removed`() throws {
    try scratch.write("old", to: "s/old")
    let syncs = try Syncs(under: scratch.path) {
      var directory = try StageDirectory("s", in: scratch.path, replaces: true)
      try directory.write("new") { (writer) throws(FileError) in try writer.append("new") }
      _ = try directory.complete(.plain)
    }
    #expect(scratch.files == ["s/manifest.json", "s/new"])
    #expect(syncs.contain(scratch("s")) && syncs.contain(scratch("s/manifest.json")))
    // The new name is synced while the old directory still exists under the hidden name.
    #expect(syncs.directory(scratch.path).map(\.names) == [[".s.partial", "s"]])
  }

  @Test func `moved, linked and renamed files have their names synced`() throws {
    try scratch.write("x", to: "from/deep/x")
    let moved = try Syncs(under: scratch.path) {
      try Directories.moveIntoPlace(scratch("from"), to: scratch("moved"))
    }
    expectNamed("moved", in: scratch.path, moved)
    let linked = try Syncs(under: scratch.path) {
      try Directories.linkFiles(of: scratch("moved"), to: scratch("linked"))
    }
    for name in ["linked", "linked/deep"] { #expect(linked.contain(scratch(name)), "\(name)") }
    #expect(
      linked.directory(scratch("linked")).isEmpty, "the directory must not be synced after it got its name")
    expectNamed("linked", in: scratch.path, linked)
    let tree = try Syncs(under: scratch.path) {
      try Directories.linkTree(scratch("linked"), to: scratch("tree"))
    }
    expectNamed("x", in: scratch("tree/deep"), tree)
    expectNamed("deep", in: scratch("tree"), tree)
    let link = try Syncs(under: scratch.path) { try Directories.link(scratch("latest"), to: "tree") }
    expectNamed("latest", in: scratch.path, link)
    try scratch.write("y", to: "y")
    let renamed = try Syncs(under: scratch.path) {
      try Directories.rename(scratch("y"), over: scratch("tree/deep/x"))
    }
    expectNamed("x", in: scratch("tree/deep"), renamed)
  }

  @Test func `a new directory has its name synced, unless the caller does that`() throws {
    let created = try Syncs(under: scratch.path) { try Directories.create(scratch("a/b")) }
    expectNamed("a", in: scratch.path, created)
    expectNamed("b", in: scratch("a"), created)
    let unsynced = try Syncs(under: scratch.path) {
      try Directories.create(scratch("c/d"), isSynced: false)
    }
    #expect(unsynced.all.isEmpty)
  }

  @Test func `only its owner can read a secret, and not everyone can read other files`() throws {
    func mode(_ name: String) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: scratch(name))
      return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    try Directories.replaceSecret(scratch("secret"), with: [1])
    try Directories.replace(scratch("file"), with: [1])
    try Directories.create(scratch("directory"))
    #expect(try mode("secret") == 0o600 && mode("file") == 0o640 && mode("directory") == 0o750)
  }
}

extension StageDirectory {
  /// Returns a body that writes the file `name`. Swift 6.3.1 crashes if this closure is nested in
  /// the test.
  fileprivate static func body(writing name: String) -> Body {
    { (directory) throws(FileError) in
      try directory.write(name) { (writer) throws(FileError) in try writer.append("x") }
    }
  }
}
