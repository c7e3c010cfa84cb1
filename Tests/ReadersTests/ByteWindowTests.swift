import Concurrency
import Foundation
import Glibc
import Testing
import Text

@testable import Readers

@Suite struct ByteWindowTests {
  private func file(_ text: String) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "nightjar-\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test(arguments: [1, 2, 3, 7, 64, 4096])
  func `zero bytes follow the window wherever it ends`(capacity: Int) throws {
    let bytes = (0..<200).map { UInt8($0 % 100 + 1) }
    var window = ByteWindow(MemoryBytes(bytes), file: "x", checksUTF8: false, capacity: capacity)
    var position = 0
    while true {
      try window.move(to: min(1, window.count))
      position = window.position
      #expect(
        Array(copying: window.bytes.extracting(0..<window.count))
          == Array(bytes[position..<position + window.count]))
      for offset in window.count..<window.count + ByteWindow.padding {
        #expect(unsafe window.padded.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0)
      }
      if window.isComplete, window.count == 0 { break }
    }
    #expect(position == bytes.count)
  }

  @Test func `every format reads up to the last byte of a memory page`() throws {
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

  @Test func `a pipe or device is read to its end`() throws {
    // The kernel reports a size of 0 for this file.
    let reader = try ExportReader(file: "/proc/self/status", format: .tsv, fields: [])
    #expect(try reader.all().records.count > 10)
  }

  /// The test runs in a process of its own, because it replaces standard input.
  @Test func `the file - is standard input, which stays open`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) == STDIN_FILENO else { exit(1) }
      let text = Array("a\n1\n".utf8)
      guard write(ends[1], text, text.count) == text.count else { exit(2) }
      close(ends[1])
      let records = try ExportReader(file: "-", format: .csv, fields: ["a"]).all().records
      guard records == [.row(2, "1")] else { exit(3) }
      exit(fcntl(STDIN_FILENO, F_GETFD) >= 0 ? 0 : 4)
    }
  }

  @Test func `missing files, directories and forbidden files are errors`() throws {
    func code(_ path: String) -> ExportError? {
      do {
        try ExportReader(file: path, format: .csv, fields: []).forEachRecord { _ in }
        return nil
      } catch {
        return error as? ExportError
      }
    }
    #expect(code("/nowhere/x.csv")?.code == .missingFile)
    #expect(code("/etc/passwd/x.csv")?.code == .missingFile)
    #expect(code("/tmp")?.code == .unreadable)
    #expect(
      code("/tmp")?.description
        == "/tmp: the file cannot be read: Is a directory; check its path and permissions")
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
    // The window may contain bytes that were checked before it moved.
    for (head, line) in [("a\r\n", 2), ("a\r\n" + String(repeating: "é\r\n", count: 20), 22)] {
      for chunk in [1, 2, 3, 5, 16, 1 << 10] {
        let error = Outcome(Array(head.utf8) + bytes, .csv, ["a"], ExportOptions(), chunk: chunk).error
        #expect(error?.code == .invalidUTF8)
        #expect(error?.place == .byte(head.utf8.count + offset, line: line), "\(chunk) bytes at a time")
      }
    }
  }

  @Test func `the UTF-8 form of every Unicode character is valid`() {
    var bytes: [UInt8] = []
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      if let scalar = Unicode.Scalar(value) { bytes.append(contentsOf: Array(String(scalar).utf8)) }
    }
    #expect(firstInvalidUTF8(bytes.span) == nil)
  }

  @Test func `UTF-16 is reported as such`() {
    let error = failure(bytes: [0xFF, 0xFE, 0x61, 0x00], .csv, ["a"])
    #expect(error?.reason.contains("UTF-16") == true)
  }
}

@Suite struct LineNumberTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `lines equal a naive count, in one piece and through a window`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      // The bytes include values close to line ends, and bytes with the high bit set.
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        [0x0A, 0x0D, 0x0A, 0x0D, 0x0B, 0x0C, 0x8A, 0x8D, 0x00, 0xFF][Int(random.next() % 10)] as UInt8
      }
      var lines = [1]
      for (index, byte) in bytes.enumerated() {
        let isPair = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
        let isEnd = byte == 0x0A || byte == 0x0D && !isPair
        lines.append(lines[index] + (isEnd ? 1 : 0))
      }
      // Each offset is within the text. At the end of the text, a CR may be the first half of a
      // line end.
      for offset in bytes.indices { #expect(lineNumber(of: offset, in: bytes.span) == lines[offset]) }
      var window = ByteWindow(MemoryBytes(bytes), file: "x", checksUTF8: false, capacity: 3)
      while !window.isComplete || window.count > 0 {
        try window.move(to: Int.random(in: 0...window.count, using: &random))
        for offset in 0..<window.count {
          #expect(window.line(of: offset) == lines[window.position + offset], "\(bytes)")
        }
      }
    }
  }
}
