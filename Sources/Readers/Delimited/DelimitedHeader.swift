/// The header of a delimited file and its requested columns.
struct DelimitedHeader: Sendable {
  /// A requested column and its slot in the record.
  struct Wanted {
    var column: Int
    var slot: Int
  }

  /// All column names in order, as written.
  let names: [String]
  /// The maximum number of columns. A hostile header can contain millions of commas, and each column name
  /// takes much more memory than a comma.
  static let columnLimit = 1 << 16

  /// The requested columns, in ascending order.
  let wanted: [Wanted]

  /// For each column, its slot in the record, or -1 if the column is not requested. The array is empty if one
  /// column fills two slots.
  var slotOfColumn: [Int] {
    var slots = Array(repeating: -1, count: names.count)
    for wanted in wanted {
      if slots[wanted.column] >= 0 { return [] }
      slots[wanted.column] = wanted.slot
    }
    return slots
  }

  /// The result of reading the first row that is not blank.
  enum HeaderRow {
    case names([[UInt8]], line: Int)
    /// The row has a fault in its field number `field`, from 1.
    case faulty(DelimitedScanner.RowFault, field: Int, line: Int)
    case absent
    /// The row may continue after the window.
    case incomplete
  }

  /// Reads the row at `offset` of the window and moves past it. If the result is `incomplete`, the offset
  /// stays at the row's start.
  static func row(
    _ window: borrowing ByteWindow, _ offset: inout Int, _ line: inout Int, delimiter: UInt8, quote: UInt8,
    recordLimit: Int
  ) -> HeaderRow {
    var columns: [[UInt8]] = []
    let bytes = window.bytes
    var scanner = DelimitedScanner(
      window, at: offset, line: line, delimiter: delimiter, quote: quote, recordLimit: recordLimit)
    let row = scanner.nextRow { column, field in
      // One more name than allowed is kept, so that the excess is detected.
      guard column <= columnLimit else { return }
      var name: [UInt8] = []
      appendText(of: field, quote: quote, from: bytes, to: &name)
      columns.append(name)
    }
    offset = scanner.offset
    line = scanner.line
    guard let row else { return scanner.isIncomplete ? .incomplete : .absent }
    if let fault = row.fault { return .faulty(fault, field: row.fieldCount + 1, line: row.line) }
    return .names(columns, line: row.line)
  }

  /// Finds the columns of `fields` in the header `row`. Names are compared as bytes, without trimming.
  /// `isEmpty` is whether the file has no bytes except a byte order mark.
  ///
  /// - Throws: `missing_header`, `bad_header`, `missing_column`, `duplicate_column`.
  init(
    _ row: HeaderRow, file: String, fields: [String], optional: Set<String>, isEmpty: Bool
  ) throws(ExportError) {
    let columns: [[UInt8]]
    let line: Int
    switch row {
    case .names(let found, let row):
      columns = found
      line = row
    case .faulty(let fault, let field, let line):
      throw ExportError(
        .badHeader, file: file, place: .line(line), reason: Self.reason(fault, field: field))
    case .absent, .incomplete:
      throw ExportError(
        .missingHeader, file: file,
        reason:
          "the file \(isEmpty ? "is empty" : "contains only white space"); write a first line with the names of "
          + "the columns, even for an export without rows")
    }
    guard columns.count <= Self.columnLimit else {
      throw ExportError(
        .badHeader, file: file, place: .line(line),
        reason: "the header names more than \(Self.columnLimit) columns; check 'delimiter' in the source")
    }
    names = columns.map { String(decoding: $0, as: UTF8.self) }
    try Self.checkUnique(columns, names, file: file, line: line)
    var wanted: [Wanted] = []
    for (slot, field) in fields.enumerated() {
      let name = Array(field.utf8)
      guard let column = columns.firstIndex(of: name) else {
        if optional.contains(field) { continue }
        throw ExportError(
          .missingColumn, file: file, place: .line(line),
          reason:
            "the file has no column '\(field)'\(inlineSuggestion(for: field, among: names)); the columns are "
            + "\(listed(names)); correct the pipeline file or the export")
      }
      wanted.append(Wanted(column: column, slot: slot))
    }
    // A column that is requested twice has two entries.
    self.wanted = wanted.sorted { ($0.column, $0.slot) < ($1.column, $1.slot) }
  }

  /// Returns the message about a faulty header. `field` is the number of the faulty field, from 1.
  private static func reason(_ fault: DelimitedScanner.RowFault, field: Int) -> String {
    switch fault {
    case .unclosed:
      "the quote that opens field \(field) of the header is never closed; close it in the export, or set "
        + "'quote' of the source to another character"
    case .followed:
      "text follows the closing quote of field \(field) of the header; in the export, put the whole field in "
        + "quotes, and double each quote inside it"
    case .tooLong:
      "the header is longer than \(ByteWindow.recordLimit >> 20) MiB; check that the file is a delimited text "
        + "file with line breaks"
    }
  }

  /// Rejects a duplicate name, because it is ambiguous. Several columns may have empty names, because empty
  /// names cannot be requested.
  private static func checkUnique(
    _ columns: [[UInt8]], _ names: [String], file: String, line: Int
  ) throws(ExportError) {
    var first: [[UInt8]: Int] = [:]
    for (index, name) in columns.enumerated() where !name.isEmpty {
      guard let earlier = first.updateValue(index, forKey: name) else { continue }
      throw ExportError(
        .duplicateColumn, file: file, place: .line(line),
        reason:
          "columns \(earlier + 1) and \(index + 1) have the same name, '\(shown(names[index]))'; the columns "
          + "are \(listed(names)); give these two columns different names in the export")
    }
  }
}

/// Appends the text of a field: its bytes, with each doubled quote replaced by one.
func appendText(
  of field: DelimitedScanner.Field, quote: UInt8, from bytes: Span<UInt8>, to text: inout [UInt8]
) {
  var index = field.range.lowerBound
  while index < field.range.upperBound {
    text.append(bytes[index])
    index += field.hasDoubledQuotes && bytes[index] == quote ? 2 : 1
  }
}
