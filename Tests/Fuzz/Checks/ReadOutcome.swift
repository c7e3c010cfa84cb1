internal import Readers

/// The outcome of reading an export: its records, and its summary or error.
struct ReadOutcome: Equatable {
  enum Cell: Equatable {
    case missing, structure
    case text([UInt8])
    case integer(Int64)
    /// The bit pattern of the number, so two NaNs compare as equal.
    case number(UInt64)
    case boolean(Bool)
    case list([[UInt8]]?)
  }

  struct Row: Equatable {
    var number: Int
    var cells: [Cell]
    var fault: RecordFault?
  }

  var rows: [Row] = []
  var summary: ReadSummary?
  var error: ExportError?

  /// Reads all records of `reader`.
  init(_ reader: ExportReader, observing observe: ((RawSpan) -> Void)? = nil) {
    do {
      var rows: [Row] = []
      defer { self.rows = rows }
      summary = try reader.forEachRecord(observing: observe) { record in
        var cells: [Cell] = []
        for index in reader.fields.indices {
          switch record[index] {
          case .missing: cells.append(.missing)
          case .text(let text): cells.append(.text(text.bytes))
          case .integer(let value): cells.append(.integer(value))
          case .number(let value): cells.append(.number(value.bitPattern))
          case .boolean(let value): cells.append(.boolean(value))
          case .list(let list): cells.append(.list(list.texts))
          case .structure: cells.append(.structure)
          }
        }
        rows.append(Row(number: record.number, cells: cells, fault: record.fault))
      }
    } catch let error as ExportError {
      self.error = error
    } catch {
      fatalError("a reader threw an error of an unknown type: \(error)")
    }
  }

  /// Returns the violated invariant of exports, or `nil`.
  ///
  /// Excerpts may be invalid UTF-8 in two cases: if the line has an invalid encoding, or if the record limit
  /// is shorter than an excerpt. In the second case, a window can end inside a character.
  func violation(checksExcerpts: Bool) -> String? {
    for (row, next) in zip(rows, rows.dropFirst()) where row.number >= next.number {
      return "number \(next.number) follows number \(row.number)"
    }
    if let first = rows.first, first.number < 1 { return "the first number is \(first.number)" }
    for row in rows {
      if let fault = row.fault {
        guard row.cells.allSatisfy({ $0 == .missing }) else {
          return "row \(row.number): a fault with values"
        }
        guard fault.excerpt.count <= RecordFault.excerptLimit else { return "an excerpt is too long" }
        guard !checksExcerpts || isUTF8(fault.excerpt) else {
          return "row \(row.number): an excerpt not UTF-8"
        }
        guard !fault.message.isEmpty else { return "row \(row.number): a fault without a message" }
      }
      for case .text(let text) in row.cells {
        guard !text.isEmpty else { return "row \(row.number): an empty text, which is missing" }
        guard isUTF8(text) else { return "row \(row.number): a text that is not UTF-8" }
      }
    }
    guard let summary else {
      return error.map { $0.reason.isEmpty ? "an error without a reason" : nil }
        ?? "neither summary nor error"
    }
    let faults = rows.count { $0.fault != nil }
    guard summary.records + summary.faults == rows.count, summary.faults == faults else {
      return "\(rows.count) rows, \(faults) of them faults, but counted were \(summary.records) records and "
        + "\(summary.faults) faults"
    }
    return nil
  }

  /// Whether the rows that both outcomes have are equal.
  func agrees(with other: ReadOutcome) -> Bool { zip(rows, other.rows).allSatisfy { $0 == $1 } }

  /// A human-readable description of the first difference from `other`.
  func difference(from other: ReadOutcome) -> String {
    if let (a, b) = zip(rows, other.rows).first(where: { $0 != $1 }) { return "\(a) against \(b)" }
    if rows.count != other.rows.count { return "\(rows.count) rows against \(other.rows.count)" }
    if error != other.error {
      return "\(error.map(String.init(describing:)) ?? "no error") against "
        + "\(other.error.map(String.init(describing:)) ?? "no error")"
    }
    return "\(String(describing: summary)) against \(String(describing: other.summary))"
  }
}

func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
