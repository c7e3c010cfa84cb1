/// One record of a matches file, put together from one or more lines.
///
/// CSV as RFC 4180 has it: a field with a comma, a quote, CR or LF stands in quotes, a quote inside is doubled.
/// Lines may end with LF or CRLF.
struct MatchesRecord {
  /// What is wrong with a record.
  enum Flaw: String, Error {
    case quote = "a quote stands where RFC 4180 allows none"
    case fields = "the record does not have three fields"
  }

  private enum State {
    case start, plain, quoted, quoteInQuoted
  }

  /// The fields of the record; those of a complete one are three.
  private(set) var fields: [[UInt8]] = [[], [], []]
  private var count = 0
  private var state = State.start

  /// Takes a line, without its LF; true if the record is complete with it.
  ///
  /// After a complete record, the next line begins another.
  mutating func take(_ line: Span<UInt8>) throws(Flaw) -> Bool {
    if state == .quoted {
      // The field goes on over the line's end, which is part of it.
      fields[count].append(UInt8(ascii: "\n"))
    } else {
      begin()
    }
    for index in line.indices {
      try take(line[index], isLast: index == line.count - 1)
    }
    guard state != .quoted else { return false }
    guard count == 2 else { throw .fields }
    return true
  }

  private mutating func begin() {
    for index in fields.indices { fields[index].removeAll(keepingCapacity: true) }
    count = 0
    state = .start
  }

  private mutating func take(_ byte: UInt8, isLast: Bool) throws(Flaw) {
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _): fields[count].append(byte)
    case (.start, UInt8(ascii: "\"")): state = .quoted
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      fields[count].append(byte)
      state = .quoted
    case (_, UInt8(ascii: ",")):
      guard count < 2 else { throw .fields }
      count += 1
      state = .start
    case (_, UInt8(ascii: "\r")) where isLast: break
    case (.start, _), (.plain, _):
      guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\r") else { throw .quote }
      fields[count].append(byte)
      state = .plain
    case (.quoteInQuoted, _): throw .quote
    }
  }
}
