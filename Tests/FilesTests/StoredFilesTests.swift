import Concurrency
import Foundation
import System
import Testing
import TestSupport

@testable import Files

/// Reads the files of a complete stage directory after damage.
struct StoredFilesTests {
  let scratch: ScratchDirectory
  private static let content = [UInt8]("a line of a list\n".utf8)

  init() throws {
    scratch = try ScratchDirectory()
    var directory = try StageDirectory("stage", in: scratch.path)
    for name in ["a.txt", "deep/er/b.txt", "empty"] {
      try directory.write(name) { (writer) throws(FileError) in
        if name != "empty" { try writer.append(Self.content) }
      }
    }
    try directory.write("large") { (writer) throws(FileError) in
      for number in 0..<5 { try writer.append([UInt8](repeating: UInt8(number), count: 700_000)) }
    }
    _ = try directory.complete(.plain)
  }

  private func flip(_ bit: Int, of name: String) throws {
    var bytes = try scratch.bytes("stage/" + name)
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    try scratch.write(bytes, to: "stage/" + name)
  }

  /// Returns the error of reading `name`, or `nil` if reading succeeds.
  private func error(_ name: String) -> FileError? {
    do throws(FileError) {
      _ = try MappedFile(checking: scratch("stage/" + name))
      return nil
    } catch { return error }
  }

  @Test func `undamaged files and files outside of stage directories are read`() throws {
    for name in ["a.txt", "deep/er/b.txt", "empty", "large"] { #expect(error(name) == nil, "\(name)") }
    try scratch.write("x", to: "loose/file")
    #expect(try MappedFile(checking: scratch("loose/file")).count == 1)
    try StoredFiles.check(scratch("stage"), threads: 2)
  }

  @Test(arguments: [0, 77, 8 * (1 << 20), 8 * 3_499_999 + 7]) func `a flipped bit of a large file is found`(
    bit: Int
  ) throws {
    try flip(bit, of: "large")
    let found = try #require(error("large"))
    #expect(found.exitStatus == .ioError)
    #expect(found.path == scratch("stage/large"))
    #expect(found.reason.hasPrefix("block \(bit / 8 / (1 << 20) + 1) of 4 "), "\(found)")
    #expect(error("a.txt") == nil)
    let checked = #expect(throws: FileError.self) { try StoredFiles.check(scratch("stage")) }
    #expect(checked == found)
  }

  @Test func `wrong lengths, missing files and unknown files are found`() throws {
    try scratch.write(Self.content + [10], to: "stage/a.txt")
    // All lengths are compared before a file is read, because a missing file may be optional.
    #expect(error("large")?.reason.contains("18 bytes instead of 17") == true)
    try scratch.write(Self.content, to: "stage/a.txt")
    try scratch.write("x", to: "stage/other")
    #expect(error("other")?.reason.contains("does not list it") == true)
    try FileManager.default.removeItem(atPath: scratch("stage/deep/er/b.txt"))
    #expect(#expect(throws: FileError.self) { try StoredFiles.check(scratch("stage")) }?.operation == .read)
  }

  @Test func `a file with another file's content is found`() throws {
    var other = Self.content
    other[0] = 65
    try scratch.write(other, to: "stage/a.txt")
    #expect(error("a.txt") != nil)
  }

  @Test func `every flipped bit of the manifest is found`() throws {
    let count = try scratch.bytes("stage/manifest.json").count
    for bit in 0..<8 * count {
      try flip(bit, of: "manifest.json")
      let found = #expect(throws: FileError.self) { _ = try Manifest(of: scratch("stage")) }
      #expect(found?.exitStatus == .ioError)
      #expect(found?.path == scratch("stage/manifest.json"))
      try flip(bit, of: "manifest.json")
    }
    _ = try Manifest(of: scratch("stage"))
  }

  @Test func `a manifest without checksums is read, and lengths are compared`() throws {
    var manifest = try Manifest(of: scratch("stage"))
    for index in manifest.outputs.indices { manifest.outputs[index].crc32c = nil }
    try scratch.write(manifest.json, to: "stage/manifest.json")
    #expect(try !scratch.text("stage/manifest.json").contains("checksum"))
    try flip(3, of: "a.txt")
    #expect(error("a.txt") == nil)
    try scratch.write(Self.content.dropLast() + [], to: "stage/a.txt")
    #expect(error("a.txt")?.exitStatus == .ioError)
  }

  @Test func `reading in pieces checks the whole file`() throws {
    func read() throws(FileError) {
      var check = try FileCheck(scratch("stage/large"))
      let file = try MappedFile(scratch("stage/large"))
      for start in stride(from: 0, to: file.count, by: 300_001) {
        check.update(file.bytes.extracting(start..<min(file.count, start + 300_001)))
      }
      try check.finish()
    }
    try read()
    try flip(9_000_000, of: "large")
    #expect(#expect(throws: FileError.self) { try read() }?.path == scratch("stage/large"))
  }

  @Test func `each block can be checked alone`() throws {
    let check = try FileCheck(scratch("stage/large"))
    let file = try MappedFile(scratch("stage/large"))
    let size = BlockChecksums.blockSize
    for block in 0...4 {
      for part in 0..<4 {
        let bytes = file.bytes.extracting(part * size..<min((part + 1) * size, file.count))
        do throws(FileError) {
          try check.check(block: block, bytes)
          #expect(block == part)
        } catch {
          #expect(block != part && error.path == scratch("stage/large"))
          #expect(error.reason.hasPrefix("block \(block + 1) of 4 "))
        }
      }
    }
  }
}
