extension JSONPass {
  /// The records of a JSON Lines file: one object per line.
  ///
  /// Lines end with LF or CR LF; the last may lack its end. Lines of white space are skipped. What is wrong with
  /// a line, invalid UTF-8 included, is a fault of that line alone.
  mutating func forEachLine(_ body: (borrowing Record) throws -> Void) throws {
    let source = source  // so that views of it do not keep the pass itself borrowed
    let bytes = source.bytes
    let padded = source.padded
    let lineEnd = ByteSearch(lineFeed, lineFeed, lineFeed)
    var start = byteOrderMarkLength(bytes)
    var number = 0
    while start < bytes.count {
      let end = lineEnd.firstMatch(in: padded, from: start, end: bytes.count)
      number += 1
      if !isBlank(start..<end, in: bytes) { try deliverLine(start..<end, number: number, to: body) }
      start = end + 1
    }
  }

  /// The records of a file that is one JSON array of objects.
  ///
  /// - Throws: `invalid_utf8`; `wrong_shape` when it is JSON of another kind; `bad_json` where it is malformed,
  ///   after the records before that place were handed out; what `body` throws.
  mutating func forEachElement(_ body: (borrowing Record) throws -> Void) throws {
    try source.checkUTF8(file: file)
    let source = source
    var cursor = JSONCursor(source)
    guard let first = cursor.peek() else { throw emptyFile() }
    guard first == UInt8(ascii: "[") else {
      throw ExportError(
        .wrongShape, file: file,
        reason: "the file must be one array of objects, but it begins with \(valueName(first)); "
          + "for one object per line the format is jsonl")
    }
    var number = 0
    try forEachElement(of: &cursor, number: &number, body)
    try expectEnd(of: &cursor)
  }

  /// Hands out the elements of the array that begins at the cursor, and moves past it.
  mutating func forEachElement(
    of cursor: inout JSONCursor, number: inout Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    var isFirst = true
    do {
      try cursor.expect(UInt8(ascii: "["), "before the records")
      while try cursor.nextElement(isFirst: &isFirst) {
        let range = try cursor.skipValue()
        number += 1
        try deliverElement(range, number: number, to: body)
      }
    } catch let error as JSONCursor.Failure {
      throw failure(error)
    }
  }

  /// Refuses anything but white space up to the end of the file.
  borrowing func expectEnd(of cursor: inout JSONCursor) throws(ExportError) {
    guard cursor.peek() == nil else {
      throw failure(
        JSONCursor.Failure(offset: cursor.offset, reason: "the array has ended, but something follows it"))
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
