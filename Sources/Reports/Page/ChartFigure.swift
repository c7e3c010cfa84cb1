internal import Text

/// A chart with its title, a description in words, and the table of its numbers.
struct ChartFigure: Sendable {
  /// The base name of the chart's files; unique on the page.
  var name: String
  var title: Words
  /// The text alternative: what the chart shows, and what a reader can conclude from it.
  var description: Words
  var data: ChartData
  /// The Vega-Lite specification of the marks that draw `data`, for a layout.
  var marks: @Sendable (ChartLayout) -> JSONValue
  var table: Table
  var height: @Sendable (ChartLayout) -> ChartHeight
}

/// The height of a chart.
enum ChartHeight: Sendable {
  /// The height in pixels of each row of an axis of names.
  case perRow(Int)
  /// The height of the whole drawing in pixels.
  case whole(Int)
  /// No height of its own, because the chart consists of parts that specify their sizes.
  case parts
}

/// The numbers behind a chart: rows with the same fields.
struct ChartData: Sendable {
  let fields: [String]
  private(set) var rows: [[JSONValue]] = []

  init(_ fields: String...) { self.fields = fields }

  mutating func add(_ values: JSONValue...) {
    precondition(values.count == fields.count, "\(values.count) values for \(fields.count) fields")
    rows.append(values)
  }

  /// The rows in the format of Vega-Lite.
  var values: JSONValue {
    .array(rows.map { .object(Dictionary(zip(fields, $0), uniquingKeysWith: { first, _ in first })) })
  }

  /// The rows as CSV, for a spreadsheet.
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

/// The width class of a chart. Each chart is rendered twice: once for wide windows and paper, and once for
/// phones.
enum ChartLayout: String, CaseIterable, Sendable {
  case wide, narrow

  /// The width of the whole drawing, axes included, in CSS pixels.
  var width: Int {
    switch self {
    case .wide: 780
    case .narrow: 330
    }
  }

  /// The maximum width of names at an axis.
  var nameWidth: Int {
    switch self {
    case .wide: 260
    case .narrow: 150
    }
  }
}

/// A rendered chart as markup.
struct Drawing: Hashable, Sendable {
  var width: Int
  var height: Int
  /// The content of the `svg` element: only shapes and text.
  var markup: String
}

/// The drawings of a page's charts, by name and layout; empty if no program renders them.
struct Drawings: Sendable {
  private var drawings: [String: [ChartLayout: Drawing]] = [:]

  init() {}

  subscript(name: String, layout: ChartLayout) -> Drawing? {
    get { drawings[name]?[layout] }
    set { drawings[name, default: [:]][layout] = newValue }
  }
}
