/// A table of figures for a terminal. It has one row per name, and each column is as wide as its content.
///
/// If the table is wider than the terminal, its columns are printed in several parts, each with all names.
package struct FigureTable: Sendable {
  private var rows: [[String]]

  private static let gap = "  "

  /// Creates a table without rows.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns of figures.
  ///   - names: The name of the first column.
  package init(columns: [String], names: String = "") {
    rows = [[names] + columns]
  }

  /// Appends a row with a cell per column. A column is not printed if its name and all its cells are empty.
  package mutating func add(_ name: String, _ cells: [String]) {
    precondition(cells.count + 1 == rows[0].count, "\(cells.count) cells, and \(rows[0].count - 1) columns")
    rows.append([name] + cells)
  }

  /// Returns the lines of the table, indented by `indent` spaces. Lines have at most `width` terminal
  /// columns, unless a name and one figure need more. If `width` is `nil`, lines have any length.
  package func lines(indent: Int = 4, width: Int? = nil) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].terminalColumns }.max() ?? 0 }
    let margin = String(repeating: " ", count: indent)
    return parts(widths, width: width.map { $0 - indent }).flatMap { columns in
      rows.map { row in
        let figures = columns.map { row[$0].leftPadded(to: widths[$0]) }
        let line = margin + ([row[0].padded(to: widths[0])] + figures).joined(separator: Self.gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
      }
    }
  }

  /// Returns the columns of figures in each part.
  private func parts(_ widths: [Int], width: Int?) -> [[Int]] {
    var parts: [[Int]] = [[]]
    var columns = widths[0]
    for column in widths.indices.dropFirst() where widths[column] > 0 {
      columns += Self.gap.count + widths[column]
      if let width, columns > width, !parts[parts.count - 1].isEmpty {
        parts.append([])
        columns = widths[0] + Self.gap.count + widths[column]
      }
      parts[parts.count - 1].append(column)
    }
    return parts
  }
}
