/// One record of CSV that Nightjar wrote with `CSVText`, parsed from one or more lines.
///
/// The format is RFC 4180: a field with a comma, a quote, CR or LF is quoted, and quotes inside are doubled.
/// Lines may end with LF or CRLF. `CSVText` escapes line ends, so each of its records is one line. Files that
/// passed through another program may have records of several lines.
///
/// For exports of apps, use `ExportReader`, which supports other dialects and continues after a faulty row.
package struct CSVRecord: Sendable {
  /// The fault of a record.
  package enum Flaw: String, Error {
    case quote = "a quote or a carriage return occurs where RFC 4180 does not allow it"
  }

  private enum State {
    case start, plain, quoted, quoteInQuoted
  }

  /// The unquoted fields of the record, followed by buffers of earlier records for reuse.
  private var fields: [[UInt8]] = [[]]
  /// The start of each field in its line.
  private var starts = [0]
  /// The length of the last line in bytes.
  private var length = 0
  private var state = State.start

  package init() {}

  /// The number of fields in the record.
  package var count: Int { starts.count }

  /// The unquoted field at `index`; empty if the record has fewer fields.
  package subscript(_ index: Int) -> [UInt8] { index < count ? fields[index] : [] }

  /// Returns the original text of the field at `index`, which `CSVText` wrote with `append(text:)`.
  package func text(_ index: Int) -> [UInt8] { CSVText.decoded(self[index]) }

  /// Adds a line, without its LF. Returns whether the record is complete.
  ///
  /// After a complete record, the next line starts another record.
  ///
  /// - Throws: `Flaw` if a quote or a carriage return is not allowed at its place. The record is then
  ///   invalid.
  package mutating func take(_ line: Span<UInt8>) throws(Flaw) -> Bool {
    if state == .quoted {
      // The line continues a quoted field, and the line end before it is part of the field.
      fields[count - 1].append(UInt8(ascii: "\n"))
    } else {
      starts.removeAll(keepingCapacity: true)
      begin(at: 0)
    }
    for index in line.indices { try take(line[index], at: index, isLast: index == line.count - 1) }
    length = line.count
    return state != .quoted
  }

  private mutating func begin(at index: Int) {
    if count == fields.count { fields.append([]) } else { fields[count].removeAll(keepingCapacity: true) }
    starts.append(index)
    state = .start
  }

  private mutating func take(_ byte: UInt8, at index: Int, isLast: Bool) throws(Flaw) {
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _): fields[count - 1].append(byte)
    case (.start, UInt8(ascii: "\"")): state = .quoted
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      fields[count - 1].append(byte)
      state = .quoted
    case (_, UInt8(ascii: ",")): begin(at: index + 1)
    case (_, UInt8(ascii: "\r")) where isLast: break
    case (.start, _), (.plain, _):
      guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\r") else { throw .quote }
      fields[count - 1].append(byte)
      state = .plain
    case (.quoteInQuoted, _): throw .quote
    }
  }
}

extension CSVRecord {
  /// Parses `line`, without its LF, as a record. Returns `nil` if the line is not a complete record.
  package init?(line: Span<UInt8>) {
    self.init()
    guard (try? take(line)) == true else { return nil }
  }

  /// Returns the range of the field at `index` in the line, including quotes. The record must have a single
  /// line.
  package func place(_ index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < count ? starts[index + 1] - 1 : length)
  }

  /// Returns the field at `index` as written in `line`, including quotes; empty if the record has fewer
  /// fields. In a line that `CSVText` wrote, the result equals `CSVText.field` of the same text.
  package func written(_ index: Int, in line: [UInt8]) -> [UInt8] {
    index < count ? Array(line[place(index)]) : []
  }
}
