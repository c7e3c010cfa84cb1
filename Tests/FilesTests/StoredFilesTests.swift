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
    #expect(error("large")?.reason.contains("18 instead of 17 bytes") == true)
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

  @Test func `a file at any depth is found, and files in hidden folders are not checked`() throws {
    var directory = try StageDirectory("other", in: scratch.path)
    let name = "1/2/3/4/5/6/7/x"
    try directory.write(name) { (writer) throws(FileError) in try writer.append("x") }
    _ = try directory.complete(.plain)
    _ = try MappedFile(checking: scratch("other/" + name))
    try scratch.write("y", to: "other/" + name)
    let found = #expect(throws: FileError.self) { _ = try MappedFile(checking: scratch("other/" + name)) }
    #expect(found?.path == scratch("other/" + name))
    try scratch.write("y", to: "stage/.hidden/y")
    try scratch.write("y", to: "stage/.hidden/deep/y")
    #expect(error(".hidden/y") == nil && error(".hidden/deep/y") == nil)
    // Two dots are no hidden folder.
    try flip(0, of: "a.txt")
    #expect(error("deep/../a.txt")?.reason.hasPrefix("block 1 of 1 ") == true)
  }

  @Test func `a manifest that changed is read again`() throws {
    #expect(error("a.txt") == nil)
    var manifest = try Manifest(of: scratch("stage"))
    manifest.outputs.removeAll { $0.path == "a.txt" }
    try Directories.replace(scratch("stage/manifest.json"), with: manifest.json)
    #expect(
      error("a.txt")?.reason
        == "the manifest of '\(scratch("stage"))' does not list it, so the run is damaged")
    // A manifest without files lists nothing to compare with.
    manifest.outputs = []
    try Directories.replace(scratch("stage/manifest.json"), with: manifest.json)
    try flip(0, of: "a.txt")
    #expect(error("a.txt") == nil)
  }

  @Test func `lengths are checked without reading the files`() throws {
    try StoredFiles.checkLengths(in: scratch("none"))
    try scratch.write("x", to: "loose/file")
    try StoredFiles.checkLengths(in: scratch("loose"))
    try flip(0, of: "a.txt")
    try StoredFiles.checkLengths(in: scratch("stage"))
    for (bytes, reason) in [
      ([1], "its size is 1 instead of 17 bytes, so the run is damaged"),
      (nil, "it is missing, so the run is damaged"),
    ] as [([UInt8]?, String)] {
      try FileManager.default.removeItem(atPath: scratch("stage/deep/er/b.txt"))
      if let bytes { try scratch.write(bytes, to: "stage/deep/er/b.txt") }
      // A listing that was already read is not compared again, so the manifest gets a new identity.
      try Directories.replace(scratch("stage/manifest.json"), with: scratch.bytes("stage/manifest.json"))
      let found = #expect(throws: FileError.self) { try StoredFiles.checkLengths(in: scratch("stage")) }
      #expect(found?.reason == reason && found?.path == scratch("stage/deep/er/b.txt"))
    }
  }

  @Test(arguments: [1, 2, 8]) func `the first damaged file of the manifest is reported`(threads: Int) throws {
    try flip(3, of: "large")
    try flip(5, of: "deep/er/b.txt")
    let found = #expect(throws: FileError.self) { try StoredFiles.check(scratch("stage"), threads: threads) }
    #expect(found?.path == scratch("stage/deep/er/b.txt"))
    #expect(
      found?.reason == "block 1 of 1 does not match its checksum in the manifest, so the run is damaged")
  }

  @Test(arguments: [0, 16, 17, 18]) func `pieces of another total length are damage`(count: Int) throws {
    var check = try FileCheck(scratch("stage/a.txt"))
    let bytes = Self.content + [10]
    check.update(bytes.span.extracting(0..<count).bytes)
    let found: String?
    do throws(FileError) {
      try check.finish()
      found = nil
    } catch {
      found = error.reason
    }
    #expect(found == (count == 17 ? nil : "its size is \(count) instead of 17 bytes, so the run is damaged"))
    // Outside of stage directories, any bytes are accepted.
    var other = try FileCheck(scratch("none"))
    other.update(bytes.span.bytes)
    try other.finish()
    try other.check(block: 7, bytes.span.bytes)
  }
}
