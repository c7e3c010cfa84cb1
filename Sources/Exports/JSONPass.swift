/// One pass over the records of a JSON format: parses each, hands it to the body and keeps count.
struct JSONPass: ~Copyable {
  /// From how many records the names of keys are remembered for messages.
  static let sampledRecords = 100
  /// No more records are asked for names when so many are known: they may be ids, of which there is no end.
  static let sampledNames = 200

  let source: PaddedBytes
  let file: String
  let isFirestore: Bool
  private let fields: [String]
  private var extractor: JSONExtractor
  private var summary = ReadSummary()
  private let empty: [FieldSlot]

  /// A pass that has seen nothing yet.
  init(_ source: PaddedBytes, file: String, paths: [FieldPath], fields: [String], isFirestore: Bool) {
    self.source = source
    self.file = file
    self.fields = fields
    self.isFirestore = isFirestore
    extractor = JSONExtractor(paths: paths, fields: fields)
    empty = Array(repeating: FieldSlot(), count: fields.count)
  }

  /// Hands out the record on a line: whatever is wrong with it is its own fault.
  mutating func deliverLine(
    _ range: Range<Int>, number: Int, to body: (borrowing Record) throws -> Void
  ) throws {
    switch extractor.extract(range, of: source, isFirestore: isFirestore) {
    case .refused(let code):
      let message = "the line is not JSON: \(simdjsonMessage(code))"
      try deliver(.badJSON, message: message, range: range, number: number, unit: .line, to: body)
    case .fault(let rule, let message):
      try deliver(rule, message: message, range: range, number: number, unit: .line, to: body)
    case .record:
      try deliver(number: number, unit: .line, to: body)
    case .noRecord: break
    }
  }

  /// Hands out the record in an array's element.
  ///
  /// A number beyond a double, half of a surrogate pair or nesting too deep are the element's own fault: all of
  /// them can be JSON, and where the element ends is beyond doubt.
  ///
  /// - Throws: `bad_json` when the element is malformed otherwise, because then nobody knows where it ends and
  ///   what the file means; what `body` throws.
  mutating func deliverElement(
    _ range: Range<Int>, number: Int, to body: (borrowing Record) throws -> Void
  ) throws {
    switch extractor.extract(range, of: source, isFirestore: isFirestore) {
    case .refused(let code) where isContained(code):
      let message = "the element cannot be read: \(simdjsonMessage(code))"
      try deliver(.badJSON, message: message, range: range, number: number, unit: .element, to: body)
    case .refused(let code):
      throw notJSON(simdjsonMessage(code), range: range, number: number)
    case .fault(let rule, let message):
      try deliver(rule, message: message, range: range, number: number, unit: .element, to: body)
    case .record:
      try deliver(number: number, unit: .element, to: body)
    case .noRecord: break
    }
  }

  /// Refuses a piece of the file that holds no record when it is not JSON.
  borrowing func validate(_ range: Range<Int>) throws(ExportError) {
    let code = extractor.validate(range, of: source)
    if code != 0 {
      throw failure(JSONCursor.Failure(offset: range.lowerBound, reason: simdjsonMessage(code)))
    }
  }

  /// `bad_json` at a byte.
  borrowing func failure(_ failure: JSONCursor.Failure) -> ExportError {
    ExportError(
      .badJSON, file: file,
      place: .byte(failure.offset, line: lineNumber(of: failure.offset, in: source.bytes)),
      reason: "the file is not JSON: \(failure.reason)")
  }

  /// What the pass met.
  consuming func finished() -> ReadSummary {
    if summary.records > 0 {
      summary.neverPresent = fields.indices.filter { !extractor.isPresent[$0] }.map { fields[$0] }
    }
    return summary
  }

  private borrowing func notJSON(_ reason: String, range: Range<Int>, number: Int) -> ExportError {
    ExportError(
      .badJSON, file: file, place: .element(number, byte: range.lowerBound),
      reason: "the element is not JSON, so the file is not: \(reason)")
  }

  private mutating func deliver(
    number: Int, unit: PlaceUnit, to body: (borrowing Record) throws -> Void
  ) throws {
    if summary.records < Self.sampledRecords, summary.namesSeen.count < Self.sampledNames {
      for key in extractor.keys() where !summary.namesSeen.contains(key) { summary.namesSeen.append(key) }
    }
    summary.records += 1
    try body(
      Record(
        number: number, unit: unit, slots: extractor.slots.span, file: Span(), scratch: extractor.strings))
  }

  private mutating func deliver(
    _ rule: RecordFault.Rule, message: String, range: Range<Int>, number: Int, unit: PlaceUnit,
    to body: (borrowing Record) throws -> Void
  ) throws {
    summary.faults += 1
    let excerpt = source.bytes.excerpt(range, limit: RecordFault.excerptLimit)
    let fault = RecordFault(rule: rule, message: message, excerpt: excerpt)
    try body(Record(number: number, unit: unit, fault: fault, slots: empty.span))
  }
}
