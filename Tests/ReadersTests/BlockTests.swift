import Concurrency
import Synchronization
import Testing
import TestSupport

@testable import Readers

/// Reads a text in consecutive blocks. Returns the same type as a single pass, so both can be
/// compared.
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
      #expect(!isEnded, "the last block must have no successor")
      summary.add(try block.forEachRecord { outcome.records.append(ReadRecord($0, fields: fields.count)) })
      pool.giveBack(block)
      count += 1
      isEnded = block.isLast
    }
    #expect(isEnded, "a file ends with its last block")
    outcome.summary = summary
    if recordLimit != ByteWindow.recordLimit { outcome.summary?.certainGap = nil }
  } catch {
    outcome.error = error as? ExportError
  }
  return (outcome, count)
}

@Suite struct BlockTests {
  /// Returns a random text of `pieces` that affect record boundaries.
  private func text(_ pieces: [String], seed: UInt64, count: Int) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).flatMap { _ in Array((pieces.randomElement(using: &random) ?? "").utf8) }
  }

  /// Expects the same result for blocks of any size, from one byte to more than the text.
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
  func `a CSV file cut into blocks is read as in one pass`(seed: UInt64) {
    // The rows contain valid, misplaced and unclosed quotes, and every kind of line end.
    let pieces = ["a,b", "\n", "\r\n", "\r", "\"", "\"\"", ",", "x", "é", "\"q\nr\"", "\"s\",t\n", "1,2\n"]
    _ = expectSame(Array("a,b\n".utf8) + text(pieces, seed: seed, count: 24), .csv)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a CSV file without quotes is read as in one pass`(seed: UInt64) {
    let bytes =
      Array("a,b\n".utf8)
      + text(["1,2\n", "3,4\r\n", "\r", "\n", "5\n", "éé,7\n"], seed: seed, count: 20)
    #expect(expectSame(bytes, .csv) > 5)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a CSV file with rows that are too long is read as in one pass`(seed: UInt64) {
    let pieces = ["1,2\n", "\"", "\"\"", ",", "xxxxxxxx", "\n", "\r", "yyyy,z\r\n"]
    _ = expectSame(Array("a,b\n".utf8) + text(pieces, seed: seed, count: 24), .csv, recordLimit: 12)
  }

  @Test(arguments: 0..<40 as Range<UInt64>, [ByteWindow.recordLimit, 24])
  func `JSON Lines cut into blocks are read as in one pass`(seed: UInt64, limit: Int) {
    let pieces = [
      "{\"a\":1,\"b\":\"x\"}\n", "{\"a\":\"é\"}\r\n", "{\"c\":2}\n", "\n", "  \r\n", "[1]\n", "{\"a\":\n",
      "\u{FEFF}{}\n", "\r",
    ]
    _ = expectSame(text(pieces, seed: seed, count: 10), .jsonl, recordLimit: limit)
  }

  @Test func `key names come from the first hundred records, for blocks of any size`() throws {
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

  @Test func `only the last block of a CSV file can show that records are missing`() throws {
    // With this record limit, the open quote is a fault, and its line is the last one of its block.
    let text = "a,b\n\"xxxxxxxxxxx\n1,2\n3,4\n"
    var reader = try ExportReader(bytes: Array(text.utf8), name: "x", format: .csv, fields: ["a"])
    reader.blockSize = 17
    reader.recordLimit = 12
    let block = try reader.blocks(from: BlockPool()).next()
    let first = try #require(block)
    let summary = try first.forEachRecord { _ in }
    #expect(!first.isLast && summary.records + summary.faults == 1)
    #expect(summary.gap == nil && summary.unendedRow == nil)
  }

  /// An error that a server wrote is evidence of a gap only if it is the last record. Lines without a record
  /// may follow it, also in blocks of their own.
  @Test(
    arguments: [
      ("{\"error\":\"x\"}\n", true), ("{\"error\":\"x\"}\n\n\n", true), ("{\"error\":\"x\"}", true),
      ("{\"a\":1}\n{\"error\":\"x\"}\n", true), ("{\"error\":\"x\"}\n{\"a\":1}\n", false),
      ("{\"error\":\"x\"}\n{\"a\":\n", false), ("{\"error\":\"x\"}\n\n{\"a\":1}\n", false),
    ])
  func `an error at the end of a file shows a gap, at any block size`(text: String, isGap: Bool) throws {
    for size in 1...text.utf8.count + 1 {
      let summary = inBlocks(Array(text.utf8), .jsonl, ["a"], blockSize: size).outcome.summary
      #expect((summary?.gap != nil) == isGap, "\(size)")
    }
    _ = expectSame(Array(text.utf8), .jsonl)
  }

  @Test func `an error before a record that is too long does not show a gap`() throws {
    let text = Array("{\"error\":\"x\"}\n{\"a\":\"too long\"}\n".utf8)
    _ = expectSame(text, .jsonl, recordLimit: 14)
    let whole = Outcome(
      text, .jsonl, ["a"], ExportOptions(), chunk: text.count + 1, recordLimit: 14)
    #expect(whole.summary?.faults == 1 && whole.summary?.gap == nil)
  }

  @Test(arguments: [ExportFormat.csv, .jsonl, .json])
  func `an empty file has one block`(_ format: ExportFormat) throws {
    let text = format == .csv ? "a,b\n" : format == .json ? "[]" : ""
    let (outcome, count) = inBlocks(Array(text.utf8), format, ["a"], blockSize: 16)
    #expect(outcome.summary?.records == 0)
    #expect(count == 1)
  }

  /// Returns the bytes that the observer receives in order, and how many of them it receives with
  /// blocks.
  private func observed(
    _ path: String, _ format: ExportFormat, blockSize: Int, recordLimit: Int = ByteWindow.recordLimit
  ) throws -> (bytes: [UInt8], withBlocks: Int) {
    var reader = try ExportReader(file: path, format: format, fields: ["a"])
    reader.blockSize = blockSize
    reader.chunk = blockSize
    reader.recordLimit = recordLimit
    var seen: [UInt8] = []
    var withBlocks = 0
    let pool = BlockPool()
    let blocks = reader.blocks(from: pool) { seen += unsafe $0.withUnsafeBytes { unsafe Array($0) } }
    while let block = try blocks.next() {
      block.observe {
        withBlocks += $0.byteCount
        seen += unsafe $0.withUnsafeBytes { unsafe Array($0) }
      }
      _ = try block.forEachRecord { _ in }
      pool.giveBack(block)
    }
    return (seen, withBlocks)
  }

  @Test(arguments: 0..<12 as Range<UInt64>, [ByteWindow.recordLimit, 12])
  func `an observer receives all bytes of a file once, in order`(seed: UInt64, recordLimit: Int) throws {
    let scratch = try ScratchDirectory()
    // Some headers follow a byte order mark and blank lines.
    let head = seed % 3 == 0 ? "\u{FEFF}\n\r\n\na,b\n" : "a,b\n"
    let rows = text(["1,2\n", "\"q\r\nr\",t\n", "\"", "xxxxxxx,y\n", "é,\n", "\r"], seed: seed, count: 30)
    let lines = text(
      ["{\"a\":1}\n", "{\"a\":\"é\"}\r\n", "\n", "[1, 2, 3]\n", "{"], seed: seed, count: 30)
    let csv = Array(head.utf8) + rows
    let files: [(String, ExportFormat, [UInt8])] = [
      ("x.csv", .csv, csv), ("x.csv.gz", .csv, gzip(csv)), ("x.csv.zst", .csv, zstd(csv)),
      ("x.jsonl", .jsonl, lines), ("x.jsonl.gz", .jsonl, gzip(lines)),
      ("x.json", .json, Array("[{\"a\":1},\n{\"a\":2}]".utf8)), ("empty.jsonl", .jsonl, []),
    ]
    for (name, format, bytes) in files {
      let path = try scratch.write(bytes, to: name)
      for size in [1, 2, 3, 7, 16, 64, 1 << 20] {
        let (seen, withBlocks) = try observed(path, format, blockSize: size, recordLimit: recordLimit)
        #expect(seen == bytes, "\(name) in blocks of \(size)")
        // Compressed files and JSON documents are not divided into blocks.
        if name.hasSuffix("z") || name.hasSuffix(".zst") || format == .json { #expect(withBlocks == 0) }
        if name == "x.csv", size == 16, recordLimit > 12 { #expect(withBlocks > bytes.count / 2) }
      }
    }
  }

  @Test func `line feeds and rare bytes are found at any place`() {
    for length in [0, 1, 63, 64, 65, 128, 63 * 64, 63 * 64 + 1, 2 * 63 * 64 + 70] {
      var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      #expect(lineFeeds(in: bytes.span) == (0, false))
      for place in Set([0, length / 2, length - 1]) where bytes.indices.contains(place) {
        for byte in [lineFeed, carriageReturn, UInt8(ascii: "\"")] {
          bytes[place] = byte
          let (count, mayHaveRare) = lineFeeds(in: bytes.span, alsoSeeking: UInt8(ascii: "\""))
          #expect(count == (byte == lineFeed ? 1 : 0))
          #expect(mayHaveRare == (byte != lineFeed))
        }
        bytes[place] = UInt8(ascii: "x")
      }
      let feeds = [UInt8](repeating: lineFeed, count: length)
      #expect(lineFeeds(in: feeds.span) == (length, false))
      #expect(lineEnds(in: feeds.span) == length)
    }
  }

  @Test func `lines are counted correctly for any mixture of CR and LF`() {
    var random = SplitMix64(seed: 5)
    for length in [0, 1, 15, 16, 17, 300, 5000] {
      let bytes = (0..<length).map { _ in [10, 13, 65, 66].randomElement(using: &random) ?? UInt8(0) }
      var line = 1
      for index in 0...length {
        // A line ends after an LF, and after a CR without a following LF.
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
