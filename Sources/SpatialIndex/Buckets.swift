internal import Geohash
internal import Tables

/// How many entities stand in each cell, in all and by category.
struct Buckets {
  private var cells: [(cell: Geohash, rows: Range<Int>)] = []
  private let rows: [Int]
  private let categories: [(name: String, column: CategoryColumn)]

  /// Groups `rows`, which are in cell order.
  init(rows: [Int], cells: [Geohash?], table: EntityTable, categories: [String]) {
    self.rows = rows
    self.categories = categories.compactMap { name in table.categories[name].map { (name, $0) } }
    var start = 0
    for index in rows.indices {
      guard let cell = cells[rows[index]] else { preconditionFailure("a positioned row has no cell") }
      let isLast = index + 1 == rows.count || cells[rows[index + 1]] != cell
      if isLast {
        self.cells.append((cell, start..<index + 1))
        start = index + 1
      }
    }
  }

  var count: Int { cells.count }

  /// Header `cell,entities,<category>=<word>,...`, a row per cell that is not empty, in cell order.
  var csv: [UInt8] {
    var text = CSVText()
    text.append(plain: "cell")
    text.append(plain: "entities")
    for (name, column) in categories {
      for word in column.vocabulary.strings { text.append(text: "\(name)=\(word)") }
    }
    text.endRow()
    for (cell, range) in cells {
      text.append(plain: cell.description)
      text.append(plain: String(range.count))
      for (_, column) in categories {
        var counts = [Int](repeating: 0, count: column.vocabulary.count)
        for index in range {
          let code = column.codes[rows[index]]
          if code != CategoryColumn.missing { counts[Int(code)] += 1 }
        }
        for count in counts { text.append(plain: String(count)) }
      }
      text.endRow()
    }
    return text.bytes
  }
}
