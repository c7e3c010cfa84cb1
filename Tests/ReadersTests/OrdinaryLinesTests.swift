import Concurrency
import Testing

@testable import Readers

/// The fast path must give the same records as the JSON parser.
@Suite struct OrdinaryLinesTests {
  /// Returns the records of all lines, and the number of lines that the fast path read.
  private func read(
    _ bytes: [UInt8], _ fields: [String], together: Bool, blockSize: Int, recordLimit: Int = 1 << 20
  ) throws -> (records: [ReadRecord], summary: ReadSummary, together: Int) {
    var reader = try ExportReader(bytes: bytes, name: "x", format: .jsonl, fields: fields)
    reader.blockSize = blockSize
    reader.recordLimit = recordLimit
    let blocks = reader.blocks(from: BlockPool())
    var records: [ReadRecord] = []
    var summary = ReadSummary()
    var count = 0
    // One buffer is reused for all rows, as in the callers of the reader.
    var room = RecordRoom(fields: fields.count)
    while let block = try blocks.next() {
      let next =
        try together
        ? block.forEachRecord(rows: { rows in
          count += rows.count
          rows.forEachRecord(in: &room) { records.append(ReadRecord($0, fields: fields.count)) }
        }) { records.append(ReadRecord($0, fields: fields.count)) }
        : block.forEachRecord { records.append(ReadRecord($0, fields: fields.count)) }
      summary.add(next)
    }
    return (records, summary, count)
  }

  private func expectSame(
    _ text: [UInt8], _ fields: [String], recordLimit: Int = 1 << 20,
    blockSizes: [Int] = [1 << 20, 3000]
  ) throws -> Int {
    var most = 0
    for blockSize in blockSizes {
      let rows = try read(text, fields, together: true, blockSize: blockSize, recordLimit: recordLimit)
      let records = try read(text, fields, together: false, blockSize: blockSize, recordLimit: recordLimit)
      #expect(rows.records == records.records, "blocks of \(blockSize) bytes")
      #expect(rows.summary == records.summary)
      most = max(most, rows.together)
    }
    return most
  }

  /// Plain values that are frequent, and values that the fast path cannot read.
  private static let plain = [
    "\"u17\"", "\"\"", "0", "7", "42", "true", "false", "\"a,b}:{é\"", "123456789012345678",
  ]
  private static let others = [
    "null", "-1", "1.5", "1e3", "00", "01", "1234567890123456789", "tru", "truefalse", "\"a\\\"b\"",
    "\"\\u0041\"",
    "\"tab\there\"", "[1]", "{}", "\"", "", "TRUE", "\"x\" \"y\"", "\"\u{7F}\"", "nan", "\"\\",
    "18446744073709551616", "1x", "12e", "12true", "7u7",
  ]

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `the fast path gives the same records as the parser, also between other lines`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let end = ["\n", "\r\n", " \n"][Int(seed % 3)]
    let (open, colon) = [("{", ":"), ("{ ", " : "), ("\t{", ":\t")][Int(seed / 3 % 3)]
    let rarely = [0.3, 0.03, 0.003, 0][Int(seed % 4)]
    let kinds = ["\"text\"", "5", "true"].shuffled(using: &random)
    var text: [UInt8] = []
    while text.count < 2 * FieldPlaces.reach {
      if random.nextUnit() < rarely {
        let other = Int.random(in: 0..<8, using: &random)
        switch other {
        case 0: text += Array("\n".utf8)
        case 1: text += Array("{\"b\":1,\"a\":\"2\",\"c\":true}\n".utf8)
        case 2: text += Array("{\"a\":\"1\",\"a\":\"2\",\"b\":3,\"c\":4}\n".utf8)
        case 3: text += [UInt8(ascii: "{"), 0xFF, 0x0A]
        case 4: text += Array("{\"a\":\"".utf8) + [0xC3] + Array("\",\"b\":5,\"c\":true}\n".utf8)
        case 5: text += Array("not JSON\n".utf8)
        case 6: text += Array("{\"a\":\"\(String(repeating: "long", count: 5000))\",\"b\":5}\n".utf8)
        default: text += Array("{\"a\":\"x\",\"b\":5,\"c\":true} trailing\n".utf8)
        }
        continue
      }
      let values = kinds.map { kind in
        if random.nextUnit() < rarely { return Self.others.randomElement(using: &random) ?? "" }
        if random.nextUnit() < rarely { return Self.plain.randomElement(using: &random) ?? "" }
        switch kind {
        case "5": return String(random.next() % 1000)
        case "true": return Bool.random(using: &random) ? "true" : "false"
        default: return "\"t\(random.next() % 100_000)é\""
        }
      }
      let members = zip(["a", "b", "c"], values).map { "\"\($0)\"\(colon)\($1)" }
      text += Array((open + members.joined(separator: ",") + "}" + end).utf8)
    }
    if seed % 2 == 0 { text.removeLast() }
    let fields = [["a", "b", "c"], ["c", "nobody"], ["b"], ["a", "a"], ["a.x", "b"]][Int(seed % 5)]
    let together = try expectSame(text, fields)
    // The general parser reads nested keys and keys that are requested twice.
    if rarely < 0.1 { #expect((together > 0) == (seed % 5 < 3)) }
  }

  @Test(arguments: plain + others)
  func `a value of a different kind than in the previous line is read`(value: String) throws {
    let lines = ["\"x\"", value, "\"y\"", "3", value, "4", "true", value].map { "{\"a\":\($0),\"b\":\"z\"}" }
    _ = try expectSame(Array(lines.joined(separator: "\n").utf8), ["b", "a"], blockSizes: [1 << 20])
  }

  @Test(arguments: 0...40)
  func `a line longer than a record is a fault of that line`(limit: Int) throws {
    let lines = (0..<30).map { "{\"a\":\"\(String(repeating: "x", count: $0))\"}\n" }
    _ = try expectSame(
      Array(lines.joined().utf8), ["a"], recordLimit: max(limit, 1), blockSizes: [1 << 20, 64])
  }

  @Test(arguments: [1, 2, 3, 4, 5, 100])
  func `alternating forms of lines are all read`(turn: Int) throws {
    let lines = (0..<600).map {
      $0 / turn % 2 == 0 ? "{\"a\":\"\($0)\",\"b\":\($0)}\n" : "{\"a\":\"\($0)\",\"c\":\"\($0)\"}\n"
    }
    let together = try expectSame(Array(lines.joined().utf8), ["a", "b", "c"], blockSizes: [1 << 20])
    // A few lines of another form must not turn the fast path off.
    if turn < 4 || turn == 100 { #expect(together >= 290) }
  }

  @Test func `an occasional line of another form does not affect others`() throws {
    let lines = (0..<3000).map { $0 % 20 == 7 ? "{\"a\":\"\($0)\",\"b\":1}\n" : "{\"a\":\"\($0)\"}\n" }
    #expect(try expectSame(Array(lines.joined().utf8), ["a", "b"], blockSizes: [1 << 20]) >= 2840)
  }

  @Test func `lines whose values are never plain are parsed`() throws {
    let lines = (0..<300).map { "{\"a\":\"\($0)\",\"b\":-\($0)}\n" } + ["{\"a\":\"x\"}\n"]
    #expect(try expectSame(Array(lines.joined().utf8), ["a", "b"], blockSizes: [1 << 20]) == 0)
  }
}
