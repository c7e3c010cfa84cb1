internal import Text

/// A table of figures, with columns as wide as their content.
struct FigureTable {
  private var rows: [[String]]

  init(columns: [String]) {
    rows = [[""] + columns]
  }

  mutating func add(_ name: String, _ cells: [String]) {
    rows.append([name] + cells)
  }

  var lines: [String] {
    let widths = rows[0].indices.map { column in
      rows.map { $0[column].terminalColumns }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.indices.filter { $0 == 0 || widths[$0] > 0 }.map { column in
        column == 0 ? row[column].padded(to: widths[column]) : row[column].leftPadded(to: widths[column])
      }
      let line = "    " + cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
