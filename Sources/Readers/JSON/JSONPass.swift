/// One pass over the records of a JSON format. The pass parses and counts each record, and passes the record
/// to a closure.
struct JSONPass: ~Copyable {
  /// The maximum depth for validating the members of a value that exceeds the record limit.
  private static let checkedLevels = 16

  var stream: JSONStream
  let file: String
  let dialect: JSONDialect
  let fields: [String]
  let paths: [FieldPath]
  /// The keys on the path to the current record in a tree. Fields may request these keys.
  var keys = TreeKeys()
  let missing: MissingTexts
  private var extractor: JSONExtractor
  private let errors: ErrorAnswers
  private var summary = ReadSummary()
  private let empty: [FieldSlot]
  /// Whether this pass reaches the end of the file. A pass over a block may end earlier.
  var endsFile = true
  /// The following properties have the same meaning as in `ReadSummary`.
  var hasNextPage = false
  var isEmptyAnswer = false
  var hasEmptyPage = false
  var announced: Int?
  var gap: ExportGap?

  /// Creates a pass at the start of `stream`.
  init(
    _ stream: consuming JSONStream, file: String, fields: [String], paths: [FieldPath], lists: Set<String>,
    dialect: JSONDialect, missing: MissingTexts
  ) {
    self.stream = stream
    self.file = file
    self.fields = fields
    self.paths = paths
    self.dialect = dialect
    self.missing = missing
    extractor = JSONExtractor(paths: paths, fields: fields, lists: lists, missing: missing)
    errors = ErrorAnswers(paths)
    empty = Array(repeating: FieldSlot(), count: fields.count)
  }

  /// Parses a line and passes its record to `body`. A fault affects only this line.
  ///
  /// - Returns: Whether the line is a record that has no fault and is not a Parse object without members.
  @discardableResult
  mutating func deliverLine(
    _ range: Range<Int>, number: Int, to body: (borrowing Record) throws -> Void
  ) throws -> Bool {
    summary.lastError = nil
    switch extractor.extract(range, of: stream.window.padded, dialect) {
    case .refused(let code):
      let refusal = JSONRefusal(code, range, of: stream.window.bytes)
      let message = "the line cannot be read: \(refusal.message)"
      if endsFile, stream.window.isComplete, range.upperBound == stream.window.count {
        gap = .cutLine(number)
      } else if ErrorAnswers.isMessage(stream.window.bytes.extracting(range)) {
        summary.lastError = .errorAnswer(.line(number))
      }
      try deliver(refusal.rule, message: message, range: range, number: number, unit: .line, to: body)
    case .fault(let rule, let message):
      if dialect == .firestore { noteError(in: range, at: .line(number)) }
      try deliver(rule, message: message, range: range, number: number, unit: .line, to: body)
    case .record where dialect == .parse && isBlankObject(range):
      try deliverBlank(number: number, unit: .line, to: body)
    case .record:
      noteError(in: range, at: .line(number))
      try deliver(number: number, unit: .line, to: body)
      return true
    case .noRecord: noteAnswer(in: range)
    }
    return false
  }

  /// Counts records that were passed to a closure as a batch. They have the same keys as an earlier record.
  mutating func add(records count: Int) {
    summary.records += count
    summary.lastError = nil
  }

  /// Parses the element of an array or the member of a table at the current place, and passes its record to
  /// `body`.
  ///
  /// A fault in a number, in an escape or in the nesting depth affects this element alone, because the end of
  /// the element is still known.
  ///
  /// - Throws: `bad_json` if the element is malformed in any other way, because its end is then unknown; the
  ///   errors of the stream; errors of `body`.
  mutating func deliverElement(number: Int, to body: (borrowing Record) throws -> Void) throws {
    guard let range = try stream.skipValue() else {
      return try deliverTooLong(0..<0, number: number, unit: .element, to: body)
    }
    summary.lastError = nil
    switch extractor.extract(range, of: stream.window.padded, dialect) {
    case .refused(let code):
      let refusal = JSONRefusal(code, range, of: stream.window.bytes)
      guard refusal.isContained else {
        throw ExportError(
          .badJSON, file: file, place: .element(number, byte: stream.position(of: range.lowerBound)),
          reason: "the file is not JSON, because this element is not JSON: \(refusal.message); "
            + "export the file again")
      }
      let message = "the element cannot be read: \(refusal.message)"
      try deliver(refusal.rule, message: message, range: range, number: number, unit: .element, to: body)
    case .fault(let rule, let message):
      if dialect == .firestore {
        noteError(in: range, at: .element(number, byte: stream.position(of: range.lowerBound)))
      }
      try deliver(rule, message: message, range: range, number: number, unit: .element, to: body)
    case .record where dialect == .parse && isBlankObject(range):
      try deliverBlank(number: number, unit: .element, to: body)
    case .record:
      noteError(in: range, at: .element(number, byte: stream.position(of: range.lowerBound)))
      try deliver(number: number, unit: .element, to: body)
    case .noRecord: noteAnswer(in: range)
    }
  }

  /// Notes a server's response without a record. The response counts as a page, so `hasNextPage` no longer
  /// describes the page before it.
  private mutating func noteAnswer(in range: Range<Int>) {
    hasNextPage = stream.window.bytes.extracting(range).hasFirstKey("nextPageToken")
    if isBlankObject(range) { isEmptyAnswer = true } else { hasEmptyPage = true }
  }

  /// Passes a Parse object without members to `body`. If the object is the whole file, the object is a
  /// response without records, and `body` is not called.
  private mutating func deliverBlank(
    number: Int, unit: PlaceUnit, to body: (borrowing Record) throws -> Void
  ) throws {
    if summary.records + summary.faults == 0, try stream.peek() == nil {
      isEmptyAnswer = true
    } else {
      try deliver(number: number, unit: unit, to: body)
    }
  }

  /// Returns whether the JSON object in `range` has no members.
  private borrowing func isBlankObject(_ range: Range<Int>) -> Bool {
    isBlank(range.lowerBound + 1..<range.upperBound - 1, in: stream.window.bytes)
  }

  /// Notes an error that the server wrote in place of a record. Firestore writes `{"error": ...}`, and Parse
  /// writes an object with `error` and without an id. An error in any other form counts only if it is the
  /// last record.
  private mutating func noteError(in range: Range<Int>, at place: ExportError.Place) {
    switch dialect {
    case .firestore:
      let text = stream.window.bytes.extracting(range)
      if text.hasFirstKey("error") { gap = gap ?? .errorAnswer(place) }
    case .plain, .parse:
      guard errors.mayBeError(extractor.slots) else { return }
      let keys = extractor.keys()
      guard errors.isError(keys), dialect == .plain || !keys.contains("objectId") else { return }
      if dialect == .parse, keys.contains("error") {
        gap = gap ?? .errorAnswer(place)
      } else {
        summary.lastError = .errorAnswer(place)
      }
    case .realtime: break
    }
  }

  /// Passes the fault of a record that exceeds the record limit to `body`. `range` covers the start of the
  /// record.
  mutating func deliverTooLong(
    _ range: Range<Int>, number: Int, unit: PlaceUnit, to body: (borrowing Record) throws -> Void
  ) throws {
    summary.lastError = nil
    try deliver(
      .recordTooLong, message: RecordFault.tooLongMessage, range: range, number: number, unit: unit, to: body)
  }

  /// Moves past the value at the current place, which is not a record, and validates the value as JSON.
  ///
  /// A value that exceeds the record limit cannot be validated in one piece, so its members are validated, up
  /// to 16 levels deep.
  ///
  /// simdjson also rejects a number outside the range of a double, an unpaired surrogate, and deep
  /// nesting. All three are valid JSON, and no field of this value is requested. The value is therefore not
  /// rejected; its members are validated instead.
  ///
  /// - Throws: `bad_json`, also for a value 16 levels deep that exceeds the record limit.
  /// - Returns: The range of the value, valid until the stream moves on; `nil` unless the value was validated
  ///   in one piece.
  @discardableResult
  mutating func skipChecked(level: Int = 0) throws(ExportError) -> Range<Int>? {
    if let range = try stream.skipShortValue() {
      let code = extractor.validate(range, of: stream.window.padded)
      guard code != 0 else { return range }
      let refusal = JSONRefusal(code, range, of: stream.window.bytes)
      guard refusal.isContained, refusal.rule != .badJSON else {
        throw stream.malformed(at: range.lowerBound, refusal.message)
      }
      let isNested =
        stream.window.bytes[range.lowerBound] == UInt8(ascii: "{")
        || stream.window.bytes[range.lowerBound] == UInt8(ascii: "[")
      guard isNested, level < Self.checkedLevels else { return nil }
      stream.stepBack(to: range)
    }
    let first = try stream.peek()
    guard level < Self.checkedLevels, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      throw stream.tooLong(at: stream.offset, "the value that begins here")
    }
    var isFirst = true
    if first == UInt8(ascii: "{") {
      try stream.expect(UInt8(ascii: "{"), "before members")
      while let written = try stream.nextMember(isFirst: &isFirst) {
        _ = try key(written)
        try skipChecked(level: level + 1)
      }
    } else {
      try stream.expect(UInt8(ascii: "["), "before elements")
      while try stream.nextElement(isFirst: &isFirst) { try skipChecked(level: level + 1) }
    }
    return nil
  }

  /// Returns the text of the key `written`, which includes its quotes; `nil` if the key contains an unpaired
  /// surrogate.
  ///
  /// - Throws: `bad_json` if `written` is not a JSON string.
  borrowing func key(_ written: [UInt8]) throws(ExportError) -> [UInt8]? {
    if let text = text(ofKey: written) { return text }
    let whole = 0..<written.count
    let padded = written + [UInt8](repeating: 0, count: ByteWindow.padding)
    let refusal = unsafe JSONRefusal(
      extractor.validate(whole, of: padded.span.bytes), whole, of: written.span)
    if refusal.rule == .loneSurrogate { return nil }
    throw stream.malformed(at: stream.offset, "the preceding key is not a JSON string: \(refusal.message)")
  }

  /// Returns the text of the key `written`, which includes its quotes; `nil` if `written` is not a valid JSON
  /// string.
  borrowing func text(ofKey written: [UInt8]) -> [UInt8]? {
    // A key without escapes needs no parsing.
    let isPlain = written.allSatisfy { $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
    return isPlain ? Array(written.dropFirst().dropLast()) : unescapedKey(written)
  }

  /// Ends the pass and returns its summary.
  consuming func finished() -> ReadSummary {
    summary.certainGap = gap
    summary.hasEmptyPage = hasEmptyPage
    summary.hasNextPage = hasNextPage
    summary.isEmptyAnswer = isEmptyAnswer && summary.records == 0 && summary.faults == 0
    summary.announced = announced
    if summary.records > 0 {
      summary.neverPresent = fields.indices
        .filter { !extractor.isPresent[$0] && !keys.isAsked($0) }.map { fields[$0] }
    }
    return summary
  }

  private mutating func deliver(
    number: Int, unit: PlaceUnit, to body: (borrowing Record) throws -> Void
  ) throws {
    if summary.records < ReadSummary.sampledRecords, summary.namesSeen.count < ReadSummary.sampledNames {
      for key in extractor.keys() where !summary.namesSeen.contains(key) {
        summary.namesSeen.append(key)
        summary.recordsBefore.append(summary.records)
      }
    }
    summary.records += 1
    keys.fill(&extractor.slots)
    try body(
      Record(
        number: number, unit: unit, slots: extractor.slots.span, file: keys.bytes.span,
        scratch: extractor.strings, lists: extractor.lists))
  }

  mutating func deliver(
    _ rule: RecordFault.Rule, message: String, range: Range<Int>, number: Int, unit: PlaceUnit,
    to body: (borrowing Record) throws -> Void
  ) throws {
    summary.faults += 1
    let excerpt = stream.window.bytes.excerpt(range, limit: RecordFault.excerptLimit)
    let fault = RecordFault(rule: rule, message: message, excerpt: excerpt)
    let faults = [fault]
    try body(Record(number: number, unit: unit, faults: faults.span, slots: empty.span))
  }
}

extension Span<UInt8> {
  /// Returns whether the JSON object in these bytes begins with the key `name`.
  fileprivate func hasFirstKey(_ name: StaticString) -> Bool {
    var index = 1
    while index < count, isBlank(index..<index + 1, in: self) { index += 1 }
    let length = name.utf8CodeUnitCount
    guard index + length + 2 <= count, self[index] == UInt8(ascii: "\"") else { return false }
    return (0..<length).allSatisfy { unsafe self[index + 1 + $0] == name.utf8Start[$0] }
      && self[index + 1 + length] == UInt8(ascii: "\"")
  }
}
