import Concurrency
import Testing

@testable import Readers

/// Uses a small limit for the length of a record. `outcome` reads through windows of several sizes,
/// which must agree on the records that are too long.
@Suite struct RecordLimitTests {
  private func read(
    _ text: String, _ format: ExportFormat, limit: Int, _ options: ExportOptions = ExportOptions()
  ) -> Outcome {
    outcome(Array(text.utf8), format, ["a"], options, recordLimit: limit)
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `a row of exactly the limit is read, and one byte more is a fault`(_ end: String) {
    for length in 1...12 {
      let row = String(repeating: "x", count: length)
      let text = ["a", row, "y", row, row, "z"].joined(separator: end)
      let long = (2...6).map { $0 == 3 || $0 == 6 ? nil : length > 8 ? RecordFault.Rule.recordTooLong : nil }
      for tail in ["", end, end + end] {
        let outcome = read(text + tail, .csv, limit: 8)
        #expect(outcome.error == nil)
        #expect(outcome.records.map(\.rule) == long, "\(length)")
        #expect(outcome.records.map(\.number) == [2, 3, 4, 5, 6])
        #expect(outcome.records.last == .row(6, "z"))
      }
    }
  }

  @Test func `a character across the limit is not invalid UTF-8`() {
    for lead in 0..<4 {
      let long = String(repeating: "x", count: lead) + String(repeating: "é€🐕", count: 40)
      #expect(
        read("a\n\(long)\ny\n", .csv, limit: 10).records.map(\.rule) == [.recordTooLong, nil])
      #expect(
        read("[{\"a\":\"\(long)\"},{\"a\":1}]", .json, limit: 20).records.map(\.rule) == [
          .recordTooLong, nil,
        ])
      #expect(
        read("{\"t\":{\"k\":\"\(long)\",\"l\":{\"a\":1}}}", .realtime, limit: 20, ExportOptions(table: "t"))
          .records.map(\.rule) == [.recordTooLong, nil])
    }
    var bytes = Array("a\n".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 50) + [0xC3]
    bytes += Array("x\ny\n".utf8)
    let error = outcome(bytes, .csv, ["a"], recordLimit: 10).error
    #expect(error?.code == .invalidUTF8 && error?.place == .byte(52, line: 2))
  }

  @Test func `a row that is too long ends at its next line end, even within quotes`() {
    let text = "a,b\n0123456789,\"x\ny\",z\n1,2\n"
    let outcome = read(text, .csv, limit: 8)
    #expect(
      outcome.records == [
        .fault(2, .recordTooLong, "01234567"), .row(3, "y\""), .row(4, "1"),
      ])
  }

  @Test(arguments: [("[", "]"), ("{\"k\":", "}")], [1, 15, 16, 17, 40])
  func `other values longer than a record are checked 16 levels deep`(_ ends: (String, String), depth: Int) {
    // In both forms, the innermost value is an array.
    let others =
      String(repeating: ends.0, count: depth - 1) + "[" + String(repeating: "1,", count: 60) + "1]"
      + String(repeating: ends.1, count: depth - 1)
    let outcome = read("{\"results\":[{\"a\":1}],\"other\":\(others)}", .parse, limit: 40)
    if depth <= 16 {
      #expect(outcome.error == nil && outcome.records == [.row(1, 1)])
    } else {
      #expect(outcome.error?.reason.contains("longer than 64 MiB") == true)
    }
  }

  @Test func `an unclosed quote within the limit makes only its line a fault`() {
    let rows = "1,2\n3,4\n5,6\n"
    let outcome = read("a,b\n1,\"x\n\(rows)\(rows)\(rows)7,\"8\n\"\n", .csv, limit: 16)
    #expect(outcome.records.map(\.rule) == [.unclosedQuote] + .init(repeating: nil, count: 10))
    #expect(outcome.records.map(\.number) == Array(2...12))
    // The quoted field ends at the last byte of the limit, or one byte later.
    #expect(read("a\n\"345678\"\n1\n", .csv, limit: 8).records.map(\.rule) == [nil, nil])
    #expect(read("a\n\"3456789\"\n1\n", .csv, limit: 8).records.map(\.rule) == [.recordTooLong, nil])
    #expect(read("a\n\"34\n678\"\n1\n", .csv, limit: 8).records == [.row(2, "34\n678"), .row(4, "1")])
    #expect(
      read("a\n\"34\n6789\"\n1\n", .csv, limit: 8).records
        == [.fault(2, .unclosedQuote, "\"34"), .row(3, "6789\""), .row(4, "1")])
  }

  @Test func `a header longer than the limit is rejected`() {
    let error = read("aaaaaaaaaa\n1\n", .csv, limit: 8).error
    #expect(error?.code == .badHeader && error?.reason.hasPrefix("the header is longer than 64 MiB") == true)
    let commas = { (count: Int) in
      Outcome(
        Array(("a" + String(repeating: ",", count: count) + "\n").utf8), .csv, ["a"], ExportOptions(),
        chunk: 1 << 18)
    }
    #expect(commas((1 << 16) - 1).error == nil)
    #expect(commas(1 << 16).error?.code == .badHeader)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `windows of any size agree on rows that are too long`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let alphabet = Array(
        ["\",\r\na", "\"\"\",\n", "abcdefghé,\n", "\",\r\nab", "ab,\r\n", "\"a\r\n"][
          Int(random.next() % 6)
        ].utf8)
      let limit = Int.random(in: 1...24, using: &random)
      var bytes = Array("a\n".utf8)
      for _ in 0..<Int.random(in: 0...80, using: &random) {
        bytes.append(alphabet[Int.random(in: alphabet.indices, using: &random)])
      }
      // Incomplete characters are removed, because this test is not about invalid UTF-8.
      bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("\u{FFFD}", with: "").utf8)
      let limited = outcome(bytes, .csv, ["a"], recordLimit: limit)
      #expect(limited.summary.map { $0.records + $0.faults } == limited.records.count)
      for (record, next) in zip(limited.records, limited.records.dropFirst()) {
        #expect(record.number < next.number)
      }
      let free = outcome(bytes, .csv, ["a"])
      let lengths = free.records.map { $0.cells.first.map { "\($0)".utf8.count } ?? 0 }
      if limited.records.allSatisfy({ $0.rule != .recordTooLong && $0.rule != .unclosedQuote }) {
        #expect(limited == free, "\(lengths)")
      }
    }
  }

  @Test func `a line that is too long is a fault, and later lines keep their numbers`() {
    let good = "{\"a\":1}"
    let long = "{\"a\":\"\(String(repeating: "x", count: 50))\"}"
    for format in [ExportFormat.jsonl, .firestore, .parse] {
      let line = format == .firestore ? #"{"fields":{}}"# : good
      for end in ["\n", "\r\n", "\n\n"] {
        let outcome = read([line, long, line, long, long, line].joined(separator: end), format, limit: 20)
        #expect(outcome.error == nil)
        let rules: [RecordFault.Rule?] = [nil, .recordTooLong, nil, .recordTooLong, .recordTooLong, nil]
        #expect(outcome.records.map(\.rule) == rules, "\(format)")
        let step = end == "\n\n" ? 2 : 1
        #expect(outcome.records.map(\.number) == (0..<6).map { 1 + $0 * step })
      }
    }
    // A line that ends exactly at the limit is still read.
    for length in 8...12 {
      let line = "{\"a\":1" + String(repeating: " ", count: length - 7) + "}"
      let outcome = read([line, good, line].joined(separator: "\n"), .jsonl, limit: 10)
      #expect(
        outcome.records.map(\.rule)
          == (length > 10 ? [.recordTooLong, nil, .recordTooLong] : [nil, nil, nil]))
    }
  }

  @Test func `the first line may be too long too`() {
    let long = "{\"a\":\"\(String(repeating: "x", count: 50))\"}"
    for format in [ExportFormat.jsonl, .firestore, .parse] {
      let line = format == .firestore ? #"{"fields":{}}"# : "{\"a\":1}"
      let outcome = read("\n\(long)\r\n\(line)\n{\"a\":\n\(line)", format, limit: 20)
      #expect(outcome.records.map(\.rule) == [.recordTooLong, nil, .badJSON, nil], "\(format)")
      #expect(outcome.records.map(\.number) == [2, 3, 4, 5])
      // If an object spans several lines, the records are elements and not lines.
      let pretty = "\(long.replacing(":", with: ":\n"))\n\(line) \(line) \(long)"
      let elements = read(pretty, format, limit: 20)
      if format != .jsonl {
        #expect(elements.records.map(\.rule) == [.recordTooLong, nil, nil, .recordTooLong])
        #expect(elements.records.map(\.number) == [1, 2, 3, 4])
      }
    }
  }

  @Test func `an element that is too long is a fault, and later elements keep their numbers`() {
    let long = String(repeating: "x", count: 50)
    for element in [
      "{\"a\":\"\(long)\"}", "[\"\(long)\"]", "\"\(long)\"", String(repeating: "7", count: 50),
      "{\"a\":\"\(String(repeating: "\\\\", count: 30))\\\"\"}",
      String(repeating: "[", count: 30) + String(repeating: "]", count: 30),
    ] {
      let array = "[{\"a\":1},\(element),\n\(element) , {\"a\":2}]"
      let outcome = read(array, .json, limit: 20)
      #expect(outcome.records.map(\.rule) == [nil, .recordTooLong, .recordTooLong, nil], "\(element)")
      #expect(outcome.records.last == .row(4, 2))
      let pages = "{\"results\":\(array)}\n{\"n\":1,\"results\":\(array)}"
      #expect(read(pages, .parse, limit: 20).records.map(\.number) == Array(1...8))
      let tree = "{\"t\":{\"k\":{\"a\":1},\"l\":\(element),\"m\":\(element),\"n\":{\"a\":2}}}"
      let records = read(tree, .realtime, limit: 20, ExportOptions(table: "t")).records
      #expect(records.map(\.rule) == [nil, .recordTooLong, .recordTooLong, nil])
    }
    for length in 7...12 {
      let element = "{\"a\":1" + String(repeating: " ", count: length - 7) + "}"
      let rule: RecordFault.Rule? = length > 10 ? .recordTooLong : nil
      #expect(read("[\(element),\(element)]", .json, limit: 10).records.map(\.rule) == [rule, rule])
      let number = String(repeating: "1", count: length)
      #expect(
        read("[\(number)]", .json, limit: 10).records.map(\.rule)
          == [length > 10 ? .recordTooLong : .notAnObject])
    }
  }

  @Test func `an unterminated element that is too long is an error at its start`() {
    for text in ["[{\"a\":\"", "[\n{\"a\":["] {
      let error = read(text + String(repeating: "x", count: 90), .json, limit: 20).error
      #expect(error?.code == .badJSON)
      #expect(error?.place == (text.contains("\n") ? .byte(2, line: 2) : .byte(1, line: 1)))
    }
  }

  @Test func `members of a page longer than a record are validated`() {
    let long = "[" + String(repeating: "{\"x\":[1,2]},", count: 20) + "{\"y\":\"é\"}]"
    let page = "{\"results\":[{\"a\":1}],\"more\":\(long),\"count\":1}"
    #expect(read(page, .parse, limit: 30).records == [.row(1, 1)])
    #expect(
      read("{\"results\":[{\"a\":1}],\"more\":\(long.dropLast(9))tru}]}", .parse, limit: 30).error?.code
        == .badJSON)
    // A member before the records that is too long is an error, because the reader cannot return to
    // the start of the page.
    let late = read("{\"more\":\(long),\"results\":[{\"a\":1}]}", .parse, limit: 30)
    #expect(late.error?.code == .wrongShape && late.records.isEmpty)
    #expect(
      read("{\"results\":[{\"a\":1}]}\n{\"more\":\(long),\"results\":[]}", .parse, limit: 30).error?.code
        == .wrongShape)
    #expect(
      read("{\"results\":[],\"more\":\"\(String(repeating: "x", count: 90))\"}", .parse, limit: 30).error?
        .code == .badJSON)
    #expect(
      read("{\"\(String(repeating: "x", count: 90))\":1,\"results\":[]}", .parse, limit: 30).error?.code
        == .badJSON)
  }

  @Test func `a sibling of the table longer than a record is validated`() {
    let members = (0..<30).map { "\"k\($0)\":{\"x\":[1,\"é\",{}]}" }.joined(separator: ",")
    let options = ExportOptions(table: "t")
    for tree in [
      "{\"s\":{\(members)},\"t\":{\"k\":{\"a\":1}}}", "{\"t\":{\"k\":{\"a\":1}},\"s\":[{\(members)}]}",
    ] {
      #expect(read(tree, .realtime, limit: 40, options).records == [.row(1, 1)])
      let broken = tree.replacing("\"k17\":", with: "\"k17\"")
      #expect(read(broken, .realtime, limit: 40, options).error?.code == .badJSON)
    }
  }
}
