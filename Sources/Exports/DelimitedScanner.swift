/// Splits a delimited file into rows and fields, in one pass over its bytes.
///
/// The grammar is RFC 4180's, with what it leaves open decided so:
/// - Rows end with LF, CR LF or CR, mixed at will; the last may lack its end. A row without bytes is skipped.
/// - A field is quoted when its first byte is the quote. Elsewhere in a field a quote is an ordinary byte.
/// - After a closing quote only a delimiter or the row's end may follow.
/// - A row with a quoting fault costs one physical line: reading resumes behind the line on which the
///   offending field began. A stray quote thus cannot swallow the rows up to the next quote, or to the end.
///
/// That resumption keeps the work linear: behind a quote that opens a faulty field, every run of quotes up to
/// where the fault was noticed has even length, so that no field there can run on to the same place.
///
/// Source: RFC 4180, section 2.
struct DelimitedScanner: ~Copyable, ~Escapable {
  /// One field of a row.
  struct Field {
    /// Its bytes, without the quotes around it.
    var range: Range<Int>
    /// Whether quotes within it are written twice.
    var hasDoubledQuotes: Bool
  }

  /// One row that is not blank.
  struct Row {
    /// The physical line, from 1, on which it starts.
    var line: Int
    /// How many fields it has; of a faulty row, how many were complete.
    var fieldCount: Int
    /// Its bytes without the line end. Of a faulty row only those up to where reading resumes.
    var range: Range<Int>
    /// Why it is not a row, if so.
    var fault: QuoteFault?
  }

  /// What is wrong with a quoted field.
  enum QuoteFault {
    case unclosed(line: Int)
    case followed(line: Int)
  }

  private let padded: RawSpan
  private let bytes: Span<UInt8>
  private let delimiter: UInt8
  private let quote: UInt8
  private let plainEnd: ByteSearch
  private let quotedStop: ByteSearch
  private var offset: Int
  private var line = 1

  /// A scanner at the start of `source`, behind a byte order mark if there is one.
  @_lifetime(borrow source)
  init(_ source: borrowing PaddedBytes, delimiter: UInt8, quote: UInt8) {
    padded = source.padded
    bytes = source.bytes
    self.delimiter = delimiter
    self.quote = quote
    plainEnd = ByteSearch(delimiter, lineFeed, carriageReturn)
    quotedStop = ByteSearch(quote, lineFeed, carriageReturn)
    offset = byteOrderMarkLength(source.bytes)
  }

  /// The next row, or `nil` at the end of the file.
  ///
  /// - Parameter onField: Called with each complete field and its index from 0, before it is known whether the
  ///   row is faulty.
  /// - Returns: What is known of the row besides its fields.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func nextRow(_ onField: (_ index: Int, _ field: Field) -> Void) -> Row? {
    while offset < bytes.count, endsLine(bytes[offset]) { skipLineEnd() }
    guard offset < bytes.count else { return nil }
    let start = offset
    var row = Row(line: line, fieldCount: 0, range: start..<start, fault: nil)
    while true {
      if offset < bytes.count, bytes[offset] == quote {
        let opening = offset
        let openingLine = line
        guard let field = quotedField() else {
          row.fault = .unclosed(line: openingLine)
          row.range = start..<resume(after: opening, line: openingLine)
          return row
        }
        guard offset == bytes.count || bytes[offset] == delimiter || endsLine(bytes[offset]) else {
          row.fault = .followed(line: openingLine)
          row.range = start..<resume(after: opening, line: openingLine)
          return row
        }
        onField(row.fieldCount, field)
      } else {
        let end = plainEnd.firstMatch(in: padded, from: offset, end: bytes.count)
        onField(row.fieldCount, Field(range: offset..<end, hasDoubledQuotes: false))
        offset = end
      }
      row.fieldCount += 1
      if offset < bytes.count, bytes[offset] == delimiter {
        offset += 1
      } else {
        row.range = start..<offset
        if offset < bytes.count { skipLineEnd() }
        return row
      }
    }
  }

  /// The quoted field whose opening quote is here, and moves behind its closing quote; `nil` when it has none.
  @_lifetime(self: copy self)
  private mutating func quotedField() -> Field? {
    let start = offset + 1
    var hasDoubledQuotes = false
    offset = start
    while true {
      offset = quotedStop.firstMatch(in: padded, from: offset, end: bytes.count)
      guard offset < bytes.count else { return nil }
      if bytes[offset] != quote {
        skipLineEnd()
      } else if offset + 1 < bytes.count, bytes[offset + 1] == quote {
        hasDoubledQuotes = true
        offset += 2
      } else {
        offset += 1
        return Field(range: start..<offset - 1, hasDoubledQuotes: hasDoubledQuotes)
      }
    }
  }

  /// Moves behind the line end at `offset`, CR LF being one.
  @_lifetime(self: copy self)
  private mutating func skipLineEnd() {
    let isPair =
      bytes[offset] == carriageReturn && offset + 1 < bytes.count && bytes[offset + 1] == lineFeed
    offset += isPair ? 2 : 1
    line += 1
  }

  /// Moves behind the physical line that holds `opening`, and returns where that line's text ends.
  @_lifetime(self: copy self)
  private mutating func resume(after opening: Int, line openingLine: Int) -> Int {
    let lineEnd = ByteSearch(lineFeed, carriageReturn, carriageReturn)
    let end = lineEnd.firstMatch(in: padded, from: opening, end: bytes.count)
    offset = end
    line = openingLine
    if end < bytes.count { skipLineEnd() }
    return end
  }

  private func endsLine(_ byte: UInt8) -> Bool {
    byte == lineFeed || byte == carriageReturn
  }
}

let lineFeed = UInt8(ascii: "\n")
let carriageReturn = UInt8(ascii: "\r")

/// 3 when the bytes begin with UTF-8's byte order mark, else 0.
func byteOrderMarkLength(_ bytes: Span<UInt8>) -> Int {
  bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
}
