/// One record of the CSV that Nightjar writes, put together from one or more lines. `CSVText` is the writer.
///
/// CSV as RFC 4180 has it: a field with a comma, a quote, CR or LF stands in quotes, and a quote inside is doubled. Lines may
/// end with LF or CRLF. `CSVText` escapes line ends, so that each of its records is one line; files that passed through another
/// program may have records of several lines.
///
/// Exports of apps are read by `ExportReader`, which knows other dialects and goes on behind a faulty row.
package struct CSVRecord: Sendable {
  /// What is wrong with a record.
  package enum Flaw: String, Error {
    case quote = "a quote occurs where RFC 4180 allows none"
  }

  private enum State {
    case start, plain, quoted, quoteInQuoted
  }

  /// The fields, then memory of fields of earlier records.
  private var fields: [[UInt8]] = [[]]
  /// Where each field begins in the line in which it begins.
  private var starts = [0]
  /// How many bytes the last line has.
  private var length = 0
  private var state = State.start

  package init() {}

  /// How many fields the record has.
  package var count: Int { starts.count }

  /// The field at `index`, out of its quotes; empty where the record has fewer fields.
  package subscript(_ index: Int) -> [UInt8] { index < count ? fields[index] : [] }

  /// The text of unknown origin that `CSVText` wrote as the field at `index`.
  package func text(_ index: Int) -> [UInt8] { CSVText.decoded(self[index]) }

  /// Takes a line, without its LF; true if the record is complete with it.
  ///
  /// After a complete record, the next line begins another.
  ///
  /// - Throws: `Flaw`; the record is of no use then.
  package mutating func take(_ line: Span<UInt8>) throws(Flaw) -> Bool {
    if state == .quoted {
      // The field goes on over the line's end, which is part of it.
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
  /// The record that `line` is, without its LF; `nil` unless it is a whole one.
  package init?(line: Span<UInt8>) {
    self.init()
    guard (try? take(line)) == true else { return nil }
  }

  /// Where the field at `index` stands in the line of a record of one line, quotes included.
  package func place(_ index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < count ? starts[index + 1] - 1 : length)
  }

  /// The field at `index` as it is written in `line`, quotes included: `CSVText.field` of the same text is equal. Empty where
  /// the record has fewer fields.
  package func written(_ index: Int, in line: [UInt8]) -> [UInt8] {
    index < count ? Array(line[place(index)]) : []
  }
}
