import Reproducible
import Synchronization
import TestSupport
import Testing

@testable import Exports

/// What comes of reading a text in blocks, one after the other, as `Outcome` has it of reading it in one pass.
private func inBlocks(
  _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String], blockSize: Int,
  recordLimit: Int = ByteWindow.recordLimit
) -> (outcome: Outcome, count: Int) {
  var outcome = Outcome(records: [], summary: nil, error: nil)
  var count = 0
  do {
    var reader = try ExportReader(bytes: bytes, name: "x", format: format, fields: fields)
    reader.blockSize = blockSize
    reader.recordLimit = recordLimit
    let pool = BlockPool()
    let blocks = reader.blocks(from: pool)
    var summary = ReadSummary()
    var isEnded = false
    while let block = try blocks.next() {
      #expect(!isEnded, "nothing follows the last block")
      summary.add(try block.forEachRecord { outcome.records.append(ReadRecord($0, fields: fields.count)) })
      pool.giveBack(block)
      count += 1
      isEnded = block.isLast
    }
    #expect(isEnded, "a file ends with its last block")
    outcome.summary = summary
  } catch {
    outcome.error = error as? ExportError
  }
  return (outcome, count)
}

@Suite struct BlockTests {
  /// Text made of what decides where records end.
  private func text(_ pieces: [String], seed: UInt64, count: Int) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).flatMap { _ in Array((pieces.randomElement(using: &random) ?? "").utf8) }
  }

  /// Cuts at every place: blocks of one byte up to more than the text.
  private func expectSame(
    _ bytes: [UInt8], _ format: ExportFormat, recordLimit: Int = ByteWindow.recordLimit
  ) -> Int {
    let fields = ["a", "b"]
    let whole = Outcome(
      bytes, format, fields, ExportOptions(), chunk: bytes.count + 1, recordLimit: recordLimit)
    var most = 0
    for size in 1...bytes.count + 2 {
      let (outcome, count) = inBlocks(
        bytes, format, fields, blockSize: size, recordLimit: recordLimit)
      most = max(most, count)
      #expect(
        outcome == whole,
        "blocks of \(size) bytes: \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
    return most
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `a CSV file that is cut everywhere is read as it is in one pass`(seed: UInt64) {
    // Quotes where they belong, where they do not, and never closed; every kind of line end.
    let pieces = ["a,b", "\n", "\r\n", "\r", "\"", "\"\"", ",", "x", "é", "\"q\nr\"", "\"s\",t\n", "1,2\n"]
    _ = expectSame(Array("a,b\n".utf8) + text(pieces, seed: seed, count: 24), .csv)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `so is one without quotes, in many blocks`(seed: UInt64) {
    let bytes =
      Array("a,b\n".utf8)
      + text(["1,2\n", "3,4\r\n", "\r", "\n", "5\n", "éé,7\n"], seed: seed, count: 20)
    #expect(expectSame(bytes, .csv) > 5)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `so is one with rows that are too long`(seed: UInt64) {
    let pieces = ["1,2\n", "\"", "\"\"", ",", "xxxxxxxx", "\n", "\r", "yyyy,z\r\n"]
    _ = expectSame(Array("a,b\n".utf8) + text(pieces, seed: seed, count: 24), .csv, recordLimit: 12)
  }

  @Test(arguments: 0..<40 as Range<UInt64>, [ByteWindow.recordLimit, 24])
  func `JSON Lines that are cut everywhere are read as they are in one pass`(seed: UInt64, limit: Int) {
    let pieces = [
      "{\"a\":1,\"b\":\"x\"}\n", "{\"a\":\"é\"}\r\n", "{\"c\":2}\n", "\n", "  \r\n", "[1]\n", "{\"a\":\n",
      "\u{FEFF}{}\n", "\r",
    ]
    _ = expectSame(text(pieces, seed: seed, count: 10), .jsonl, recordLimit: limit)
  }

  @Test func `names of keys are those of the first hundred records, however they are cut`() throws {
    let lines = (0..<150).map { "{\"k\($0)\":1,\"a\":2}\n" }.joined()
    _ = expectSame(Array(lines.prefix(900).utf8), .jsonl)
    for size in [64, 300, 5000] {
      let whole = Outcome(
        Array(lines.utf8), .jsonl, ["a"], ExportOptions(), chunk: lines.utf8.count + 1)
      let (outcome, count) = inBlocks(Array(lines.utf8), .jsonl, ["a"], blockSize: size)
      #expect(outcome == whole)
      #expect(outcome.summary?.namesSeen.count == 101)
      #expect(count > 1 || size > lines.utf8.count)
    }
  }

  @Test(arguments: [ExportFormat.csv, .jsonl, .json])
  func `an empty file has one block`(_ format: ExportFormat) throws {
    let text = format == .csv ? "a,b\n" : format == .json ? "[]" : ""
    let (outcome, count) = inBlocks(Array(text.utf8), format, ["a"], blockSize: 16)
    #expect(outcome.summary?.records == 0)
    #expect(count == 1)
  }

  @Test func `lines are counted as one by one, wherever CR and LF stand`() {
    var random = SplitMix64(seed: 5)
    for length in [0, 1, 15, 16, 17, 300, 5000] {
      let bytes = (0..<length).map { _ in [10, 13, 65, 66].randomElement(using: &random) ?? UInt8(0) }
      var line = 1
      for index in 0...length {
        // Ended is a line behind its last byte: an LF, or a CR that no LF follows.
        if index > 0, bytes[index - 1] == 10 || bytes[index - 1] == 13 {
          let isHalf = bytes[index - 1] == 13 && index < length && bytes[index] == 10
          if !isHalf { line += 1 }
        }
        if length < 500 || index % 97 == 0 || index == length {
          #expect(lineNumber(of: index, in: bytes.span) == line)
        }
      }
    }
  }
}
