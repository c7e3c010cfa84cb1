import Exports

/// What a record held, as a value that outlives the reader's call.
struct ReadRecord: Equatable {
  enum Cell: Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    case missing
    case text([UInt8])
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case structure

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
  /// All records; a faulty one is checked to have no values.
  func all() throws -> (records: [ReadRecord], summary: ReadSummary) {
    var records: [ReadRecord] = []
    let summary = try forEachRecord { record in
      var read = ReadRecord(number: record.number)
      for index in fields.indices {
        switch record[index] {
        case .missing: read.cells.append(.missing)
        case .text(let text): read.cells.append(.text(text.bytes))
        case .integer(let value): read.cells.append(.integer(value))
        case .number(let value): read.cells.append(.number(value))
        case .boolean(let value): read.cells.append(.boolean(value))
        case .structure: read.cells.append(.structure)
        }
      }
      if let fault = record.fault {
        precondition(read.cells.allSatisfy { $0 == .missing }, "a faulty record has values")
        read.cells = []
        read.rule = fault.rule
        read.excerpt = String(decoding: fault.excerpt, as: UTF8.self)
      }
      records.append(read)
    }
    return (records, summary)
  }
}

/// All records of a text in some format.
func read(_ text: String, _ format: ExportFormat, _ fields: [String]) throws -> [ReadRecord] {
  try ExportReader(bytes: Array(text.utf8), name: "x", format: format, fields: fields).all().records
}

/// The error of opening and reading a text, or `nil` when there is none.
func failure(_ text: String, _ format: ExportFormat, _ fields: [String]) -> ExportError? {
  failure(bytes: Array(text.utf8), format, fields)
}

func failure(bytes: [UInt8], _ format: ExportFormat, _ fields: [String]) -> ExportError? {
  do {
    _ = try ExportReader(bytes: bytes, name: "x", format: format, fields: fields).all()
    return nil
  } catch {
    return error as? ExportError
  }
}

/// Whether the text reads as an array with an element that cannot be represented.
func hasBadElement(_ bytes: [UInt8]) -> Bool {
  let reader = try? ExportReader(bytes: bytes, name: "x", format: .json, fields: [])
  let records = try? reader?.all().records
  return records?.contains { $0.rule == .badJSON } ?? false
}
