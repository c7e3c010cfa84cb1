import Concurrency
import ParserChecks
import Testing

@testable import Readers

private let comma = UInt8(ascii: ",")
private let quote = UInt8(ascii: "\"")

@Suite struct DelimitedPropertyTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the scanner equals a naive scanner on random bytes`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      // With more quotes, there are more faults. With more letters, fields are longer than eight
      // bytes.
      let alphabet = Array(
        [
          "\",\r\na", "\"\"\"\",\n", "abcdefghijklmnop\",\n", "\",\n", "ab,\r\n", "\"a\r\n",
        ][Int(random.next() % 6)].utf8)
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      let (fast, slow) = (scanned(bytes), plainRows(bytes))
      #expect(fast == slow, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the fast path for ordinary rows equals the general one`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // The option `missing` turns the fast path off for every row.
    let long = ExportOptions(missing: ["no such text"])
    for _ in 0..<100 {
      let columns = Int.random(in: 1...4, using: &random)
      let names = (0..<columns).map { "c\($0)" }
      // Some columns are requested, in another order.
      let fields = Array(names.shuffled(using: &random).prefix(Int.random(in: 1...columns, using: &random)))
      let row = (0..<columns).map { "value \($0) é" }.joined(separator: ",")
      let pieces = [
        row + "\n", row + "\r\n", row, "\n", "\r", ",", "\"", "\"q,\n\"", "x", row + ",\n", ",,,\n",
      ]
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        // Half of the pieces belong to ordinary rows.
        pieces[Bool.random(using: &random) ? 0 : Int.random(in: pieces.indices, using: &random)]
      }.joined()
      let bytes = Array((names.joined(separator: ",") + "\n" + text).utf8)
      let (short, expected) = (outcome(bytes, .csv, fields), outcome(bytes, .csv, fields, long))
      #expect(short == expected, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a table with any quoting and line ends round-trips`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pieces = ["a", "é", "\"", ",", "\n", "\r", "\r\n", " ", "0123456789", "\t", "🐕", ";", ""]
    let columns = Int.random(in: 1...7, using: &random)
    let ends = ["\n", "\r\n", "\r"]
    var table: [[String]] = []
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      table.append(
        (0..<columns).map { _ in
          (0..<Int.random(in: 0...5, using: &random)).map { _ in
            pieces[Int.random(in: pieces.indices, using: &random)]
          }.joined()
        })
    }
    var text = (0..<columns).map { "c\($0)" }.joined(separator: ",")
    var line = 2
    var expected: [ReadRecord] = []
    for row in table {
      // An LF must not follow an unquoted CR, because both together would be one line end.
      text += ends[Int.random(in: 0..<2, using: &random)]
      expected.append(
        ReadRecord(number: line, cells: row.map { $0.isEmpty ? .missing : .text(Array($0.utf8)) }))
      let written = row.map { field in
        let scalars = field.unicodeScalars
        let needsQuotes = columns == 1 || scalars.contains { "\",\r\n".unicodeScalars.contains($0) }
        if !needsQuotes, Bool.random(using: &random) { return field }
        var quoted = "\""
        for scalar in scalars {
          quoted.unicodeScalars.append(contentsOf: scalar == "\"" ? ["\"", "\""] : [scalar])
        }
        return quoted + "\""
      }.joined(separator: ",")
      text += written
      line += lineNumber(of: written.utf8.count, in: Array(written.utf8).span)
    }
    if Bool.random(using: &random) { text += ends[Int.random(in: 0..<3, using: &random)] }
    let fields = (0..<columns).map { "c\($0)" }
    #expect(try read(text, .csv, fields) == expected)
  }

  @Test func `a file truncated at any byte never traps and equals the naive scanner`() {
    let text = "a,\"b\"\"b\",c\r\n\"x\ny\",,\"\"\r\r\n1,\"z\" ,2\n\"é🐕\",\"q"
    let bytes = Array(text.utf8)
    for end in 0...bytes.count {
      let part = Array(bytes[..<end])
      #expect(scanned(part) == plainRows(part))
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the byte search equals a loop for any start and end`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      // The bytes are close to the stop bytes. Some differ in only one bit.
      let bytes = (0..<40).map { _ in
        [0x2B, 0x2C, 0x2D, 0x0A, 0x0B, 0x00, 0x80, 0xFF][Int(random.next() % 8)] as UInt8
      }
      let wanted = [comma, 0x0A, UInt8.random(in: 1...127, using: &random)]
      let start = Int.random(in: 0...40, using: &random)
      let end = Int.random(in: start...40, using: &random)
      let found = ByteSearch(wanted[0], wanted[1], wanted[2])
        .firstMatch(in: (bytes + [UInt8](repeating: 0, count: 16)).span.bytes, from: start, end: end)
      #expect(found == (start..<end).first { wanted.contains(bytes[$0]) } ?? end)
    }
  }

  @Test func `at most one quote in a file is unclosed, so reading stays linear`() {
    // If every line had an unclosed quote, the scanner would read to the end of the file for each
    // line.
    for line in ["\"a\n", "\"\"\"a\n", "x,\"\"\n", "\"\"\"\"\n"] {
      let rows = scanned(Array(("\"a\n" + String(repeating: line, count: 1000)).utf8))
      #expect(rows.count == 1001)
      #expect(rows.filter { $0.fault?.hasPrefix("unclosed") == true }.count <= 1)
    }
  }

  private func scanned(_ bytes: [UInt8]) -> [PlainRow] {
    var window = ByteWindow(
      MemoryBytes(bytes), file: "x", checksUTF8: false, capacity: bytes.count + 1)
    do {
      try window.move(to: 0)
    } catch {
      Issue.record("\(error)")
    }
    var scanner = DelimitedScanner(
      window, at: byteOrderMarkLength(window.bytes), line: 1, delimiter: comma, quote: quote,
      recordLimit: ByteWindow.recordLimit)
    var rows: [PlainRow] = []
    while true {
      var fields: [[UInt8]] = []
      let row = scanner.nextRow { index, field in
        #expect(index == fields.count)
        var text: [UInt8] = []
        appendText(of: field, quote: quote, from: bytes.span, to: &text)
        fields.append(text)
      }
      guard let row else { return rows }
      let fault: String? =
        switch row.fault {
        case nil: nil
        case .unclosed(let line): "unclosed \(line)"
        case .followed(let line): "followed \(line)"
        case .tooLong: "too long"
        }
      #expect(row.fieldCount == fields.count)
      rows.append(PlainRow(line: row.line, fields: fields, range: row.range, fault: fault))
    }
  }
}
