import Concurrency
import Testing

@testable import Readers

/// The fast path must give the same rows as reading row by row.
@Suite struct OrdinaryRowsTests {
  /// Returns the number and the fields of each row, or the rule of a faulty row. Also returns the
  /// number of rows that the fast path read.
  private func read(_ bytes: [UInt8], _ fields: [String], together: Bool, blockSize: Int) throws -> (
    rows: [[String]], together: Int
  ) {
    var reader = try ExportReader(bytes: bytes, name: "x", format: .csv, fields: fields)
    reader.blockSize = blockSize
    let pool = BlockPool()
    let blocks = reader.blocks(from: pool)
    var reported: [[String]] = []
    var count = 0
    func tell(_ record: borrowing Record) {
      let cells = fields.indices.map { index in
        if case .text(let text) = record[index] { text.string } else { "-" }
      }
      reported.append(["\(record.number)", record.fault?.rule.rawValue ?? ""] + cells)
    }
    while let block = try blocks.next() {
      if together {
        _ = try block.forEachRecord(rows: { rows in
          count += rows.count
          for row in 0..<rows.count {
            var cells: [String] = []
            for field in fields.indices {
              guard let column = rows.column(field) else { continue }
              let text = rows.text.extracting(column.range(row))
              cells.append(text.isEmpty ? "-" : ByteView(text).string)
            }
            reported.append(["\(rows.number(of: row))", ""] + cells)
          }
        }) { tell($0) }
      } else {
        _ = try block.forEachRecord { tell($0) }
      }
      pool.giveBack(block)
    }
    return (reported, count)
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `the fast path gives the same rows as the scanner, also between other rows`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let end = seed % 3 == 0 ? "\r\n" : "\n"
    // The text is longer than one batch of the fast path. A row of `others` occurs often, rarely or never.
    let rarely = [1.0, 0.1, 0.01, 0][Int(seed % 4)]
    let others = [
      "\"q\",\"r\ns\",t\n", "\n", "x\n", "a,b,c\r", "a,\"b\nc,d\n", ",,\n", "a,b,c,d\n", "a,b,c\r\n",
      "é,ü,\n",
      "a," + String(repeating: "long", count: FieldPlaces.reach / 3) + ",c\n",
    ]
    var text = "c0,c1,c2\n"
    while text.utf8.count < 4 * FieldPlaces.reach {
      if random.nextUnit() < rarely * 0.3 {
        text += others.randomElement(using: &random) ?? ""
      } else {
        text += (0..<3).map { _ in String(random.next() % 100_000) }.joined(separator: ",") + end
      }
    }
    if seed % 2 == 0 { text.removeLast() }
    let fields = [["c0", "c1", "c2"], ["c2", "c0"], ["c1"]][Int(seed % 3)]
    for blockSize in [1 << 20, 10_000, 100] {
      let rows = try read(Array(text.utf8), fields, together: true, blockSize: blockSize)
      let records = try read(Array(text.utf8), fields, together: false, blockSize: blockSize)
      #expect(rows.rows == records.rows)
      #expect(rows.together > 0 && rows.together <= rows.rows.count)
    }
  }

  @Test func `a row becomes a record`() throws {
    let text = "a,b,c\n1,,x\n2,y,\n"
    let reader = try ExportReader(bytes: Array(text.utf8), name: "x", format: .csv, fields: ["c", "a", "b"])
    var reported: [String] = []
    while let block = try reader.blocks(from: BlockPool()).next() {
      let summary = try block.forEachRecord(rows: { rows in
        var room = RecordRoom(fields: 3)
        for row in [1, 0] {
          rows.withRecord(row, in: &room) { record in
            let cells = (0..<3).map { index in
              if case .text(let text) = record[index] { text.string } else { "-" }
            }
            reported.append("\(record.number): \(cells.joined(separator: " "))")
          }
        }
      }) { _ in Issue.record("every row must be ordinary") }
      #expect(summary.records == 2)
      if block.isLast { break }
    }
    #expect(reported == ["3: - 2 y", "2: x 1 -"])
  }
}
