/// Evidence in a file that records of the export are missing.
package struct ExportGap: Hashable, Sendable {
  /// The place of the evidence in the file; `nil` if the whole file is the evidence.
  package var place: ExportError.Place?
  /// The finding in words, without any value of the export.
  package var reason: String

  static func cutLine(_ line: Int) -> ExportGap {
    ExportGap(
      place: .line(line),
      reason: "the last line has no line break and is not JSON, so the file ends inside a record")
  }

  static func cutRow(_ line: Int, fields: Int, of columns: Int) -> ExportGap {
    ExportGap(
      place: .line(line),
      reason:
        "the last row has no line break and only \(fields) of \(columns) fields, so the file ends inside a "
        + "row")
  }

  static func unclosedQuote(_ line: Int) -> ExportGap {
    ExportGap(
      place: .line(line),
      reason: "the quote that opens a field here is never closed, so the file ends inside a row")
  }

  static func errorAnswer(_ place: ExportError.Place) -> ExportGap {
    ExportGap(
      place: place, reason: "the server answered with an error here, so the rest of the export is missing")
  }
}
