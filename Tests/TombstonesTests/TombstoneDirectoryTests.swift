import Foundation
import Testing
import System
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text
@testable import Tombstones

/// Ids that faulty code could confuse with others.
private let hostileIDs = [
  "u1", "u10", "u", "1", "\"", "u\n1", "u\r1", "u\u{0}", "u\u{0}1", "é", "e\u{301}",
  "'; DROP TABLE lists; --", "\\u0031",
  " u1", "u1 ", "\u{F8FF}0", "🦉",
]

private func mode(_ path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}

private func contains(_ tombstones: TombstoneSet, _ id: String, _ entity: String = "users") -> Bool {
  tombstones.contain(Array(id.utf8).span, of: entity)
}

@Test(arguments: hostileIDs)
func `a tombstone applies to one id of one entity`(id: String) throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  #expect(try directory.add([(Array(id.utf8), "users")]) == 1)
  #expect(try directory.add([(Array(id.utf8), "users")]) == 0)
  let tombstones = try directory.load()
  for other in hostileIDs {
    #expect(contains(tombstones, other) == other.utf8.elementsEqual(id.utf8))
    #expect(!contains(tombstones, other, "events"))
  }
  // Neither file may contain the id in any form.
  for file in ["key", "tombstones"] {
    let text = try scratch.text("erasures/" + file)
    #expect(text.utf8.allSatisfy { "0123456789abcdef\n".utf8.contains($0) })
    #expect(try mode(scratch("erasures/" + file)) == 0o600)
  }
  #expect(try directory.lift([(Array(id.utf8), "users")]) == 1)
  #expect(try directory.load().isEmpty)
}

@Test func `the boundary between entity and id matters`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  try directory.add([(Array("b1".utf8), "a")])
  #expect(!contains(try directory.load(), "1", "ab"))
}

@Test func `the file of tombstones is sorted and does not depend on the order of additions`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  for id in hostileIDs { try directory.add([(Array(id.utf8), "users")]) }
  let oneByOne = try scratch.text("erasures/tombstones")
  let lines = oneByOne.split(separator: "\n")
  #expect(lines.count == hostileIDs.count && lines == lines.sorted())
  try FileManager.default.removeItem(atPath: scratch("erasures/tombstones"))
  try directory.add(hostileIDs.reversed().map { (Array($0.utf8), "users") })
  #expect(try scratch.text("erasures/tombstones") == oneByOne)
}

@Test func `lifting an absent tombstone is an error and changes nothing`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  #expect(throws: TombstoneError.self) { try directory.lift([(Array("u1".utf8), "users")]) }
  try directory.add([(Array("u1".utf8), "users")])
  let before = try scratch.text("erasures/tombstones")
  #expect { try directory.lift([(Array("u2".utf8), "users")]) } throws: {
    ($0 as? TombstoneError)?.code == .absent && !"\($0)".contains("u2")
  }
  #expect(try scratch.text("erasures/tombstones") == before)
}

/// A directory with one tombstone, and a way to damage it.
struct DamagedTombstones: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var code: TombstoneError.Code
  var says: String
  var spoil: @Sendable (ScratchDirectory) throws -> Void

  static let all = [
    DamagedTombstones(testDescription: "a key that the group may read", code: .key, says: "chmod 600") {
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: $0("erasures/key"))
    },
    DamagedTombstones(testDescription: "no key", code: .key, says: "missing") {
      try FileManager.default.removeItem(atPath: $0("erasures/key"))
    },
    DamagedTombstones(testDescription: "half a key", code: .key, says: "64") {
      try Directories.replaceSecret($0("erasures/key"), with: Array("00ff\n".utf8))
    },
    DamagedTombstones(testDescription: "a line cut short", code: .damaged, says: "truncated") {
      let bytes = try $0.bytes("erasures/tombstones")
      try Directories.replaceSecret($0("erasures/tombstones"), with: bytes.dropLast(9))
    },
    DamagedTombstones(testDescription: "a line of another kind", code: .damaged, says: "line 2") {
      let bytes = try $0.bytes("erasures/tombstones")
      try Directories.replaceSecret($0("erasures/tombstones"), with: bytes + Array("u17\n".utf8))
    },
    DamagedTombstones(testDescription: "an empty line", code: .damaged, says: "line 1") {
      let bytes = try $0.bytes("erasures/tombstones")
      try Directories.replaceSecret($0("erasures/tombstones"), with: [0x0A] + bytes)
    },
  ]
}

@Test(arguments: DamagedTombstones.all)
func `damaged tombstones are never ignored`(_ test: DamagedTombstones) throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  try directory.add([(Array("u1".utf8), "users")])
  try test.spoil(scratch)
  func isReported(_ error: any Error) -> Bool {
    (error as? TombstoneError)?.code == test.code && "\(error)".contains(test.says)
  }
  #expect(performing: { _ = try directory.load() }, throws: isReported)
  #expect(performing: { _ = try directory.add([(Array("u2".utf8), "users")]) }, throws: isReported)
}

@Test func `a missing directory means no tombstones`() throws {
  let scratch = try ScratchDirectory()
  let tombstones = try TombstoneDirectory(scratch("erasures")).load()
  #expect(tombstones.isEmpty && tombstones.digest == nil && !contains(tombstones, "u1"))
}

/// `access` fails although the file may exist, as for a directory that this account may not read.
@Test func `a directory that cannot be looked up is not a missing directory`() throws {
  let scratch = try ScratchDirectory()
  try FileManager.default.createSymbolicLink(
    atPath: scratch("erasures"), withDestinationPath: scratch("erasures"))
  let directory = TombstoneDirectory(scratch("erasures"))
  let error = #expect(throws: FileError.self) { _ = try directory.load() }
  #expect(error?.exitStatus == .ioError && error?.path == scratch("erasures/tombstones"))
  #expect(throws: FileError.self) { _ = try directory.lift([(Array("u1".utf8), "users")]) }
}

@Test func `a file of belongings that cannot be looked up is not a missing file`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  try directory.add([(Array("u1".utf8), "users")])
  try FileManager.default.createSymbolicLink(
    atPath: scratch("erasures/belongings"), withDestinationPath: scratch("erasures/belongings"))
  #expect(throws: FileError.self) { _ = try directory.load() }
}

@Test func `tombstones that the last complete run had must not be missing`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  func manifest(_ inputs: [FileDigest]) -> Manifest {
    Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: 0, inputs: inputs, counts: [:])
  }
  #expect(try directory.load(after: nil).isEmpty && directory.load(after: manifest([])).isEmpty)
  try directory.add([(Array("u1".utf8), "users")])
  let before = manifest([try #require(try directory.load().input)])
  #expect(try !directory.load(after: before).isEmpty)
  try directory.lift([(Array("u1".utf8), "users")])
  #expect(try directory.load(after: before).isEmpty)
  try FileManager.default.removeItem(atPath: scratch("erasures"))
  let error = #expect(throws: TombstoneError.self) { _ = try directory.load(after: before) }
  #expect(error?.exitStatus == .missingInput)
}

@Test func `a set contains belongings of erased people, but they are not tombstones`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  try directory.add([(Array("u1".utf8), "users")])
  let tombstones = try directory.load()
  var more = tombstones
  for id in ["p1", "p2"] { more.add(belongings: [Array(id.utf8)], of: "posts") }
  for id in ["p1", "p2"] { #expect(contains(more, id, "posts") && !contains(more, id)) }
  #expect(contains(more, "u1") && !contains(more, "u1", "posts") && !contains(tombstones, "p1", "posts"))
  #expect(more.count == 1 && more.digest == tombstones.digest && more.input == tombstones.input)
}

@Test func `what erased people owned is recorded until their tombstones are removed`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  let people = ["u1", "u2"].map { (id: Array($0.utf8), entity: "users") }
  func owned(_ id: String, _ entity: String) throws -> Bool {
    try directory.load().containFormerBelonging(Array(id.utf8).span, of: entity)
  }
  try directory.add(people)
  // Earlier versions wrote no such file.
  #expect(try !owned("p1", "posts"))
  var belongings = ErasedIDs()
  for person in people { belongings.insert(person.id, entity: person.entity) }
  belongings.insert(Array("p1".utf8), entity: "posts")
  for person in people { try directory.add(belongings: belongings, of: person) }
  #expect(try owned("p1", "posts") && !owned("p1", "users") && !owned("p2", "posts"))
  let tombstones = try directory.load()
  #expect(tombstones.count == 2 && !contains(tombstones, "p1", "posts"), "ingest reads the row")
  #expect(tombstones.digest == SHA256.digest(of: try scratch.bytes("erasures/tombstones")))
  let lines = try scratch.text("erasures/belongings").split(separator: "\n")
  #expect(lines.count == 4 && lines == lines.sorted() && lines.allSatisfy { $0.utf8.count == 129 })
  #expect(try mode(scratch("erasures/belongings")) == 0o600)
  try directory.add(belongings: belongings, of: people[0])
  #expect(try scratch.text("erasures/belongings").split(separator: "\n") == lines)
  try directory.lift([people[0]])
  #expect(try owned("p1", "posts"), "u2 still owns it")
  try directory.lift([people[1]])
  #expect(try !owned("p1", "posts") && scratch.text("erasures/belongings").isEmpty)
}

@Test(arguments: [
  ("x\n", "line 1"), ("\n", "line 1"), ("0\n", "line 1"), (String(repeating: "0", count: 129), "truncated"),
])
func `a damaged file of belongings is never ignored`(text: String, says: String) throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  try directory.add([(Array("u1".utf8), "users")])
  try Directories.replaceSecret(scratch("erasures/belongings"), with: Array(text.utf8))
  let error = #expect(throws: TombstoneError.self) { _ = try directory.load() }
  #expect(error?.code == .damaged && error?.path == scratch("erasures/belongings"))
  #expect(error?.found.contains(says) == true)
}

@Test func `changed tombstones and a new key are synced`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  let first = try Syncs(under: scratch.path) { try directory.add([(Array("u1".utf8), "users")]) }
  for file in ["key", "tombstones"] { #expect(first.contain(scratch("erasures/" + file)), "\(file)") }
  // The key is synced first, because tombstones cannot be used without it.
  #expect(
    first.directory(scratch("erasures")).compactMap(\.names) == [["key"], ["key", "tombstones"]])
  #expect(first.directory(scratch.path).last?.names == ["erasures"])
  let second = try Syncs(under: scratch.path) { try directory.add([(Array("u2".utf8), "users")]) }
  #expect(second.contain(scratch("erasures/tombstones")) && !second.contain(scratch("erasures/key")))
  #expect(second.directory(scratch("erasures")).count == 1)
  let lifted = try Syncs(under: scratch.path) { try directory.lift([(Array("u2".utf8), "users")]) }
  #expect(lifted.contain(scratch("erasures/tombstones")))
  #expect(lifted.directory(scratch("erasures")).count == 1)
}

@Test func `adding and lifting keep the tombstones of others`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  func ids(_ names: [String]) -> [(id: [UInt8], entity: String)] { names.map { (Array($0.utf8), "users") } }
  #expect(try directory.add(ids(["u1", "u2", "u3"])) == 3)
  #expect(try directory.add(ids(["u2", "u4", "u4"])) == 1)
  var tombstones = try directory.load()
  #expect(tombstones.count == 4)
  for id in ["u1", "u2", "u3", "u4"] { #expect(contains(tombstones, id)) }
  #expect(try directory.lift(ids(["u1", "u3", "u9"])) == 2)
  tombstones = try directory.load()
  #expect(tombstones.count == 2 && contains(tombstones, "u2") && contains(tombstones, "u4"))
  #expect(!contains(tombstones, "u1") && !contains(tombstones, "u3"))
  let digest = tombstones.digest
  #expect(digest == SHA256.digest(of: try scratch.bytes("erasures/tombstones")))
  #expect(tombstones.input?.rows == 2 && tombstones.input?.bytes == 2 * 65)
}
