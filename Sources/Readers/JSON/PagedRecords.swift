internal import Text

/// Reads files of pages, arrays, lines or plain sequences of records, as written by REST APIs of back ends
/// and by scripts around these APIs. The first byte and the first value decide which form a file has:
///
/// | begins with | and | is | counted in |
/// | --- | --- | --- | --- |
/// | `[` | | one array of records | elements |
/// | `{` | has the container's key (`documents`, `results`) | pages, one after the other | elements |
/// | `{` | is alone on its line | records, one per line | lines |
/// | `{` | spans several lines | records one after the other, split over lines in any way | elements |
extension JSONPass {
  /// Passes the records of a file to `body`. The file must have one of the forms above.
  ///
  /// - Throws: `invalid_utf8`, `wrong_shape`, `bad_json`; errors of `body`.
  mutating func forEachPaged(_ body: (borrowing Record) throws -> Void) throws {
    guard let container = dialect.container else { preconditionFailure("\(dialect) has no pages") }
    // If the file extension means JSON Lines, each line is one record, and a broken first line is a
    // fault of that line only.
    let isLines = ExportFormat(endingOf: file) == .jsonl
    guard let first = try stream.peek() else {
      if isLines { return }
      throw emptyFile()
    }
    switch first {
    case UInt8(ascii: "["):
      try forEachElement(body)
    case UInt8(ascii: "{"):
      let line = stream.line
      stream.setBookmark()
      let isPage = try findsKey(container)
      let isLine = try !isPage && stream.isAtEnd(ofLine: line)
      if stream.goBack() {
        if isLine { try forEachLine(body) } else { try forEachObject(container, number: 0, body) }
      } else if isPage {
        throw lateContainer(container)
      } else {
        try deliverTooLong(0..<0, number: isLine ? line : 1, unit: isLine ? .line : .element, to: body)
        if isLine {
          try stream.skipLine()
          try forEachLine(body)
        } else {
          try forEachObject(container, number: 1, body)
        }
      }
    case _ where isLines: try forEachLine(body)
    default:
      throw ExportError(
        .wrongShape, file: file,
        reason:
          "the file must be a response of the REST API, an object or an array, but it begins with "
          + "\(valueName(first)); export the data again")
    }
  }

  /// Passes the records of consecutive pages, and the records between these pages, to `body`.
  private mutating func forEachObject(
    _ container: String, number start: Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    try stream.startCheckingUTF8()
    var number = start
    while let first = try stream.peek() {
      guard first == UInt8(ascii: "{") else {
        throw stream.malformed(at: stream.offset, "expected an object, found \(valueName(first))")
      }
      stream.setBookmark()
      let isPage = try findsKey(container)
      guard stream.goBack() else {
        if isPage { throw lateContainer(container) }
        number += 1
        try deliverTooLong(0..<0, number: number, unit: .element, to: body)
        continue
      }
      if isPage {
        try forEachRecordOfPage(container, number: &number, body)
      } else {
        number += 1
        try deliverElement(number: number, to: body)
      }
    }
  }

  /// Passes the records of the page at the current place to `body`, and moves past the page.
  private mutating func forEachRecordOfPage(
    _ container: String, number: inout Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    try stream.expect(UInt8(ascii: "{"), "before a page")
    var isFirst = true
    var hasRecords = false
    let before = number
    hasNextPage = false
    while let written = try stream.nextMember(isFirst: &isFirst) {
      let key = try key(written)
      if key?.elementsEqual(container.utf8) == true {
        guard !hasRecords else {
          throw ExportError(
            .wrongShape, file: file, place: stream.place(of: stream.offset),
            reason: "'\(container)' occurs twice on a page; export the page again")
        }
        hasRecords = true
        guard try stream.peek() == UInt8(ascii: "[") else {
          throw ExportError(
            .wrongShape, file: file, place: stream.place(of: stream.offset),
            reason: "'\(container)' must be an array; export the page again")
        }
        try forEachElement(number: &number, body)
      } else if let range = try skipChecked(), let key, range.count <= 1 << 16 {
        note(key, String(decoding: Array(copying: stream.window.bytes.extracting(range)), as: UTF8.self))
      }
    }
    if number == before { hasEmptyPage = true }
  }

  /// Stores a member of a page that names a next page or the total number of records.
  private mutating func note(_ key: [UInt8], _ value: String) {
    switch dialect {
    case .firestore where key.elementsEqual("nextPageToken".utf8):
      hasNextPage = value != "\"\"" && value != "null"
    case .parse where key.elementsEqual("count".utf8):
      announced = Double(value).flatMap { Int(exactly: $0) } ?? announced
    default: break
    }
  }

  /// Moves past the key `name` in the object at the current place, and returns `true`. If the object does not
  /// have this key, moves past the object, and returns `false`.
  ///
  /// A key that is not a JSON string does not match. Parsing the record rejects such a key later.
  private mutating func findsKey(_ name: String) throws(ExportError) -> Bool {
    try stream.expect(UInt8(ascii: "{"), "before a page")
    var isFirst = true
    while let written = try stream.nextMember(isFirst: &isFirst) {
      if text(ofKey: written)?.elementsEqual(name.utf8) == true { return true }
      _ = try stream.skipValue()
    }
    return false
  }

  private borrowing func lateContainer(_ container: String) -> ExportError {
    ExportError(
      .wrongShape, file: file, place: stream.place(of: stream.offset),
      reason: "a page must have '\(container)' within its first \(ByteWindow.recordLimit >> 20) MiB; export "
        + "smaller pages")
  }
}
