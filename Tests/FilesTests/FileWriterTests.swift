import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

@Suite struct FileWriterTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test func `an existing file is a create error and stays unchanged`() throws {
    let path = try scratch.write("old", to: "x")
    let error = #expect(throws: FileError.self) { _ = try FileWriter(creating: path) }
    #expect(error?.operation == .create)
    #expect(try scratch.text("x") == "old")
  }

  @Test func `a missing directory is a create error`() {
    let error = #expect(throws: FileError.self) { _ = try FileWriter(creating: scratch("none/x")) }
    #expect(error?.operation == .create)
  }

  @Test func `a directory without permission is a create error`() throws {
    let directory = scratch("closed")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory)
    // The superuser can write despite the missing permission.
    let error = #expect(throws: FileError.self) {
      _ = try FileWriter(creating: getuid() == 0 ? "/proc/nightjar" : directory + "/x")
    }
    #expect(error?.operation == .create)
  }

  @Test(arguments: [0, 1, 100, 1 << 18, 1 << 18 + 1, 1 << 20])
  func `pieces of any size become the file and its digest`(size: Int) throws {
    var random = SplitMix64(seed: UInt64(size))
    var all: [UInt8] = []
    var writer = try FileWriter(creating: scratch("x"))
    for _ in 0..<5 {
      let piece = (0..<Int.random(in: 0...max(1, size), using: &random)).map { UInt8(truncatingIfNeeded: $0) }
      all += piece
      try writer.append(piece)
    }
    let digest = try writer.finish(as: "name", rows: 5)
    #expect(try scratch.bytes("x") == all)
    #expect(
      digest
        == FileDigest(
          path: "name", bytes: all.count, sha256: SHA256.digest(of: all),
          crc32c: BlockChecksums(of: all.span.bytes), rows: 5))
  }

  @Test func `reserved space and bytes with a known digest do not change the content`() throws {
    for reserved in [1, 5, 4096] {
      let path = scratch("reserved \(reserved)")
      var writer = try FileWriter(creating: path)
      try writer.reserve(reserved)
      try writer.append("ab")
      let (known, bytes) = (Array("ab".utf8), Array("cde".utf8))
      writer.digest.update(bytes.span.bytes)
      try writer.append(digested: bytes.span.bytes)
      let digest = try writer.finish(as: "x")
      #expect(try scratch.text("reserved \(reserved)") == "abcde")
      #expect(digest.bytes == 5 && digest.path == "x" && digest.rows == nil)
      // The digest covers the bytes in the order in which it received them.
      #expect(digest.sha256 == SHA256.digest(of: bytes + known))
    }
  }

  @Test(arguments: [(false, 0o640), (true, 0o600)])
  func `a new file can be read by its group, unless it is secret`(isSecret: Bool, mode: Int) throws {
    _ = try FileWriter(creating: scratch("x"), isSecret: isSecret).finish(as: "x")
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch("x"))
    #expect((attributes[.posixPermissions] as? Int) == mode)
  }

  @Test(arguments: [0, 1, 100, 1 << 20 + 1])
  func `a file of another program gets a digest and the permissions of the program's own files`(
    size: Int
  ) throws {
    let bytes = [UInt8](repeating: 0x5A, count: size)
    let path = try scratch.write(bytes, to: "x")
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let digest = try FileDigest(syncing: path, as: "name", rows: 5)
    #expect(
      digest
        == FileDigest(
          path: "name", bytes: size, sha256: SHA256.digest(of: bytes),
          crc32c: BlockChecksums(of: bytes.span.bytes), rows: 5))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int) == 0o640)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
  func `a full disk is a write error with advice`() {
    let error = #expect(throws: FileError.self) {
      var writer = FileWriter(descriptor: open("/dev/full", O_WRONLY), path: "/dev/full")
      try writer.append("x")
      _ = try writer.finish(as: "x")
    }
    #expect(error?.operation == .write)
    #expect(error?.advice.contains("space") == true)
  }
}
