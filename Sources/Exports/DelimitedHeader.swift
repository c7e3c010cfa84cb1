/// The header of a delimited file, and which of its columns were asked for.
struct DelimitedHeader: Sendable {
  /// A column to keep and the field that it fills.
  struct Wanted {
    var column: Int
    var slot: Int
  }

  /// All column names in order, as written.
  let names: [String]
  /// What to keep, by ascending column.
  let wanted: [Wanted]

  /// The header of `source` resolved against `fields`. Names are compared as bytes, nothing is trimmed.
  ///
  /// - Throws: `missing_header`, `bad_header`, `missing_column`, `duplicate_column`.
  init(
    _ source: PaddedBytes, file: String, delimiter: UInt8, quote: UInt8, fields: [String],
    optional: Set<String>
  ) throws(ExportError) {
    var scanner = DelimitedScanner(source, delimiter: delimiter, quote: quote)
    var columns: [[UInt8]] = []
    let bytes = source.bytes
    let row = scanner.nextRow { _, field in
      var name: [UInt8] = []
      appendText(of: field, quote: quote, from: bytes, to: &name)
      columns.append(name)
    }
    guard let row else {
      throw ExportError(
        .missingHeader, file: file,
        reason: "the file is empty; its first line must name the columns, even when no row follows")
    }
    if row.fault != nil {
      throw ExportError(
        .badHeader, file: file, place: .line(row.line),
        reason:
          "the line that names the columns has a quote that is not closed, or text behind a closing quote")
    }
    names = columns.map { String(decoding: $0, as: UTF8.self) }
    var wanted: [Wanted] = []
    for (slot, field) in fields.enumerated() {
      let name = Array(field.utf8)
      let matches = columns.indices.filter { columns[$0] == name }
      guard let column = matches.first else {
        if optional.contains(field) { continue }
        throw ExportError(
          .missingColumn, file: file, place: .line(row.line),
          reason:
            "there is no column '\(field)'\(suggestion(for: field, among: names)); \(Self.listed(names))")
      }
      guard matches.count == 1 else {
        let positions = matches.map { String($0 + 1) }.joined(separator: " and ")
        throw ExportError(
          .duplicateColumn, file: file, place: .line(row.line),
          reason:
            "the column '\(field)' must be named once, but columns \(positions) are; \(Self.listed(names))")
      }
      wanted.append(Wanted(column: column, slot: slot))
    }
    // A field asked for twice has two entries for its column.
    self.wanted = wanted.sorted { ($0.column, $0.slot) < ($1.column, $1.slot) }
  }

  /// The columns found, the first 40 by name.
  private static func listed(_ names: [String]) -> String {
    let shown = names.prefix(40).joined(separator: ", ")
    let more = names.count > 40 ? ", and \(names.count - 40) more" : ""
    return "the columns are \(shown)\(more)"
  }
}

/// Appends a field's text: its bytes, with doubled quotes made single.
func appendText(
  of field: DelimitedScanner.Field, quote: UInt8, from bytes: Span<UInt8>, to text: inout [UInt8]
) {
  var index = field.range.lowerBound
  while index < field.range.upperBound {
    text.append(bytes[index])
    index += field.hasDoubledQuotes && bytes[index] == quote ? 2 : 1
  }
}
