import Testing

@testable import Readers

/// The contents of a record, copied so that they outlive the reader's call.
struct ReadRecord: Equatable {
  enum Cell: Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    case missing
    case text([UInt8])
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case list([[UInt8]]?)
    case structure

    /// In this comparison, two NaNs are equal.
    static func == (a: Cell, b: Cell) -> Bool {
      switch (a, b) {
      case (.missing, .missing), (.structure, .structure): true
      case (.text(let a), .text(let b)): a == b
      case (.integer(let a), .integer(let b)): a == b
      case (.number(let a), .number(let b)): a == b || a.isNaN && b.isNaN
      case (.boolean(let a), .boolean(let b)): a == b
      case (.list(let a), .list(let b)): a == b
      default: false
      }
    }

    init(stringLiteral value: String) { self = .text(Array(value.utf8)) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(nilLiteral: ()) { self = .missing }
  }

  var number: Int
  var cells: [Cell] = []
  var rule: RecordFault.Rule?
  var excerpt: String?

  static func row(_ number: Int, _ cells: Cell...) -> ReadRecord { ReadRecord(number: number, cells: cells) }
  static func fault(_ number: Int, _ rule: RecordFault.Rule, _ excerpt: String) -> ReadRecord {
    ReadRecord(number: number, rule: rule, excerpt: excerpt)
  }
}

extension ExportReader {
  /// Returns all records, and expects that records with a fault have no values.
  func all() throws -> (records: [ReadRecord], summary: ReadSummary) {
    var records: [ReadRecord] = []
    let summary = try all(into: &records)
    return (records, summary)
  }

  /// Returns all records. If the reader throws, `records` contains the records before the error.
  func all(into records: inout [ReadRecord]) throws -> ReadSummary {
    try forEachRecord { records.append(ReadRecord($0, fields: fields.count)) }
  }
}

extension ReadRecord {
  /// Copies the first `fields` values of `record`, and expects that a record with a fault has no
  /// values.
  init(_ record: borrowing Record, fields: Int) {
    self.init(number: record.number)
    for index in 0..<fields {
      switch record[index] {
      case .missing: cells.append(.missing)
      case .text(let text): cells.append(.text(text.bytes))
      case .integer(let value): cells.append(.integer(value))
      case .number(let value): cells.append(.number(value))
      case .boolean(let value): cells.append(.boolean(value))
      case .list(let list): cells.append(.list(list.texts))
      case .structure: cells.append(.structure)
      }
    }
    if let fault = record.fault {
      precondition(cells.allSatisfy { $0 == .missing }, "a faulty record has values")
      cells = []
      rule = fault.rule
      excerpt = String(decoding: fault.excerpt, as: UTF8.self)
    }
  }
}

/// The result of reading a text: its records, and its summary or error.
struct Outcome: Equatable {
  var records: [ReadRecord] = []
  var summary: ReadSummary?
  var error: ExportError?

  init(records: [ReadRecord], summary: ReadSummary?, error: ExportError?) {
    (self.records, self.summary, self.error) = (records, summary, error)
  }

  /// Reads `bytes` through a window with an initial size of `chunk` bytes.
  init(
    _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String], _ options: ExportOptions, chunk: Int,
    recordLimit: Int = ByteWindow.recordLimit
  ) {
    do {
      var reader = try ExportReader(bytes: bytes, name: "x", format: format, fields: fields, options: options)
      reader.chunk = chunk
      reader.recordLimit = recordLimit
      summary = try reader.all(into: &records)
      // With a limit of a few bytes, the window decides where a row that is too long ends.
      if recordLimit != ByteWindow.recordLimit { summary?.certainGap = nil }
    } catch {
      self.error = error as? ExportError
    }
  }
}

/// Reads a text with windows of several sizes and expects equal results. The sizes split every
/// character, quotation mark and line end.
func outcome(
  _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String], _ options: ExportOptions = ExportOptions(),
  recordLimit: Int = ByteWindow.recordLimit
) -> Outcome {
  let whole = Outcome(
    bytes, format, fields, options, chunk: max(bytes.count + 1, 1), recordLimit: recordLimit)
  for chunk in [1, 2, 3, 5, 16] {
    let windowed = Outcome(bytes, format, fields, options, chunk: chunk, recordLimit: recordLimit)
    let text = String(decoding: bytes.prefix(300), as: UTF8.self)
    if whole.error?.code == .invalidUTF8 || windowed.error?.code == .invalidUTF8 {
      // A window is validated as UTF-8 before it is parsed. The window size therefore decides which
      // of two errors is found first.
      #expect(whole.error != nil && windowed.error != nil)
      continue
    }
    #expect(windowed == whole, "\(chunk) bytes at a time: \(text.debugDescription)")
  }
  return whole
}

/// Returns all records of a text in the given format.
func read(
  _ text: String, _ format: ExportFormat, _ fields: [String], _ options: ExportOptions = ExportOptions()
) throws -> [ReadRecord] {
  let outcome = outcome(Array(text.utf8), format, fields, options)
  if let error = outcome.error { throw error }
  return outcome.records
}

/// Returns the error of opening and reading a text, or `nil`.
func failure(_ text: String, _ format: ExportFormat, _ fields: [String]) -> ExportError? {
  failure(bytes: Array(text.utf8), format, fields)
}

func failure(bytes: [UInt8], _ format: ExportFormat, _ fields: [String]) -> ExportError? {
  outcome(bytes, format, fields).error
}

/// Whether the text is an array with an element that cannot be represented.
func hasBadElement(_ bytes: [UInt8]) -> Bool {
  let reader = try? ExportReader(bytes: bytes, name: "x", format: .json, fields: [])
  let records = try? reader?.all().records
  return records?.contains { record in
    record.rule.map { [.badJSON, .numberOutOfRange, .loneSurrogate, .nestingTooDeep].contains($0) } ?? false
  } ?? false
}
