/// A table for a terminal, with aligned columns and a wrapped last column. Text from data is escaped as in
/// `ShownText`.
///
/// A table in a summary truncates long texts, and is at most 110 columns wide. A table with the result of a
/// query does neither, because a reader may copy an id.
package struct TextTable: Sendable {
  /// The alignment of a column.
  package enum Alignment: Sendable { case left, right }

  private let alignments: [Alignment]
  private let header: [String]
  private let cutsTexts: Bool
  private var rows: [(cells: [String], last: [String])] = []

  /// In a table that truncates texts: the maximum widths, in terminal columns, of a cell and of a part of the
  /// last column.
  private static let widestCell = 36
  private static let widestPiece = 70
  /// The maximum width of a table that truncates texts.
  private static let widestLine = 110
  /// The minimum width, in terminal columns, of a last column of several lines beside the other columns.
  private static let leastRoom = 20
  private static let gap = "  "

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - alignments: The alignments of all columns except the last.
  ///   - header: The names of all columns, as the first line; empty for a table without this line.
  ///   - cutsTexts: Whether long texts are truncated.
  package init(_ alignments: [Alignment], header: [String] = [], cutsTexts: Bool = true) {
    precondition(header.isEmpty || header.count == alignments.count + 1, "\(header.count) names")
    self.alignments = alignments
    self.header = header
    self.cutsTexts = cutsTexts
  }

  /// Whether the table has no row. The header does not count.
  package var isEmpty: Bool { rows.isEmpty }

  /// Appends a row: a cell for each column except the last, and the parts of the last column, which are
  /// joined by commas.
  package mutating func append(_ cells: [String], _ last: [String] = []) {
    precondition(cells.count == alignments.count, "\(cells.count) cells, and \(alignments.count) columns")
    rows.append(
      (
        cells.map { shown($0, Self.widestCell) },
        last.map { shown($0, Self.widestPiece) }
      ))
  }

  private func shown(_ text: String, _ width: Int) -> String {
    let text = ShownText.encoded(text)
    return cutsTexts ? text.cut(to: width) : text
  }

  /// Returns the lines of the table, indented by `indent` spaces. The last column is wrapped so that lines
  /// have at most `width` terminal columns. If this column has too little room beside the other columns of a
  /// row, it begins on the next line. Lines are wider if the other columns or a single word need more. If
  /// `width` is `nil`, as in a file, the last column is wrapped only in a table that truncates texts.
  package func lines(indent: Int, width: Int? = nil) -> [String] {
    let width = cutsTexts ? min(width ?? Self.widestLine, Self.widestLine) : width
    let rows = header.isEmpty ? rows : [(Array(header.dropLast()), [header[alignments.count]])] + rows
    let widths = alignments.indices.map { column in
      rows.map { $0.cells[column].terminalColumns }.max() ?? 0
    }
    let margin = String(repeating: " ", count: indent)
    let start = indent + widths.reduce(0) { $0 + $1 + Self.gap.count }
    let room = width.map { $0 - start } ?? .max
    let below = indent + 2 * Self.gap.count
    return rows.flatMap { cells, last -> [String] in
      let padded = zip(zip(cells, widths), alignments).map { cell, alignment in
        alignment == .left ? cell.0.padded(to: cell.1) : cell.0.leftPadded(to: cell.1)
      }
      var wrapped = Self.wrapped(last, to: max(room, 1))
      var column = start
      let isNarrow = wrapped.count > 1 && room < Self.leastRoom
      let isTooWide = wrapped.contains { $0.terminalColumns > max(room, 0) }
      if let width, below < start, isNarrow || isTooWide {
        wrapped = [""] + Self.wrapped(last, to: max(width - below, 1))
        column = below
      }
      let first = margin + (padded + wrapped.prefix(1)).joined(separator: Self.gap)
      return [first.withoutSpacesAtEnd]
        + wrapped.dropFirst().map { String(repeating: " ", count: column) + $0 }
    }
  }

  private static func wrapped(_ pieces: [String], to width: Int) -> [String] {
    var lines: [String] = []
    for (index, piece) in pieces.enumerated() {
      let text = index + 1 < pieces.count ? piece + "," : piece
      if let last = lines.last, last.terminalColumns + 1 + text.terminalColumns <= width {
        lines[lines.count - 1] = last + " " + text
      } else {
        lines += text.wrapped(to: width, indent: Self.gap.count)
      }
    }
    return lines
  }
}

extension String {
  fileprivate var withoutSpacesAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
