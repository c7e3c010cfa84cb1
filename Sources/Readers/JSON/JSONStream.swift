internal import Text

/// Finds where the values of a JSON file begin and end while the file is read, without parsing them.
///
/// A file can be larger than memory. This type therefore walks only the structure around the records. Each
/// record is one piece, which is parsed separately. The type finds the ends of pieces by counting brackets
/// outside strings.
///
/// This approach is as strict as parsing the whole file. A file is JSON if and only if the brackets, commas
/// and colons found here are in place and simdjson accepts every piece between them. In a malformed file, a
/// piece may end at the wrong place, and is then malformed itself.
struct JSONStream: ~Copyable {
  /// The part of the file that is in memory.
  var window: ByteWindow
  /// The offset in the window of the next byte to scan.
  var offset: Int
  /// The offset in the file of the first byte after the byte order mark.
  private let start: Int
  /// The place to which `goBack` returns, and the start of the current value. The bytes from these places on
  /// must stay in the window.
  private var bookmark: Int?
  private var valueStart: Int?
  /// The place in the file of the current value's start, if this start has left the window.
  private var lostPlace: ExportError.Place?
  private let file: String
  let recordLimit: Int
  private let stringStop = ByteSearch(UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\\"))
  private let lineStop = ByteSearch(lineFeed, lineFeed, lineFeed)

  /// Creates a stream at the start of `window`, after the byte order mark, if any.
  init(_ window: consuming ByteWindow, file: String, recordLimit: Int) throws(ExportError) {
    try window.move(to: 0)
    while window.count < 3, !window.isComplete { try window.move(to: 0) }
    self.init(window, at: byteOrderMarkLength(window.bytes), file: file, recordLimit: recordLimit)
  }

  /// Creates a stream over a block, which has no byte order mark.
  init(_ block: WindowBlock, from start: Int, file: String, recordLimit: Int) {
    self.init(ByteWindow(block, file: file), at: start, file: file, recordLimit: recordLimit)
  }

  private init(_ window: consuming ByteWindow, at offset: Int, file: String, recordLimit: Int) {
    start = window.position + offset
    self.window = window
    self.offset = offset
    self.file = file
    self.recordLimit = recordLimit
  }

  /// Returns the offset in the file of a byte of the window.
  borrowing func position(of offset: Int) -> Int { window.position + offset }

  /// Whether the file has no bytes except a byte order mark. The stream must be at the end of the file.
  var isEmpty: Bool { position(of: offset) == start }

  /// The physical line, from 1, of the next byte to scan.
  var line: Int { window.line(of: offset) }

  /// Rejects invalid UTF-8 from here on.
  mutating func startCheckingUTF8() throws(ExportError) { try window.startCheckingUTF8(at: offset) }

  // MARK: Moving on

  /// Returns the next byte that is not white space; `nil` at the end of the file. The stream stays before
  /// this byte.
  mutating func peek() throws(ExportError) -> UInt8? {
    repeat {
      let bytes = window.bytes
      while offset < bytes.count {
        switch bytes[offset] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), lineFeed, carriageReturn: offset += 1
        default: return bytes[offset]
        }
      }
    } while try more()
    return nil
  }

  /// Moves past `byte`, which must be the next byte that is not white space. In an error message, `purpose`
  /// follows `byte`.
  mutating func expect(_ byte: UInt8, _ purpose: String) throws(ExportError) {
    guard try peek() == byte else { throw unexpected("'\(Character(Unicode.Scalar(byte)))' \(purpose)") }
    offset += 1
  }

  /// Moves to the next element of the current array, or past the `]` if no element follows.
  ///
  /// - Parameter isFirst: Whether the `[` was just passed; becomes false.
  /// - Returns: Whether an element follows.
  /// - Throws: `bad_json` if neither a comma nor `]` follows.
  mutating func nextElement(isFirst: inout Bool) throws(ExportError) -> Bool {
    try next(closing: UInt8(ascii: "]"), of: "the array", isFirst: &isFirst)
  }

  /// Moves to the value of the next member of the current object, and returns its key as written, including
  /// the quotes. If no member follows, moves past the `}` and returns `nil`.
  mutating func nextMember(isFirst: inout Bool) throws(ExportError) -> [UInt8]? {
    guard try next(closing: UInt8(ascii: "}"), of: "the object", isFirst: &isFirst) else { return nil }
    guard try peek() == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
    guard let range = try skipValue() else {
      throw tooLong(at: offset, "a key")
    }
    let key = Array(copying: window.bytes.extracting(range))
    try expect(UInt8(ascii: ":"), "after a key")
    return key
  }

  /// Moves past the next value and returns its range in the window, valid until the stream moves on.
  ///
  /// - Returns: The range; `nil` if the value exceeds the record limit, because its start may have left the
  ///   window.
  mutating func skipValue() throws(ExportError) -> Range<Int>? {
    try skipValue(stopsAtLimit: false)
  }

  /// Moves past the next value and returns its range. Returns `nil`, without moving, for a value that exceeds
  /// the record limit.
  mutating func skipShortValue() throws(ExportError) -> Range<Int>? {
    try skipValue(stopsAtLimit: true)
  }

  private mutating func skipValue(stopsAtLimit: Bool) throws(ExportError) -> Range<Int>? {
    guard let first = try peek() else { throw unexpected("a value") }
    valueStart = offset
    lostPlace = nil
    defer { valueStart = nil }
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
      var nesting = Nesting()
      while !scanNested(&nesting) {
        if stopsAtLimit, let start = valueStart, offset - start > recordLimit {
          offset = start
          return nil
        }
        guard try more() else {
          // The value may have left the window.
          throw malformed(
            at: lostPlace ?? place(of: valueStart ?? offset),
            nesting.depth == 0
              ? "the file ends inside a string of the value that begins here"
              : "the file ends inside the value that begins here")
        }
      }
    default:
      while !scanScalar() {
        if stopsAtLimit, let start = valueStart, offset - start > recordLimit {
          offset = start
          return nil
        }
        guard try more() else { break }
      }
      if valueStart == offset { throw unexpected("a value") }
    }
    guard let start = valueStart else { return nil }
    guard offset - start > recordLimit else { return start..<offset }
    if stopsAtLimit { offset = start }
    return nil
  }

  /// Moves past the next line.
  ///
  /// - Returns: The range of the line without its LF; `nil` at the end of the file. If `isTooLong`, the range
  ///   is only the start of a line that exceeds the record limit, and the stream stays within that line.
  mutating func nextLine() throws(ExportError) -> (range: Range<Int>, isTooLong: Bool)? {
    while offset == window.count { guard try more() else { return nil } }
    while true {
      let end = lineStop.firstMatch(in: window.padded, from: offset, end: window.count)
      if end < window.count || window.isComplete {
        let range = offset..<end
        if range.count > recordLimit { return (offset..<offset + recordLimit, true) }
        offset = min(end + 1, window.count)
        return (range, false)
      }
      if end - offset > recordLimit { return (offset..<offset + recordLimit, true) }
      _ = try more()
    }
  }

  /// Moves past the next LF, without keeping the bytes before it.
  mutating func skipLine() throws(ExportError) {
    repeat {
      offset = lineStop.firstMatch(in: window.padded, from: offset, end: window.count)
      if offset < window.count {
        offset += 1
        return
      }
    } while try more()
  }

  // MARK: Coming back

  /// Stores the current place for `goBack`. The place stays valid until the stream has moved past it by more
  /// than the record limit.
  mutating func setBookmark() { bookmark = offset }

  /// Returns to the stored place, and clears it.
  ///
  /// - Returns: `false`, without moving, if the stored place is no longer valid.
  mutating func goBack() -> Bool {
    guard let place = bookmark, offset - place <= recordLimit else {
      bookmark = nil
      return false
    }
    offset = place
    bookmark = nil
    return true
  }

  /// Returns whether the current place is on the physical line `first` and only white space follows on this
  /// line.
  mutating func isAtEnd(ofLine first: Int) throws(ExportError) -> Bool {
    guard line == first else { return false }
    while true {
      var end = offset
      while end < window.count, isSpace(window.bytes[end]) { end += 1 }
      if end < window.count { return window.bytes[end] == lineFeed }
      guard window.count - offset < recordLimit, try more() else { return window.isComplete }
    }
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == carriageReturn
  }

  /// Returns to the start of the value that was just skipped.
  mutating func stepBack(to value: Range<Int>) {
    precondition(offset == value.upperBound, "the stream has already passed this value")
    offset = value.lowerBound
  }

  // MARK: Errors

  /// Returns a `bad_json` error at a byte of the window.
  borrowing func malformed(at offset: Int, _ reason: String) -> ExportError {
    malformed(at: place(of: offset), reason)
  }

  private borrowing func malformed(at place: ExportError.Place, _ reason: String) -> ExportError {
    ExportError(
      .badJSON, file: file, place: place, reason: "the file is not JSON: \(reason); export the data again")
  }

  /// Returns a `bad_json` error for a value or a key that exceeds the record limit.
  borrowing func tooLong(at offset: Int, _ what: String) -> ExportError {
    ExportError(
      .badJSON, file: file, place: place(of: offset),
      reason: "\(what) is longer than \(ByteWindow.recordLimit >> 20) MiB; shorten it, "
        + "or export the file again")
  }

  /// Returns the place in the file of a byte of the window.
  borrowing func place(of offset: Int) -> ExportError.Place {
    .byte(position(of: offset), line: window.line(of: offset))
  }

  private borrowing func unexpected(_ expected: String) -> ExportError {
    guard offset < window.count else {
      return malformed(at: offset, "expected \(expected), but the file ends")
    }
    return malformed(at: offset, "expected \(expected), found \(byteName(window.bytes[offset]))")
  }

  // MARK: Parts

  private mutating func next(
    closing: UInt8, of whole: String, isFirst: inout Bool
  ) throws(ExportError) -> Bool {
    let byte = try peek()
    if byte == closing {
      offset += 1
      return false
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else {
        throw unexpected("',' or '\(Character(Unicode.Scalar(closing)))' in \(whole)")
      }
      offset += 1
    }
    isFirst = false
    return true
  }

  /// Moves the window forward and adjusts all stored places. A place that precedes `offset` by more than the
  /// record limit is dropped, so that the window need not keep its bytes.
  ///
  /// - Returns: `false` if the window already contained the end of the file.
  private mutating func more() throws(ExportError) -> Bool {
    if window.isComplete { return false }
    if let start = valueStart, offset - start > recordLimit {
      lostPlace = place(of: start)
      valueStart = nil
    }
    if let place = bookmark, offset - place > recordLimit { bookmark = nil }
    let kept = min(offset, window.settled, valueStart ?? offset, bookmark ?? offset)
    try window.move(to: kept)
    offset -= kept
    valueStart = valueStart.map { $0 - kept }
    bookmark = bookmark.map { $0 - kept }
    return true
  }

  private struct Nesting {
    var depth = 0
    var isInString = false
  }

  /// Advances within a string, object or array. Returns whether its end was found in the window.
  private mutating func scanNested(_ nesting: inout Nesting) -> Bool {
    let bytes = window.bytes
    let padded = window.padded
    var index = offset
    defer { offset = index }
    while index < bytes.count {
      if nesting.isInString {
        index = stringStop.firstMatch(in: padded, from: index, end: bytes.count)
        guard index < bytes.count else { return false }
        if bytes[index] == UInt8(ascii: "\\") {
          // This also skips the escaped character. If that character is after the window, the backslash is
          // scanned again.
          guard index + 1 < bytes.count else { return false }
          index += 2
          continue
        }
        nesting.isInString = false
        index += 1
        if nesting.depth == 0 { return true }
      }
      // This loop processes most bytes of a file, so it must be fast.
      while index < bytes.count, !nesting.isInString {
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""): nesting.isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): nesting.depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          nesting.depth -= 1
          if nesting.depth == 0 { return true }
        default: break
        }
      }
    }
    return false
  }

  /// Advances within a number, `true`, `false` or `null`. Returns whether its end was found in the window.
  private mutating func scanScalar() -> Bool {
    let bytes = window.bytes
    while offset < bytes.count, !Self.endsScalar(bytes[offset]) { offset += 1 }
    return offset < bytes.count
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "["),
      UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: " "), UInt8(ascii: "\t"), lineFeed, carriageReturn:
      true
    default: false
    }
  }
}
