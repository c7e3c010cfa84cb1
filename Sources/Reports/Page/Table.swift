/// A table of rows and columns. The first column names the row.
struct Table: Sendable {
  struct Column: Sendable {
    var title: String
    /// Whether the cells are numbers, which are right-aligned.
    var isNumber: Bool

    static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  struct Cell: Sendable {
    var words: Words
    /// A smaller second line, such as the interval of a mean.
    var below = Words()

    init(_ words: Words, below: Words = Words()) { (self.words, self.below) = (words, below) }

    /// The cell for a missing value.
    static let none = Cell("–")
  }

  var caption: Words
  var columns: [Column]
  private(set) var rows: [[Cell]] = []

  init(_ caption: Words, _ columns: [Column]) { (self.caption, self.columns) = (caption, columns) }

  mutating func add(_ cells: Cell...) { add(cells) }

  mutating func add(_ cells: [Cell]) {
    precondition(
      cells.count == columns.count,
      "each column must have one cell, but there are \(cells.count) cells for \(columns.count) columns")
    rows.append(cells)
  }
}

extension Table.Cell: ExpressibleByStringInterpolation {
  init(stringInterpolation: Words.StringInterpolation) {
    self.init(Words(stringInterpolation: stringInterpolation))
  }
  init(stringLiteral value: String) { self.init(Words(stringLiteral: value)) }

  init(_ figure: Figure?) { self = figure.map { Table.Cell(Words($0)) } ?? .none }
  init(data text: String) { self.init(Words(data: text)) }
}
