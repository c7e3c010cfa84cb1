extension JSONPass {
  /// Passes the records of a JSON Lines file, one object per line, to `body`.
  ///
  /// Lines end with LF or CR LF; the last line may lack its line break. Blank lines are skipped. Any fault of
  /// a line, including invalid UTF-8, affects only that line.
  mutating func forEachLine(_ body: (borrowing Record) throws -> Void) throws {
    // Only white space precedes the current place, but it may contain line breaks.
    try forEachLine(after: stream.line - 1, body)
  }

  /// Passes the lines from the current place on to `body` as records. `lines` is the number of lines before
  /// that place.
  mutating func forEachLine(after lines: Int, _ body: (borrowing Record) throws -> Void) throws {
    var number = lines
    while let (range, isTooLong) = try stream.nextLine() {
      number += 1
      if isTooLong {
        try deliverTooLong(range, number: number, unit: .line, to: body)
        try stream.skipLine()
      } else if !isBlank(range, in: stream.window.bytes) {
        try deliverLine(range, number: number, to: body)
      }
    }
  }

  /// Passes the records of a window to `body`. The window contains the rest of the file or of a block. Lines
  /// of the usual form go to `onRows` in batches instead; see `OrdinaryRows`.
  mutating func forEachLine(
    after lines: Int, rows onRows: (borrowing OrdinaryRows) throws -> Void,
    _ body: (borrowing Record) throws -> Void
  ) throws {
    precondition(stream.window.isComplete, "batches of rows need a complete window")
    // Only the code for single records handles dialects and texts that mean "missing".
    guard dialect == .plain, missing.isEmpty, let keys = LineForm.keys(paths) else {
      return try forEachLine(after: lines, body)
    }
    var number = lines
    var ordinary = OrdinaryLines(keys, recordLimit: stream.recordLimit)
    while true {
      if let run = ordinary.run(from: stream.offset, in: stream.window) {
        add(records: run.count)
        number += run.count
        stream.offset = run.end
        try onRows(ordinary.rows(of: run, number: number - run.count + 1, in: stream.window))
        continue
      }
      guard let (range, isTooLong) = try stream.nextLine() else { return }
      number += 1
      if isTooLong {
        try deliverTooLong(range, number: number, unit: .line, to: body)
        try stream.skipLine()
      } else if !isBlank(range, in: stream.window.bytes) {
        if try deliverLine(range, number: number, to: body) { ordinary.learn(range, in: stream.window) }
      }
    }
  }

  /// Passes the records of a file that is one JSON array of objects to `body`.
  ///
  /// - Throws: `invalid_utf8`; `wrong_shape` if the file is JSON of another kind; `bad_json` if it is
  ///   malformed, after the records before that place; errors of `body`.
  mutating func forEachElement(_ body: (borrowing Record) throws -> Void) throws {
    guard let first = try stream.peek() else { throw emptyFile() }
    guard first == UInt8(ascii: "[") else {
      throw ExportError(
        .wrongShape, file: file,
        reason: "the file must be one array of objects, but it begins with \(valueName(first)); "
          + "if each line is one object, set 'format: jsonl' in the source")
    }
    var number = 0
    try forEachElement(number: &number, body)
    try expectEnd()
  }

  /// Passes the elements of the array at the current place to `body`, and moves past the array.
  mutating func forEachElement(number: inout Int, _ body: (borrowing Record) throws -> Void) throws {
    try stream.startCheckingUTF8()
    var isFirst = true
    try stream.expect(UInt8(ascii: "["), "before the records")
    while try stream.nextElement(isFirst: &isFirst) {
      number += 1
      try deliverElement(number: number, to: body)
    }
  }

  /// Rejects everything except white space up to the end of the file.
  mutating func expectEnd() throws(ExportError) {
    guard try stream.peek() == nil else {
      throw stream.malformed(at: stream.offset, "text follows the end of the value")
    }
  }

  /// Returns a `bad_json` error for a file without a value.
  borrowing func emptyFile() -> ExportError {
    let advice =
      switch dialect {
      case .plain: "write an empty array, [], for an export without records"
      case .firestore: "write {\"documents\":[]} for an export without records"
      case .parse: "write {\"results\":[]} for an export without records"
      // No empty form is suggested, because an empty tree is not a valid export either.
      case .realtime: "export the data again"
      }
    let found = stream.isEmpty ? "is empty" : "contains only white space"
    return ExportError(.badJSON, file: file, reason: "the file \(found); \(advice)")
  }
}

/// Returns whether all bytes in `range` are JSON white space.
func isBlank(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
  for index in range {
    switch bytes[index] {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), carriageReturn, lineFeed: continue
    default: return false
    }
  }
  return true
}

/// Returns the kind of a JSON value with this first byte, for messages.
func valueName(_ byte: UInt8) -> String {
  switch byte {
  case UInt8(ascii: "{"): "an object"
  case UInt8(ascii: "["): "an array"
  case UInt8(ascii: "\""): "a string"
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): "a number"
  case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
  case UInt8(ascii: "n"): "null"
  default: byteName(byte) + ", which is not JSON"
  }
}

/// Returns a byte for messages: the character in quotes if it is printable ASCII, otherwise the number of the
/// byte.
func byteName(_ byte: UInt8) -> String {
  (0x21...0x7E).contains(byte)
    ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16, uppercase: true)
}
