internal import Text

/// A chart with its title, what it shows in words, and the table of its numbers.
struct ChartFigure: Sendable {
  /// The name of its files; unique on the page.
  var name: String
  var title: Words
  /// The text alternative: what the chart shows, and what a reader can conclude from it.
  var description: Words
  var data: ChartData
  /// What is drawn of `data`, as Vega-Lite has it, for a width.
  var marks: @Sendable (ChartLayout) -> JSONValue
  var table: Table
  var height: @Sendable (ChartLayout) -> ChartHeight
}

/// How high a chart is.
enum ChartHeight: Sendable {
  /// So many pixels for each row of an axis of names.
  case perRow(Int)
  /// The whole drawing, in pixels.
  case whole(Int)
  /// Made of parts that say how large they are.
  case parts
}

/// The numbers that a chart is drawn from: rows of the same fields.
struct ChartData: Sendable {
  let fields: [String]
  private(set) var rows: [[JSONValue]] = []

  init(_ fields: String...) { self.fields = fields }

  mutating func add(_ values: JSONValue...) {
    precondition(values.count == fields.count, "\(values.count) values, and \(fields.count) fields")
    rows.append(values)
  }

  /// As Vega-Lite takes them.
  var values: JSONValue {
    .array(rows.map { .object(Dictionary(zip(fields, $0), uniquingKeysWith: { first, _ in first })) })
  }

  /// As a spreadsheet does.
  var csv: [UInt8] {
    var text = CSVText()
    text.append(header: fields)
    for row in rows {
      for value in row {
        switch value {
        case .string(let word): text.append(text: word)
        case .integer(let number): text.append(integer: number)
        case .number(let number): text.append(plain: number.description)
        default: text.append(plain: "")
        }
      }
      text.endRow()
    }
    return text.bytes
  }
}

/// The room that a chart has: charts are drawn twice, for wide windows and paper and for phones.
enum ChartLayout: String, CaseIterable, Sendable {
  case wide, narrow

  /// Of the whole drawing, axes included, in CSS pixels.
  var width: Int {
    switch self {
    case .wide: 780
    case .narrow: 330
    }
  }

  /// The most that names at an axis may take of it.
  var nameWidth: Int {
    switch self {
    case .wide: 260
    case .narrow: 150
    }
  }
}

/// A chart as markup.
struct Drawing: Hashable, Sendable {
  var width: Int
  var height: Int
  /// The content of `svg`: only shapes and text.
  var markup: String
}

/// The drawings of a page's charts, by name and layout; none where nothing draws.
struct Drawings: Sendable {
  private var drawings: [String: [ChartLayout: Drawing]] = [:]

  init() {}

  subscript(name: String, layout: ChartLayout) -> Drawing? {
    get { drawings[name]?[layout] }
    set { drawings[name, default: [:]][layout] = newValue }
  }
}
