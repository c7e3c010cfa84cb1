extension JSONPass {
  /// The records of a JSON Lines file: one object per line.
  ///
  /// Lines end with LF or CR LF; the last may lack its end. Lines of white space are skipped. What is wrong with
  /// a line, invalid UTF-8 included, is a fault of that line alone.
  mutating func forEachLine(_ body: (borrowing Record) throws -> Void) throws {
    // What was looked at before this began was white space, perhaps of several lines.
    try forEachLine(after: stream.line - 1, body)
  }

  /// The same, behind so many lines.
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

  /// The same in a window that holds all that is left, but for lines that `onRows` is given together.
  mutating func forEachLine(
    after lines: Int, rows onRows: (borrowing OrdinaryRows) throws -> Void,
    _ body: (borrowing Record) throws -> Void
  ) throws {
    precondition(stream.window.isComplete, "what is looked at together must not move")
    // What stands for nothing, and what a dialect has for values, are looked for in records.
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

  /// The records of a file that is one JSON array of objects.
  ///
  /// - Throws: `invalid_utf8`; `wrong_shape` when it is JSON of another kind; `bad_json` where it is malformed,
  ///   after the records before that place were handed out; what `body` throws.
  mutating func forEachElement(_ body: (borrowing Record) throws -> Void) throws {
    guard let first = try stream.peek() else { throw emptyFile() }
    guard first == UInt8(ascii: "[") else {
      throw ExportError(
        .wrongShape, file: file,
        reason: "the file must be one array of objects, but it begins with \(valueName(first)); "
          + "for one object per line the format is jsonl")
    }
    var number = 0
    try forEachElement(number: &number, body)
    try expectEnd()
  }

  /// Hands out the elements of the array that begins here, and moves past it.
  mutating func forEachElement(number: inout Int, _ body: (borrowing Record) throws -> Void) throws {
    try stream.startCheckingUTF8()
    var isFirst = true
    try stream.expect(UInt8(ascii: "["), "before the records")
    while try stream.nextElement(isFirst: &isFirst) {
      number += 1
      try deliverElement(number: number, to: body)
    }
  }

  /// Refuses anything but white space up to the end of the file.
  mutating func expectEnd() throws(ExportError) {
    guard try stream.peek() == nil else {
      throw stream.malformed(at: stream.offset, "the value has ended, but something follows it")
    }
  }

  /// `bad_json` for a file without a value.
  borrowing func emptyFile() -> ExportError {
    ExportError(
      .badJSON, file: file, reason: "the file is empty; an export without records is an empty array, []")
  }
}

/// Whether the bytes are nothing but JSON's white space.
func isBlank(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
  for index in range {
    switch bytes[index] {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), carriageReturn, lineFeed: continue
    default: return false
    }
  }
  return true
}

/// What kind of JSON value begins with this byte, for messages.
func valueName(_ byte: UInt8) -> String {
  switch byte {
  case UInt8(ascii: "{"): "an object"
  case UInt8(ascii: "["): "an array"
  case UInt8(ascii: "\""): "a text"
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): "a number"
  case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
  case UInt8(ascii: "n"): "null"
  default: "something that is not JSON"
  }
}
