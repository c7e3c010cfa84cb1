/// Splits a window of a delimited file into rows and fields, in one pass over its bytes.
///
/// The grammar follows RFC 4180. For cases that the RFC does not specify, these rules apply:
/// - Rows end with LF, CR LF or CR, in any mixture. The last row may lack a line end. A row without bytes is
///   skipped.
/// - A field is quoted if its first byte is the quote. Elsewhere in a field, a quote is an ordinary byte.
/// - After a closing quote, only a delimiter or the row's end may follow.
/// - After a quoting fault, reading resumes after the physical line on which the faulty field began. A stray
///   quote thus cannot hide the rows up to the next quote or the end of the file.
/// - A quoted field that is still open after `recordLimit` bytes of its row counts as never closed. Any other
///   row longer than `recordLimit` bytes is faulty, and ends at the first line end after that limit. Both
///   rules are independent of how much of the row is in the window.
///
/// A row that may continue after the window is not returned. Instead, `isIncomplete` is set, and the caller
/// must move the window.
///
/// Recovery from quoting faults takes linear time. Inside a faulty field, every run of quotes before the
/// fault has an even length, because a run of odd length would have closed the field. If a field begins with
/// such a run after recovery, the last quote of the run closes the field. Scanning this field therefore does
/// not reach the earlier fault again.
///
/// Source: RFC 4180, section 2.
struct DelimitedScanner: ~Copyable, ~Escapable {
  /// One field of a row.
  struct Field {
    /// The range of the field's bytes, without the quotes around it.
    var range: Range<Int>
    /// Whether the field contains doubled quotes.
    var hasDoubledQuotes: Bool
  }

  /// One row that is not blank.
  struct ScannedRow {
    /// The physical line, from 1, where the row starts.
    var line: Int
    /// The number of fields; for a faulty row, the number of complete fields.
    var fieldCount: Int
    /// The range of the row's bytes without the line end. For a faulty row, the range ends where reading
    /// resumes.
    var range: Range<Int>
    /// The fault; `nil` for a valid row.
    var fault: RowFault?
  }

  /// The fault of a row.
  enum RowFault {
    case unclosed(line: Int)
    case followed(line: Int)
    case tooLong
  }

  private let padded: RawSpan
  private let bytes: Span<UInt8>
  private let delimiter: UInt8
  private let quote: UInt8
  private let plainEnd: ByteSearch
  private let quotedStop: ByteSearch
  private let lineEnd = ByteSearch(lineFeed, carriageReturn, carriageReturn)
  private let isComplete: Bool
  private let recordLimit: Int
  private var places: FieldPlaces
  /// The index in `places` of the entry for `offset`, or of an earlier entry.
  private var place = 0
  /// The start of the next row.
  private(set) var offset: Int
  /// The physical line of `offset`.
  private(set) var line: Int
  /// Whether the last call found that the row at `offset` may continue after the window.
  private(set) var isIncomplete = false
  /// Whether the last row was too long. If so, the caller must skip the rest of it, up to the next line end.
  private(set) var isInLongRow = false
  /// The end of the bytes scanned for faulty rows. It is after the place where reading resumed.
  private(set) var furthest = 0

  /// Creates a scanner at `offset` of a window.
  @_lifetime(borrow window)
  init(
    _ window: borrowing ByteWindow, at offset: Int, line: Int, delimiter: UInt8, quote: UInt8,
    recordLimit: Int
  ) {
    padded = window.padded
    bytes = window.bytes
    isComplete = window.isComplete
    self.recordLimit = recordLimit
    self.delimiter = delimiter
    self.quote = quote
    plainEnd = ByteSearch(delimiter, lineFeed, carriageReturn)
    quotedStop = ByteSearch(quote, lineFeed, carriageReturn)
    places = FieldPlaces(.delimited(delimiter: delimiter, quote: quote))
    self.offset = offset
    self.line = line
  }

  /// A batch of rows in the form of `OrdinaryRows`.
  struct OrdinaryRun {
    var count: Int
    /// The index of the first field's place.
    fileprivate var first: Int
    /// The number of places in a row.
    fileprivate var stride: Int
  }

  /// Moves past the ordinary rows at `offset` (see `OrdinaryRows`), at most to the end of the indexed bytes.
  /// This is only a fast path: `nextRow` handles all other rows.
  ///
  /// - Parameter columns: The number of fields in the header.
  /// - Returns: The rows; `nil`, without moving, if the next row is not ordinary.
  @_lifetime(self: copy self)
  mutating func ordinaryRun(columns: Int) -> OrdinaryRun? {
    guard columns > 1 else { return nil }
    if let index = places.index(of: offset, from: place) {
      place = index
    } else {
      look()
    }
    var (run, isCut) = ordinaryRun(from: place, columns: columns)
    if run.count == 0, isCut, place > 0 {
      // The indexed places end within this row, so indexing restarts at the row.
      look()
      run = ordinaryRun(from: place, columns: columns).run
    }
    guard run.count > 0 else { return nil }
    place += run.count * run.stride
    offset = places.offset(place)
    line += run.count
    return run
  }

  @_lifetime(self: copy self)
  private mutating func look() {
    places.look(from: offset, in: padded, end: bytes.count)
    place = 0
  }

  /// Returns the rows from the entry `first` of `places` on, if all indexed rows are ordinary and end with
  /// LF; otherwise `nil`.
  ///
  /// A stop is the byte that ends a field. Only the last stop of each row is checked. If the number of LFs
  /// equals the number of rows, no other stop is an LF. Without quotes and CRs, all other stops are
  /// delimiters.
  private func uniformRun(from first: Int, columns: Int, in text: Span<UInt8>) -> OrdinaryRun? {
    guard first == 0, !places.mayHaveRare, !isBeyondLimit(FieldPlaces.reach, 0) else { return nil }
    let count = (places.count - 1) / columns
    guard count > 0, count == places.lineFeeds else { return nil }
    let ends = places.places.span
    for row in 1...count where text[Int(ends[row * columns]) - 1] != lineFeed { return nil }
    return OrdinaryRun(count: count, first: 0, stride: columns)
  }

  /// Returns the ordinary rows from the entry `first` of `places` on, and whether the next row may continue
  /// after the last entry.
  private func ordinaryRun(from first: Int, columns: Int) -> (run: OrdinaryRun, isCut: Bool) {
    var run = OrdinaryRun(count: 0, first: first, stride: 0)
    let text = bytes.extracting(places.base..<bytes.count)
    let ends = places.places.span
    let known = places.count
    if let run = uniformRun(from: first, columns: columns, in: text) { return (run, true) }
    /// Returns the byte that ends the field before the given entry of `places`.
    func stop(_ place: Int) -> UInt8 { text[Int(ends[place]) - 1] }
    var start = first
    while true {
      let last = start + columns
      for place in start + 1..<last {
        guard place < known else { return (run, true) }
        if stop(place) != delimiter { return (run, false) }
      }
      guard last < known else { return (run, true) }
      var end = last
      if stop(last) == carriageReturn {
        end += 1
        guard end < known else { return (run, true) }
        if ends[last] + 1 != ends[end] { return (run, false) }
      }
      if run.count == 0 { run.stride = end - start }
      // All rows of a batch have the same stride, so that the fields of each column are equally spaced in
      // `places`.
      if end - start != run.stride || stop(end) != lineFeed || isBeyondLimit(Int(ends[end]), Int(ends[start]))
      {
        return (run, false)
      }
      run.count += 1
      start = end
    }
  }

  /// Returns the rows of a batch, valid until the scanner moves on.
  ///
  /// - Parameters:
  ///   - run: The batch.
  ///   - number: The number of the batch's first row.
  ///   - unit: The unit of the number.
  ///   - slotOfColumn: The slot of each column in the record, or -1.
  /// - Returns: The rows.
  @_lifetime(borrow self, copy slotOfColumn)
  func rows(
    of run: OrdinaryRun, number: Int, unit: PlaceUnit, slotOfColumn: Span<Int>
  ) -> OrdinaryRows {
    let known = places.places.span.extracting(run.first...run.first + run.count * run.stride)
    return OrdinaryRows(
      count: run.count, firstNumber: number, unit: unit,
      padded: padded.extracting(places.base..<padded.byteCount),
      text: bytes.extracting(places.base..<bytes.count), places: known, stride: run.stride,
      slotOfColumn: slotOfColumn)
  }

  /// Moves past the next row. Returns `nil` at the end of the file, or if `isIncomplete` is set.
  ///
  /// - Parameter onField: Called with each complete field and its index from 0. The row may still turn out to
  ///   be faulty.
  /// - Returns: The row without its fields.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func nextRow(_ onField: (_ index: Int, _ field: Field) -> Void) -> ScannedRow? {
    while offset < bytes.count, endsLine(bytes[offset]) {
      guard skipLineEnd() else { return incomplete(offset, line) }
    }
    guard offset < bytes.count else {
      isIncomplete = !isComplete
      return nil
    }
    let start = offset
    let firstLine = line
    var row = ScannedRow(line: line, fieldCount: 0, range: start..<start, fault: nil)
    let canBeTooLong = isBeyondLimit(bytes.count, start)
    while true {
      if canBeTooLong, isBeyondLimit(offset, start) { return tooLong(&row, start) }
      if offset < bytes.count, bytes[offset] == quote {
        let opening = offset
        let openingLine = line
        guard let field = quotedField() else {
          guard isComplete || canBeTooLong else { return incomplete(start, firstLine) }
          return resume(&row, start, after: opening, .unclosed(line: openingLine))
        }
        if canBeTooLong, isBeyondLimit(offset, start) {
          return resume(&row, start, after: opening, .unclosed(line: openingLine))
        }
        guard offset == bytes.count || bytes[offset] == delimiter || endsLine(bytes[offset]) else {
          return resume(&row, start, after: opening, .followed(line: openingLine))
        }
        onField(row.fieldCount, field)
      } else {
        let end = plainEnd.firstMatch(in: padded, from: offset, end: bytes.count)
        let field = Field(range: offset..<end, hasDoubledQuotes: false)
        offset = end
        if canBeTooLong, isBeyondLimit(offset, start) { return tooLong(&row, start) }
        onField(row.fieldCount, field)
      }
      row.fieldCount += 1
      if offset < bytes.count, bytes[offset] == delimiter {
        offset += 1
      } else if offset < bytes.count {
        row.range = start..<offset
        guard skipLineEnd() else { return incomplete(start, firstLine) }
        return row
      } else if isComplete {
        row.range = start..<offset
        return row
      } else {
        return incomplete(start, firstLine)
      }
    }
  }

  /// Returns whether a row from `start` to `end` exceeds the record limit.
  private func isBeyondLimit(_ end: Int, _ start: Int) -> Bool {
    end - start > recordLimit
  }

  /// Moves back to the start of the row, and sets `isIncomplete`.
  @_lifetime(self: copy self)
  private mutating func incomplete(_ start: Int, _ firstLine: Int) -> ScannedRow? {
    offset = start
    line = firstLine
    isIncomplete = true
    return nil
  }

  /// Marks the row as too long, and moves past the first line end at or after `offset`. If that line end may
  /// be after the window, sets `isInLongRow` instead.
  @_lifetime(self: copy self)
  private mutating func tooLong(_ row: inout ScannedRow, _ start: Int) -> ScannedRow {
    row.fault = .tooLong
    row.range = start..<start + recordLimit
    offset = lineEnd.firstMatch(in: padded, from: offset, end: bytes.count)
    // A CR at the end of the window may be the first half of a CR LF, so it is scanned again.
    let isEnded = offset < bytes.count ? skipLineEnd() : isComplete
    isInLongRow = !isEnded
    return row
  }

  /// Reads the quoted field at `offset` and moves past its closing quote. Returns `nil` if the closing quote
  /// is missing.
  @_lifetime(self: copy self)
  private mutating func quotedField() -> Field? {
    let start = offset + 1
    var hasDoubledQuotes = false
    offset = start
    while true {
      offset = quotedStop.firstMatch(in: padded, from: offset, end: bytes.count)
      guard offset < bytes.count else { return nil }
      if bytes[offset] != quote {
        guard skipLineEnd() else { return nil }
      } else if offset + 1 < bytes.count, bytes[offset + 1] == quote {
        hasDoubledQuotes = true
        offset += 2
      } else {
        offset += 1
        return Field(range: start..<offset - 1, hasDoubledQuotes: hasDoubledQuotes)
      }
    }
  }

  /// Moves past the line end at `offset`. CR LF counts as one line end. Returns `false`, without moving, if a
  /// CR is the last byte of the window and an LF may follow.
  @_lifetime(self: copy self)
  private mutating func skipLineEnd() -> Bool {
    var length = 1
    if bytes[offset] == carriageReturn {
      if offset + 1 < bytes.count {
        if bytes[offset + 1] == lineFeed { length = 2 }
      } else if !isComplete {
        return false
      }
    }
    offset += length
    line += 1
    return true
  }

  /// Ends a faulty row after the physical line that contains the byte `opening`, and moves past that line.
  @_lifetime(self: copy self)
  private mutating func resume(
    _ row: inout ScannedRow, _ start: Int, after opening: Int, _ fault: RowFault
  ) -> ScannedRow? {
    let firstLine = row.line
    // The scanned bytes include the byte that revealed the fault.
    furthest = max(furthest, min(offset + 1, bytes.count))
    let end = lineEnd.firstMatch(in: padded, from: opening, end: bytes.count)
    switch fault {
    case .unclosed(let openingLine), .followed(let openingLine): line = openingLine
    case .tooLong: break
    }
    offset = end
    if isBeyondLimit(end, start) { return tooLong(&row, start) }
    let isEnded = end < bytes.count ? skipLineEnd() : isComplete
    guard isEnded else { return incomplete(start, firstLine) }
    row.fault = fault
    row.range = start..<end
    return row
  }

  private func endsLine(_ byte: UInt8) -> Bool {
    byte == lineFeed || byte == carriageReturn
  }
}

let lineFeed = UInt8(ascii: "\n")
let carriageReturn = UInt8(ascii: "\r")

/// Returns 3 if the bytes start with the UTF-8 byte order mark, otherwise 0.
func byteOrderMarkLength(_ bytes: Span<UInt8>) -> Int {
  bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
}
