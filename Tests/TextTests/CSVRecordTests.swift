import Concurrency
import Testing
import Text

/// `CSVRecord` reads the output of `CSVText` and other texts that RFC 4180 allows.
@Suite struct `A record of CSV` {
  /// Reads `lines` and returns the record, or `nil` if it is incomplete.
  private func read(_ lines: String...) throws -> CSVRecord? {
    var record = CSVRecord()
    var isComplete = false
    for line in lines { isComplete = try record.take(Array(line.utf8).span) }
    return isComplete ? record : nil
  }

  private func whole(_ line: [UInt8]) -> CSVRecord? { CSVRecord(line: line.span) }

  private func fields(_ record: CSVRecord) -> [String] {
    (0..<record.count).map { String(decoding: record[$0], as: UTF8.self) }
  }

  /// Random texts of ordinary characters and of characters that need quotes, guards or escapes.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `returns the written texts and their ranges`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let characters: [Unicode.Scalar] = [
      "a", "7", ",", "\"", "'", "=", "-", "+", "@", "\\", "\n", "\r", "\t", " ", "é", "🦉", "\u{202E}",
      "\u{85}",
    ]
    let texts = (0..<1 + Int(generator.next() % 5)).map { _ in
      var text = String.UnicodeScalarView()
      for _ in 0..<Int(generator.next() % 8) {
        text.append(characters[Int(generator.next() % UInt64(characters.count))])
      }
      return Array(String(text).utf8)
    }
    var csv = CSVText()
    for text in texts { csv.append(text: text.span) }
    let line = csv.bytes
    #expect(!line.contains(0x0A))
    let record = try #require(whole(line))
    #expect(record.count == texts.count)
    #expect(texts.indices.map { record.text($0) } == texts)
    #expect(texts.indices.map { record.written($0, in: line) } == texts.map(CSVText.field))
    let joined = texts.indices.map { Array(line[record.place($0)]) }.joined(separator: [UInt8(ascii: ",")])
    #expect(Array(joined) == line)
  }

  @Test func `continues over lines within quotes, and accepts CRLF`() throws {
    let record = try #require(try read("\"a,\"\"b\"\"", "\r", "c\",u2,\r"))
    #expect(fields(record) == ["a,\"b\"\n\r\nc", "u2", ""])
  }

  @Test func `may be a single empty field`() throws {
    let record = try #require(try read(""))
    #expect(fields(record) == [""])
    #expect(record[1].isEmpty && record.text(7).isEmpty && record.written(1, in: []).isEmpty)
  }

  @Test func `starts again after a complete record`() throws {
    let one = try #require(try read("a,\"b\",c", "d"))
    #expect(fields(one) == ["d"])
    let two = try #require(try read("a,\"b\",c", "d", "e,f"))
    #expect(fields(two) == ["e", "f"])
  }

  @Test(arguments: ["a\"b", "\"a\"b", "a\rb", "x,\"a\" "])
  func `is invalid if a quote or CR is misplaced`(line: String) {
    #expect(throws: CSVRecord.Flaw.quote) { try read(line) }
    #expect(whole(Array(line.utf8)).map(fields) == nil)
  }

  @Test func `is incomplete while quotes are open`() throws {
    #expect(try read("a,\"b").map(fields) == nil)
  }
}
