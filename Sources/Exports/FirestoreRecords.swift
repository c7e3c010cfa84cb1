/// What Firestore's REST interface answers, as records.
///
/// A document is `{"name": …, "fields": {…}, "createTime": …, "updateTime": …}`. The file may hold, and the first
/// byte and the first value decide which it is:
///
/// | begins with | and | is | counted in |
/// | --- | --- | --- | --- |
/// | `[` | | documents, or runQuery's `{"document": {…}, "readTime": …}` | elements |
/// | `{` | has the key `documents` | list pages `{"documents": […]}`, one after the other | elements |
/// | `{` | stands alone on its line | documents or query results, one per line | lines |
/// | `{` | spans several lines | such objects one after the other, over any lines | elements |
///
/// Query results without a document (`readTime` alone, for instance) and `{}`, which is the page of an empty
/// collection, are no records, but count in the numbering.
///
/// Typed values become plain ones: stringValue, timestampValue, referenceValue and bytesValue are text,
/// integerValue an integer, doubleValue a number ("NaN", "Infinity" and "-Infinity" too), nullValue missing;
/// mapValue's members are reached as `map.member` and geoPointValue's as `position.latitude` and
/// `position.longitude`; arrayValue is a structure. A member that a geoPointValue lacks is 0, as proto3's JSON
/// omits zeros. Where a document has no such field, `id` is the last segment of its name, and `createTime` and
/// `updateTime` are its own. Only the requested fields are checked to be typed values.
///
/// Source: Cloud Firestore REST reference, types Document, Value and RunQueryResponse; the JSON mapping of
/// Protocol Buffers.
extension JSONPass {
  /// Hands out the documents of a Firestore answer.
  ///
  /// - Throws: `invalid_utf8`, `wrong_shape`, `bad_json`; what `body` throws.
  mutating func forEachDocument(_ body: (borrowing Record) throws -> Void) throws {
    let source = source  // so that views of it do not keep the pass itself borrowed
    var cursor = JSONCursor(source)
    guard let first = cursor.peek() else { throw emptyFile() }
    switch first {
    case UInt8(ascii: "["):
      try forEachElement(body)
    case UInt8(ascii: "{"):
      let start = cursor.offset
      do {
        if try documents(inObjectAt: start) == nil, try isAloneOnItsLine(objectAt: start) {
          try forEachLine(body)
        } else {
          try source.checkUTF8(file: file)
          try forEachObject(body)
        }
      } catch let error as JSONCursor.Failure {
        throw failure(error)
      }
    default:
      throw ExportError(
        .wrongShape, file: file,
        reason: "the file must be what Firestore's REST interface answers, an object or an array, but it "
          + "begins with \(valueName(first))")
    }
  }

  /// Hands out the documents of list pages, or of bare objects, that follow each other.
  private mutating func forEachObject(_ body: (borrowing Record) throws -> Void) throws {
    let source = source
    var cursor = JSONCursor(source)
    var number = 0
    while let first = cursor.peek() {
      guard first == UInt8(ascii: "{") else {
        throw failure(
          JSONCursor.Failure(offset: cursor.offset, reason: "expected an object, found \(valueName(first))"))
      }
      if try documents(inObjectAt: cursor.offset) != nil {
        try forEachDocument(ofPageAt: &cursor, number: &number, body)
      } else {
        let range = try cursor.skipValue()
        number += 1
        try deliverElement(range, number: number, to: body)
      }
    }
  }

  /// Hands out the documents of the list page that begins at the cursor, and moves past it.
  private mutating func forEachDocument(
    ofPageAt cursor: inout JSONCursor, number: inout Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    try cursor.expect(UInt8(ascii: "{"), "before a page")
    var isFirst = true
    var hasDocuments = false
    while let key = try cursor.nextMember(isFirst: &isFirst) {
      try validate(key)
      if !hasDocuments, isDocumentsKey(key) {
        hasDocuments = true
        guard cursor.peek() == UInt8(ascii: "[") else {
          throw ExportError(
            .wrongShape, file: file,
            place: .byte(cursor.offset, line: lineNumber(of: cursor.offset, in: source.bytes)),
            reason: "'documents' must be an array")
        }
        try forEachElement(of: &cursor, number: &number, body)
      } else {
        try validate(try cursor.skipValue())
      }
    }
  }

  /// Where the value of `documents` begins in the object at `offset`, or `nil` when it has no such key.
  private borrowing func documents(inObjectAt offset: Int) throws(JSONCursor.Failure) -> Int? {
    var cursor = JSONCursor(source, at: offset)
    try cursor.expect(UInt8(ascii: "{"), "before a page")
    var isFirst = true
    while let key = try cursor.nextMember(isFirst: &isFirst) {
      if isDocumentsKey(key) { return cursor.offset }
      _ = try cursor.skipValue()
    }
    return nil
  }

  /// Whether the object at `offset` begins and ends on one line that holds nothing else.
  private borrowing func isAloneOnItsLine(objectAt offset: Int) throws(JSONCursor.Failure) -> Bool {
    var cursor = JSONCursor(source, at: offset)
    let range = try cursor.skipValue()
    let bytes = source.bytes
    let lineEnd = ByteSearch(lineFeed, lineFeed, lineFeed)
    let end = lineEnd.firstMatch(in: source.padded, from: offset, end: bytes.count)
    return range.upperBound <= end && isBlank(range.upperBound..<end, in: bytes)
  }

  private borrowing func isDocumentsKey(_ key: Range<Int>) -> Bool {
    ByteView(source.bytes.extracting(key)).equals("\"documents\"")
  }
}
