import Files
import Foundation
import Synthesis
import Testing
import TestSupport

@Suite struct `An export of Fusion` {
  private func bytes(users: Int = 300, swipes: Int = 5000, seed: UInt64) throws -> (users: Data, swipes: Data)
  {
    let directory = try ScratchDirectory()
    _ = try FusionExport(users: users, swipes: swipes, seed: seed).write(into: directory.path)
    return (
      try Data(contentsOf: URL(filePath: directory(FusionExport.usersFile))),
      try Data(contentsOf: URL(filePath: directory(FusionExport.swipesFile)))
    )
  }

  @Test func `has the same bytes for the same seed`() throws {
    let first = try bytes(seed: 9)
    let second = try bytes(seed: 9)
    #expect(first.users == second.users)
    #expect(first.swipes == second.swipes)
  }

  @Test func `has other bytes for another seed`() throws {
    let first = try bytes(seed: 9)
    let second = try bytes(seed: 10)
    #expect(first.users != second.users)
    #expect(first.swipes != second.swipes)
  }

  @Test func `has the same people for another number of swipes`() throws {
    let first = try bytes(swipes: 5000, seed: 9)
    let second = try bytes(swipes: 6000, seed: 9)
    #expect(first.users == second.users)
  }

  @Test func `is small enough at the default size, and the summary has its size`() throws {
    let directory = try ScratchDirectory()
    let summary = try FusionExport(seed: 3).write(into: directory.path)
    let users = try Data(contentsOf: URL(filePath: directory("users.json")))
    let swipes = try Data(contentsOf: URL(filePath: directory("swipes.csv")))
    #expect(summary.userBytes == users.count)
    #expect(summary.swipeBytes == swipes.count)
    // The measured size is 4.2 MB.
    #expect(summary.userBytes + summary.swipeBytes < 8_000_000)
    #expect(summary.userBytes + summary.swipeBytes > 3_000_000)
  }

  @Test func `has one document per line`() throws {
    let text = String(decoding: try bytes(seed: 9).users, as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.first == "{\"documents\":[")
    #expect(lines.last == "]}")
    let prefix = "{\"name\":\"projects/fusion-demo/databases/(default)/documents/users/u"
    #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix(prefix) })
    #expect(lines.count == 300 + 2)
  }

  @Test func `creates the directory, replaces older files and leaves no others`() throws {
    let parent = try ScratchDirectory()
    let directory = parent.path + "/a/b//c/"
    _ = try FusionExport(users: 20, swipes: 40, seed: 1).write(into: directory)
    let first = try Data(contentsOf: URL(filePath: directory + "users.json"))
    _ = try FusionExport(users: 20, swipes: 40, seed: 2).write(into: directory)
    #expect(try Data(contentsOf: URL(filePath: directory + "users.json")) != first)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["swipes.csv", "users.json"])
  }

  @Test func `names the path that cannot be written, and leaves nothing`() throws {
    let parent = try ScratchDirectory()
    let file = try parent.write("x", to: "file")
    let export = try FusionExport(users: 20, swipes: 40, seed: 1)
    for path in [file, file + "/sub"] {
      let error = #expect(throws: FileError.self) { try export.write(into: path) }
      #expect(error?.operation == .create)
      #expect(error?.path == file)
    }

    // A directory blocks the path of the second file.
    let directory = URL(filePath: parent("out"))
    try FileManager.default.createDirectory(
      at: directory.appending(path: "swipes.csv/x"), withIntermediateDirectories: true)
    let blocked = #expect(throws: FileError.self) { try export.write(into: directory.path) }
    #expect(blocked?.operation == .write)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy { !$0.hasPrefix(".") })
  }

  @Test(arguments: [
    (19, 100), (0, 0), (-5, 100), (1_000_001, 3_000_000), (20, 39), (20, 51), (2000, 3999), (2000, 500_001),
    (.min, .max), (1_000_000, 100_000_001),
  ])
  func `rejects incompatible sizes`(users: Int, swipes: Int) {
    let error = #expect(throws: SynthesisError.self) {
      try FusionExport(users: users, swipes: swipes, seed: 1)
    }
    #expect(error?.description.hasSuffix(".") == true)
  }

  @Test func `names the range in its message`() {
    let error = #expect(throws: SynthesisError.self) { try FusionExport(users: 20, swipes: 51, seed: 1) }
    #expect(error?.description == "--swipes must be 40 to 50 for 20 users, not 51.")
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `can be created at the smallest sizes and both limits of swipes`(seed: UInt64) throws {
    let users = 20 + Int(seed % 20)
    let most = users * users / 8
    for swipes in [2 * users, most] {
      let directory = try ScratchDirectory()
      let summary = try FusionExport(users: users, swipes: swipes, seed: seed).write(into: directory.path)
      #expect(summary.swipes == swipes)
    }
  }
}
