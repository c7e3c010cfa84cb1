/// The rows of a CSV or TSV file as records. See `DelimitedScanner` for the grammar.
struct DelimitedRecords: Sendable {
  let source: PaddedBytes
  let header: DelimitedHeader
  let fieldCount: Int
  let delimiter: UInt8
  let quote: UInt8

  /// Opens `source`, reading no further than its header.
  ///
  /// - Throws: `bad_option`, `invalid_utf8`, and what `DelimitedHeader` throws.
  init(
    _ source: PaddedBytes, file: String, fields: [String], optional: Set<String>, delimiter: UInt8,
    quote: UInt8
  ) throws(ExportError) {
    let isUsable = { (byte: UInt8) in byte > 0 && byte < 0x80 && byte != lineFeed && byte != carriageReturn }
    guard delimiter != quote, isUsable(delimiter), isUsable(quote) else {
      throw ExportError(
        .badOption, file: file,
        reason: "delimiter and quote must be two different ASCII characters that do not end a line, "
          + "not \(delimiter) and \(quote)")
    }
    try source.checkUTF8(file: file)
    header = try DelimitedHeader(
      source, file: file, delimiter: delimiter, quote: quote, fields: fields, optional: optional)
    self.source = source
    self.fieldCount = fields.count
    self.delimiter = delimiter
    self.quote = quote
  }

  /// Calls `body` with every row behind the header, in file order.
  func forEach(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    let bytes = source.bytes
    let quote = quote
    let wanted = header.wanted
    let columnCount = header.names.count
    var scanner = DelimitedScanner(source, delimiter: delimiter, quote: quote)
    _ = scanner.nextRow { _, _ in }
    var summary = ReadSummary(namesSeen: header.names)
    var slots = [FieldSlot](repeating: FieldSlot(), count: fieldCount)
    var scratch: [UInt8] = []
    while true {
      var next = 0
      if !scratch.isEmpty { scratch.removeAll(keepingCapacity: true) }
      let row = scanner.nextRow { column, field in
        while next < wanted.count, wanted[next].column == column {
          slots[wanted[next].slot] = Self.slot(for: field, quote: quote, in: bytes, scratch: &scratch)
          next += 1
        }
      }
      guard let row else { return summary }
      if let fault = Self.fault(of: row, columnCount: columnCount, in: bytes) {
        for index in slots.indices { slots[index] = FieldSlot() }
        summary.faults += 1
        try body(Record(number: row.line, unit: .line, fault: fault, slots: slots.span))
      } else {
        summary.records += 1
        try body(
          Record(number: row.line, unit: .line, slots: slots.span, file: bytes, scratch: scratch.span))
      }
    }
  }

  @inline(__always)
  private static func slot(
    for field: DelimitedScanner.Field, quote: UInt8, in bytes: Span<UInt8>, scratch: inout [UInt8]
  ) -> FieldSlot {
    if field.hasDoubledQuotes {
      let start = scratch.count
      appendText(of: field, quote: quote, from: bytes, to: &scratch)
      return FieldSlot(kind: .scratchText, payload: Int64(start), count: scratch.count - start)
    }
    if field.range.isEmpty { return FieldSlot() }
    return FieldSlot(kind: .fileText, payload: Int64(field.range.lowerBound), count: field.range.count)
  }

  private static func fault(
    of row: DelimitedScanner.Row, columnCount: Int, in bytes: Span<UInt8>
  ) -> RecordFault? {
    let rule: RecordFault.Rule
    let message: String
    switch row.fault {
    case .unclosed(let line):
      rule = .unclosedQuote
      message = "the quote that opens field \(row.fieldCount + 1) on line \(line) is never closed"
    case .followed(let line):
      rule = .badQuote
      message =
        "the closing quote of field \(row.fieldCount + 1), which begins on line \(line), must be followed by a "
        + "delimiter or the line's end; a quote within a quoted field is written twice"
    case nil:
      if row.fieldCount == columnCount { return nil }
      rule = .wrongFieldCount
      message = "the header names \(columnCount) columns, but the row has \(row.fieldCount) fields"
    }
    let excerpt = bytes.excerpt(row.range, limit: RecordFault.excerptLimit)
    return RecordFault(rule: rule, message: message, excerpt: excerpt)
  }
}
