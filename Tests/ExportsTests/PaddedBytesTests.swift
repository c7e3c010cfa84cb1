import Foundation
import Glibc
import Testing

@testable import Exports

@Suite struct PaddedBytesTests {
  private func file(_ text: String) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "nightjar-\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test func `a file that ends with its last page has readable zeros behind it`() throws {
    for count in [1, 4095, 4096, 4097, 8192] {
      let url = try file(String(repeating: "x", count: count))
      defer { try? FileManager.default.removeItem(at: url) }
      let source = try PaddedBytes.opened(url.path)
      #expect(source.count == count)
      #expect(source.bytes[count - 1] == UInt8(ascii: "x"))
      for offset in count..<count + PaddedBytes.padding {
        #expect(unsafe source.padded.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0)
      }
    }
  }

  @Test func `every format reads to the last byte of a page`() throws {
    let texts: [(ExportFormat, String, String)] = [
      (.csv, "a\n", "x"), (.jsonl, "{\"a\":\"", "\"}"), (.json, "[{\"a\":\"", "\"}]"),
    ]
    for (format, head, tail) in texts {
      let filler = String(repeating: "x", count: 4096 - head.utf8.count - tail.utf8.count)
      let url = try file(head + filler + tail)
      defer { try? FileManager.default.removeItem(at: url) }
      let records = try ExportReader(file: url.path, format: format, fields: ["a"]).all().records
      #expect(records.count == 1)
      #expect(records.first?.cells == [.text(Array((format == .csv ? filler + tail : filler).utf8))])
    }
  }

  @Test func `an empty file is empty`() throws {
    let url = try file("")
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(try PaddedBytes.opened(url.path).count == 0)
  }

  @Test func `what is not a regular file is read to its end`() throws {
    // The kernel says that this file has no bytes.
    let source = try PaddedBytes.opened("/proc/self/status")
    #expect(source.count > 100)
  }

  @Test func `a missing file, a directory and a file without permission`() throws {
    func code(_ path: String) -> ExportError? {
      do {
        _ = try ExportReader(file: path, format: .csv, fields: [])
        return nil
      } catch {
        return error
      }
    }
    #expect(code("/nowhere/x.csv")?.code == .missingFile)
    #expect(code("/etc/passwd/x.csv")?.code == .missingFile)
    #expect(code("/tmp")?.code == .unreadable)
    #expect(code("/tmp")?.description == "/tmp: the file cannot be read: Is a directory")
  }

  @Test(
    arguments: [
      ([0x61, 0x80], 1), ([0xC3], 0), ([0xC0, 0xAF], 0), ([0xED, 0xA0, 0x80], 0),
      ([0xF4, 0x90, 0x80, 0x80], 0),
      ([0xE0, 0x9F, 0xBF], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0), ([0xE2, 0x82, 0xAC, 0xF5], 3),
      ([0xF1, 0x80, 0x80], 0),
      ([0xE2, 0x82, 0x41], 0),
    ] as [([UInt8], Int)])
  func `the first byte that is not UTF-8 is found`(_ bytes: [UInt8], _ offset: Int) {
    #expect(firstInvalidUTF8(bytes.span) == offset)
    let error = failure(bytes: Array("a\r\n".utf8) + bytes, .csv, ["a"])
    #expect(error?.code == .invalidUTF8)
    #expect(error?.place == .byte(3 + offset, line: 2))
  }

  @Test func `every character of Unicode is UTF-8`() {
    var bytes: [UInt8] = []
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      if let scalar = Unicode.Scalar(value) { bytes.append(contentsOf: Array(String(scalar).utf8)) }
    }
    #expect(firstInvalidUTF8(bytes.span) == nil)
  }

  @Test func `UTF-16 is told as such`() {
    let error = failure(bytes: [0xFF, 0xFE, 0x61, 0x00], .csv, ["a"])
    #expect(error?.reason.contains("UTF-16") == true)
  }
}

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("form", "from", 1), ("ca", "abc", 3),
    ("abc", "abc", 0),
  ])
  func `edits are counted`(_ a: String, _ b: String, _ edits: Int) {
    #expect(editDistance(Array(a), Array(b)) == edits)
    #expect(editDistance(Array(b), Array(a)) == edits)
  }

  @Test func `only a close name is proposed, and case costs nothing`() {
    #expect(nearestName(to: "UserID", among: ["user", "userId", "userid"]) == "userId")
    #expect(nearestName(to: "xyz", among: ["abc"]) == nil)
    #expect(nearestName(to: "a", among: []) == nil)
    #expect(
      nearestName(to: String(repeating: "a", count: 65), among: [String(repeating: "a", count: 65)]) == nil)
  }
}
