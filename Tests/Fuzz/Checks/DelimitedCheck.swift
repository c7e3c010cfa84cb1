internal import Readers

extension ParserCheck {
  private static let delimiters: [UInt8?] = [nil, UInt8(ascii: ";"), UInt8(ascii: "|"), 1]
  private static let quotes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'")]
  private static let missing: [[String]] = [[], ["NA"], ["", "null", "a\"b"], ["é", "0"]]

  /// The first byte selects the options. The rest is the file.
  func delimitedViolation(_ input: [UInt8], _ format: ExportFormat) -> String? {
    guard let choice = input.first else { return nil }
    let bytes = Array(input.dropFirst())
    let options = ExportOptions(
      delimiter: Self.delimiters[Int(choice & 3)], quote: Self.quotes[Int(choice >> 2 & 1)],
      missing: Self.missing[Int(choice >> 3 & 3)])
    guard isUTF8(bytes) else { return ExportCheck(bytes, format, ["a"], options: options).violation }
    let rows = plainRows(
      bytes, from: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0,
      delimiter: options.delimiter ?? (format == .tsv ? 9 : UInt8(ascii: ",")), quote: options.quote)
    let header = rows.first?.fault == nil ? rows.first?.fields ?? [] : []
    // The request has existing columns in another order, one of them twice, and a column that does
    // not exist.
    let names = header.filter { !$0.isEmpty }.suffix(3).reversed().map { String(decoding: $0, as: UTF8.self) }
    let fields = names + names.prefix(1) + ["no such column"]
    let check = ExportCheck(bytes, format, fields, optional: ["no such column"], options: options)
    return check.violation
      ?? Self.difference(check.whole, from: rows, fields: fields, missing: options.missing)
  }

  private static func difference(
    _ whole: ReadOutcome, from rows: [PlainRow], fields: [String], missing: [String]
  ) -> String? {
    guard let header = rows.first else { return expect(.missingHeader, whole) }
    guard header.fault == nil else { return expect(.badHeader, whole) }
    let named = header.fields.filter { !$0.isEmpty }
    guard Set(named).count == named.count else { return expect(.duplicateColumn, whole) }
    guard whole.error == nil else { return "refused: \(String(describing: whole.error))" }
    let columns = fields.map { field in header.fields.firstIndex(of: Array(field.utf8)) }
    let absent = [[]] + missing.map { Array($0.utf8) }
    guard whole.rows.count == rows.count - 1 else {
      return "\(whole.rows.count) rows, but an obvious scanner finds \(rows.count - 1)"
    }
    for (row, plain) in zip(whole.rows, rows.dropFirst()) {
      let isRagged = plain.fields.count != header.fields.count
      let rule: RecordFault.Rule? =
        switch plain.fault?.first {
        case "u": .unclosedQuote
        case "f": .badQuote
        default: isRagged ? .wrongFieldCount : nil
        }
      let cells = columns.map { column -> ReadOutcome.Cell in
        guard rule == nil, let column, !absent.contains(plain.fields[column]) else { return .missing }
        return .text(plain.fields[column])
      }
      guard row.number == plain.line, row.fault?.rule == rule, row.cells == cells else {
        return "\(row), but an obvious scanner finds \(plain)"
      }
    }
    return nil
  }

  private static func expect(_ code: ExportError.Code, _ whole: ReadOutcome) -> String? {
    whole.error?.code == code ? nil : "\(code) expected, not \(String(describing: whole.error))"
  }
}
