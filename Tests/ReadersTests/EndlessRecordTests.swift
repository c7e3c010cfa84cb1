import Testing

@testable import Readers

/// A source that generates more bytes than fit into memory.
private final class EndlessBytes: ByteSource {
  let isAsOnDisk = false
  private let parts: [(text: [UInt8], count: Int)]
  private var part = 0
  private var offset = 0
  /// The largest number of bytes that the reader requested at once. A window requests as many bytes
  /// as it has room for.
  private(set) var largestRead = 0

  /// Repeats each text until it has `count` bytes.
  init(_ parts: (String, count: Int)...) {
    self.parts = parts.map { (Array($0.utf8), $1) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    largestRead = max(largestRead, buffer.count)
    while part < parts.count, offset == parts[part].count { (part, offset) = (part + 1, 0) }
    guard part < parts.count else { return 0 }
    let text = parts[part].text
    let count = min(buffer.count, parts[part].count - offset)
    let first = min(count, (text.count - offset % text.count) % text.count)
    buffer.copyBytes(from: text.suffix(first).prefix(first))
    var filled = first
    while filled < count {
      // Copies one repetition of the text into the buffer, and then doubles the filled part until
      // the buffer is full.
      let length = filled == first ? min(text.count, count - filled) : min(filled - first, count - filled)
      if filled == first {
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: text.prefix(length))
      } else {
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: buffer[first..<first + length]))
      }
      filled += length
    }
    offset += count
    return count
  }
}

@Suite struct EndlessRecordTests {
  private static let limit = 1 << 16
  private static let size = 12 << 20

  private struct Met: Equatable {
    var rules: [RecordFault.Rule?] = []
    var numbers: [Int] = []
  }

  private func json(_ source: EndlessBytes, _ format: ExportFormat) throws -> Met {
    let window = ByteWindow(source, file: "x", checksUTF8: format != .jsonl, capacity: 1 << 14)
    var pass = JSONPass(
      try JSONStream(window, file: "x", recordLimit: Self.limit), file: "x", fields: [], paths: [],
      lists: [], dialect: .plain, missing: MissingTexts([]))
    var met = Met()
    func note(_ record: borrowing Record) {
      met.rules.append(record.fault?.rule)
      met.numbers.append(record.number)
    }
    if format == .jsonl { try pass.forEachLine(note) } else { try pass.forEachElement(note) }
    return met
  }

  @Test func `an unterminated element takes no more memory than a record`() throws {
    for (text, tail) in [("é🐕", "\""), ("x", "\"")] {
      let count = Self.size / text.utf8.count * text.utf8.count
      let source = EndlessBytes(("[{},\"", 5), (text, count), ("\(tail),{}]", tail.utf8.count + 4))
      #expect(try json(source, .json) == Met(rules: [nil, .recordTooLong, nil], numbers: [1, 2, 3]))
      #expect(source.largestRead <= 2 * Self.limit)
    }
  }

  @Test func `an unterminated line takes no more memory than a record`() throws {
    let source = EndlessBytes(("{}\n{", 4), ("[7],", Self.size), ("\n{}", 3))
    #expect(try json(source, .jsonl) == Met(rules: [nil, .recordTooLong, nil], numbers: [1, 2, 3]))
    #expect(source.largestRead <= 2 * Self.limit)
  }

  @Test(arguments: ["xyz,", "\""])
  func `an unterminated row takes no more memory than a record`(_ head: String) throws {
    let source = EndlessBytes(("a\n1\n\(head)", 4 + head.utf8.count), ("é", Self.size), ("\n2\n", 3))
    var met = Met()
    let pass = try DelimitedPass(
      ByteWindow(source, file: "x", checksUTF8: true, capacity: 1 << 14), file: "x", fields: ["a"],
      optional: [], unit: .line,
      delimiter: UInt8(ascii: ","), quote: UInt8(ascii: "\""), missing: MissingTexts([]),
      recordLimit: Self.limit)
    let summary = try pass.forEach { record in
      met.rules.append(record.fault?.rule)
      met.numbers.append(record.number)
    }
    #expect(met == Met(rules: [nil, .recordTooLong, nil], numbers: [2, 3, 4]))
    #expect(summary.records == 2 && summary.faults == 1)
    #expect(source.largestRead <= 2 * Self.limit)
  }
}
