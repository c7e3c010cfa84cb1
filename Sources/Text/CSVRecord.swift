/// One record of the CSV that Nightjar writes, assembled from one or more lines. `CSVText` is the writer.
///
/// CSV as in RFC 4180: a field with a comma, a quote, CR or LF is quoted, and a quote inside is doubled. Lines may end with LF
/// or CRLF. `CSVText` escapes line ends, so each of its records is one line; files that passed through another program may have
/// records of several lines.
///
/// `ExportReader` reads exports of apps: it supports other dialects and continues after a faulty row.
package struct CSVRecord: Sendable {
  /// The fault of a record.
  package enum Flaw: String, Error {
    case quote = "a quote occurs where RFC 4180 allows none"
  }

  private enum State {
    case start, plain, quoted, quoteInQuoted
  }

  /// The fields, followed by reusable memory of earlier records.
  private var fields: [[UInt8]] = [[]]
  /// The start of each field in the line in which it begins.
  private var starts = [0]
  /// The length of the last line in bytes.
  private var length = 0
  private var state = State.start

  package init() {}

  /// The number of fields in the record.
  package var count: Int { starts.count }

  /// The unquoted field at `index`; empty if the record has fewer fields.
  package subscript(_ index: Int) -> [UInt8] { index < count ? fields[index] : [] }

  /// The text of unknown origin that `CSVText` wrote as the field at `index`.
  package func text(_ index: Int) -> [UInt8] { CSVText.decoded(self[index]) }

  /// Adds a line, without its LF; true if the record is complete with it.
  ///
  /// After a complete record, the next line begins another.
  ///
  /// - Throws: `Flaw`; the record is then invalid.
  package mutating func take(_ line: Span<UInt8>) throws(Flaw) -> Bool {
    if state == .quoted {
      // The field continues on the next line; the line end is part of it.
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
  /// Parses `line`, without its LF, as a record; `nil` unless it is a complete one.
  package init?(line: Span<UInt8>) {
    self.init()
    guard (try? take(line)) == true else { return nil }
  }

  /// The range of the field at `index` in the line of a single-line record, including quotes.
  package func place(_ index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < count ? starts[index + 1] - 1 : length)
  }

  /// The field at `index` as written in `line`, including quotes: equal to `CSVText.field` of the same text. Empty if the
  /// record has fewer fields.
  package func written(_ index: Int, in line: [UInt8]) -> [UInt8] {
    index < count ? Array(line[place(index)]) : []
  }
}
