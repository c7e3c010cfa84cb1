internal import Columns
internal import Concurrency
internal import Geohash
internal import RunSchemas
internal import Text

/// The number of rows in each cell, in total and for each word of the categories.
struct Buckets: Sendable {
  private let order: CellOrder
  private let precision: Int
  /// The entries of each cell that is not empty, in cell order.
  private let cells: [Range<Int>]
  private let categories: [(name: String, column: CategoryColumn)]

  private static let chunk = 1 << 12

  /// Groups the entries of `order` by cells of precision `precision`.
  init(_ order: CellOrder, precision: Int, table: EntityTable, categories: [String]) {
    self.order = order
    self.precision = precision
    self.categories = categories.compactMap { name in table.categories[name].map { (name, $0) } }
    let shift = Self.shift(precision)
    let entries = order.entries
    var cells: [Range<Int>] = []
    var start = 0
    for index in entries.indices
    where index + 1 == entries.count || entries[index + 1].code >> shift != entries[index].code >> shift {
      cells.append(start..<index + 1)
      start = index + 1
    }
    self.cells = cells
  }

  /// The number of cells that are not empty.
  var count: Int { cells.count }

  /// Returns the number of bits by which a code of precision 12 is longer than a code of precision
  /// `precision`.
  private static func shift(_ precision: Int) -> UInt64 {
    UInt64(Geohash.codeBits - 5 * precision)
  }

  /// Returns the CSV file in parts: the header `cell,entities,<category>=<word>,...`, then one row per
  /// nonempty cell, in cell order.
  func csv(threads: Int) -> [[UInt8]] {
    [header] + parallelMap(count: cells.count, chunkSize: Self.chunk, threads: threads) { rows(of: $0) }
  }

  private var header: [UInt8] {
    var text = CSVText()
    text.append(plain: "cell")
    text.append(plain: "entities")
    for (name, column) in categories {
      for word in column.vocabulary.strings { text.append(text: "\(name)=\(word)") }
    }
    text.endRow()
    return text.bytes
  }

  private func rows(of chunk: Range<Int>) -> [UInt8] {
    var text = CSVText()
    var counts = categories.map { [Int](repeating: 0, count: $0.column.vocabulary.count) }
    for cell in cells[chunk] {
      let code = order.entries[cell.lowerBound].code >> Self.shift(precision)
      text.append(plain: Geohash(bits: code, precision: precision)?.description ?? "")
      text.append(integer: cell.count)
      for (place, category) in categories.enumerated() {
        for index in cell {
          let word = category.column.codes[order.entries[index].row]
          if word != CategoryColumn.missing { counts[place][Int(word)] += 1 }
        }
        for word in counts[place].indices {
          text.append(integer: counts[place][word])
          counts[place][word] = 0
        }
      }
      text.endRow()
    }
    return text.bytes
  }
}
