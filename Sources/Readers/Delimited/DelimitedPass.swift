/// Reads the rows of a CSV or TSV file once, and passes them to a closure as records. See `DelimitedScanner`
/// for the grammar.
struct DelimitedPass: ~Copyable {
  var window: ByteWindow
  let header: DelimitedHeader
  /// The unit of record numbers: lines, or rows if DuckDB converted the export to CSV.
  private let unit: PlaceUnit
  let delimiter: UInt8
  let quote: UInt8
  private let missing: MissingTexts
  let recordLimit: Int
  /// The start of the next row in the window.
  var offset: Int
  var line: Int
  private var summary: ReadSummary
  private var room: RecordRoom
  private var scratch: [UInt8] = []
  /// The number of the last row, for `ReadSummary.unendedRow`; 0 if it is unknown whether that row has a line
  /// break. Rows of a batch do not count, because each of them ends with a line break.
  private var lastNumber = 0
  /// The line of the last faulty row that is an error message, and the number of rows up to it.
  private var lastMessage: (line: Int, rows: Int)?
  /// Whether this pass reaches the end of the file. A pass over a block may end earlier.
  var endsFile = true

  /// Creates a pass, and reads the header unless `columns` contains the names of the columns. With
  /// `allowsEmpty`, a file without bytes has no rows instead of an error.
  ///
  /// - Throws: The errors of `ByteWindow.move` and `DelimitedHeader`.
  init(
    _ window: consuming ByteWindow, file: String, fields: [String], optional: Set<String>, unit: PlaceUnit,
    delimiter: UInt8, quote: UInt8, missing: MissingTexts, recordLimit: Int, columns: [String] = [],
    allowsEmpty: Bool = false
  ) throws(ExportError) {
    try window.move(to: 0)
    // One byte more than a mark, so that the window knows whether the file ends with the mark.
    while window.count < 4, !window.isComplete { try window.move(to: 0) }
    let mark = byteOrderMarkLength(window.bytes)
    var offset = mark
    var line = 1
    let isEmpty = window.count == mark && window.isComplete
    var row = DelimitedHeader.HeaderRow.names(columns.map { Array($0.utf8) }, line: 1)
    if columns.isEmpty, isEmpty, allowsEmpty {
      row = .names(Set(fields).sorted().map { Array($0.utf8) }, line: 1)
    } else if columns.isEmpty {
      row = DelimitedHeader.row(
        window, &offset, &line, delimiter: delimiter, quote: quote, recordLimit: recordLimit)
    }
    while case .incomplete = row {
      try window.move(to: offset, line: line)
      offset = 0
      row = DelimitedHeader.row(
        window, &offset, &line, delimiter: delimiter, quote: quote, recordLimit: recordLimit)
    }
    let header = try DelimitedHeader(
      row, file: file, fields: fields, optional: optional, isEmpty: isEmpty)
    self.init(
      window, header, offset: offset, line: line, fieldCount: fields.count, unit: unit,
      delimiter: delimiter,
      quote: quote,
      missing: missing, recordLimit: recordLimit)
  }

  /// Creates a pass over rows with a known header. The pass starts at `offset` of the window, on the physical
  /// line `line`.
  init(
    _ window: consuming ByteWindow, _ header: DelimitedHeader, offset: Int, line: Int, fieldCount: Int,
    unit: PlaceUnit, delimiter: UInt8, quote: UInt8, missing: MissingTexts, recordLimit: Int
  ) {
    self.header = header
    self.offset = offset
    self.line = line
    self.window = window
    self.unit = unit
    self.delimiter = delimiter
    self.quote = quote
    self.missing = missing
    self.recordLimit = recordLimit
    summary = ReadSummary(namesSeen: header.names)
    room = RecordRoom(fields: fieldCount)
  }

  /// Calls `body` with every row after the header, in file order. If `onRows` is not `nil`, it receives
  /// ordinary rows in batches instead; see `OrdinaryRows`.
  consuming func forEach(
    rows onRows: ((borrowing OrdinaryRows) throws -> Void)? = nil, _ body: (borrowing Record) throws -> Void
  ) throws -> ReadSummary {
    while true {
      let isInLongRow = try forEachInWindow(onRows, body)
      if window.isComplete {
        if !endsFile { summary.certainGap = nil }
        if let lastMessage, lastMessage.rows == summary.records + summary.faults {
          summary.lastError = .errorAnswer(.line(lastMessage.line))
        }
        let last = window.count == 0 ? lineFeed : window.bytes[window.count - 1]
        if endsFile, lastNumber > 0, last != lineFeed, last != carriageReturn {
          summary.unendedRow = lastNumber
        }
        return summary
      }
      // In a row that is too long, the scanner may stop within a character, where the window must not begin.
      try window.move(to: min(offset, window.settled), line: line)
      offset = 0
      if isInLongRow { try skipLine() }
    }
  }

  /// Passes the rows that end in the window to `onRows` or `body`.
  ///
  /// - Returns: Whether the last row is too long, so that the rest of its line must be skipped.
  private mutating func forEachInWindow(
    _ onRows: ((borrowing OrdinaryRows) throws -> Void)?, _ body: (borrowing Record) throws -> Void
  ) throws -> Bool {
    let bytes = window.bytes
    let quote = quote
    let wanted = header.wanted
    let columnCount = header.names.count
    let (missing, isRow) = (missing, unit == .row)
    // The slots are moved to a local variable, because every write to a stored property would check whether
    // its array is uniquely referenced.
    var room = RecordRoom(fields: 0)
    swap(&room, &self.room)
    defer { swap(&room, &self.room) }
    var scanner = DelimitedScanner(
      window, at: offset, line: line, delimiter: delimiter, quote: quote, recordLimit: recordLimit)
    let slotOfColumn = header.slotOfColumn
    // Batches of rows do not recognize the texts that mean "missing".
    let takesOrdinaryRows = missing.isEmpty && !slotOfColumn.isEmpty
    while true {
      let firstLine = scanner.line
      if takesOrdinaryRows, let run = scanner.ordinaryRun(columns: columnCount) {
        let number = isRow ? summary.records + summary.faults + 1 : firstLine
        let rows = scanner.rows(of: run, number: number, unit: unit, slotOfColumn: slotOfColumn.span)
        summary.records += run.count
        if let onRows { try onRows(rows) } else { try rows.forEachRecord(in: &room, body) }
        continue
      }
      var next = 0
      if !scratch.isEmpty { scratch.removeAll(keepingCapacity: true) }
      let row = scanner.nextRow { column, field in
        while next < wanted.count, wanted[next].column == column {
          room.slots[wanted[next].slot] = Self.slot(
            for: field, quote: quote, in: bytes, missing: missing, scratch: &scratch)
          next += 1
        }
      }
      offset = scanner.offset
      line = scanner.line
      guard let row else { return false }
      if row.fault != nil || row.fieldCount != columnCount,
        let fault = Self.fault(of: row, columnCount: columnCount, in: bytes)
      {
        for index in room.slots.indices { room.slots[index] = FieldSlot() }
        summary.faults += 1
        if window.isComplete, let gap = Self.gap(at: row, columnCount, nextRow: scanner.offset, in: bytes) {
          summary.certainGap = gap
        }
        if ErrorAnswers.isMessage(bytes.extracting(row.range)) {
          lastMessage = (row.line, summary.records + summary.faults)
        }
        let faults = [fault]
        let number = isRow ? summary.records + summary.faults : row.line
        // The end of a row that is too long may be skipped, so it is unknown whether a line break follows the
        // row.
        lastNumber = if case .tooLong? = row.fault { 0 } else { number }
        try body(Record(number: number, unit: unit, faults: faults.span, slots: room.slots.span))
        if scanner.isInLongRow { return true }
      } else {
        summary.records += 1
        lastNumber = isRow ? summary.records + summary.faults : row.line
        try body(
          Record(
            number: lastNumber, unit: unit, slots: room.slots.span, file: bytes, scratch: scratch.span))
      }
    }
  }

  /// Returns evidence that the file was truncated, if the faulty row is at the end of the file; otherwise
  /// `nil`.
  ///
  /// A quote that is never closed also occurs in the middle of a complete file, where only its own line is
  /// faulty. An unclosed quote is therefore evidence only in the last line.
  private static func gap(
    at row: DelimitedScanner.ScannedRow, _ columnCount: Int, nextRow: Int, in bytes: Span<UInt8>
  ) -> ExportGap? {
    switch row.fault {
    case .unclosed(let line) where nextRow == bytes.count: return .unclosedQuote(line)
    case nil where row.range.upperBound == bytes.count && row.fieldCount < columnCount:
      return .cutRow(row.line, fields: row.fieldCount, of: columnCount)
    default: return nil
    }
  }

  /// Moves past the next line end, without keeping the bytes before it in memory.
  private mutating func skipLine() throws(ExportError) {
    let lineEnd = ByteSearch(lineFeed, carriageReturn, carriageReturn)
    while true {
      let end = lineEnd.firstMatch(in: window.padded, from: 0, end: window.count)
      // A CR at the end of the window may be the first half of a CR LF.
      let isCut = end == window.count || (end + 1 == window.count && window.bytes[end] == carriageReturn)
      if !isCut || window.isComplete {
        offset = end
        if end < window.count {
          let isPair =
            window.bytes[end] == carriageReturn && end + 1 < window.count && window.bytes[end + 1] == lineFeed
          offset += isPair ? 2 : 1
          line += 1
        }
        return
      }
      try window.move(to: min(end, window.settled), line: line)
    }
  }

  @inline(__always)
  private static func slot(
    for field: DelimitedScanner.Field, quote: UInt8, in bytes: Span<UInt8>, missing: MissingTexts,
    scratch: inout [UInt8]
  ) -> FieldSlot {
    if field.hasDoubledQuotes {
      let start = scratch.count
      appendText(of: field, quote: quote, from: bytes, to: &scratch)
      let range = start..<scratch.count
      if missing.contains(scratch.span.extracting(range)) { return FieldSlot() }
      return FieldSlot(kind: .scratchText, payload: Int64(start), count: range.count)
    }
    if field.range.isEmpty || missing.contains(bytes.extracting(field.range)) { return FieldSlot() }
    return FieldSlot(kind: .fileText, payload: Int64(field.range.lowerBound), count: field.range.count)
  }

  private static func fault(
    of row: DelimitedScanner.ScannedRow, columnCount: Int, in bytes: Span<UInt8>
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
        + "delimiter or the line's end; write each quote within a quoted field twice"
    case .tooLong:
      rule = .recordTooLong
      message = RecordFault.tooLongMessage
    case nil:
      if row.fieldCount == columnCount { return nil }
      rule = .wrongFieldCount
      message =
        "the number of fields must equal the number of columns in the header, \(columnCount), "
        + "but it is \(row.fieldCount)"
    }
    let excerpt = bytes.excerpt(row.range, limit: RecordFault.excerptLimit)
    return RecordFault(rule: rule, message: message, excerpt: excerpt)
  }
}
