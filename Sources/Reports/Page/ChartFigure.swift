internal import Text

/// A chart with its title, a description in words, and the table of its numbers.
struct ChartFigure: Sendable {
  /// The base name of the chart's files; unique on the page.
  var name: String
  var title: Words
  /// The text alternative: a description of the chart and of its conclusion.
  var description: Words
  /// The exact numbers, for a file beside the page.
  var data: ChartData
  var chart: any Chart
  var table: Table
  /// Whether the table is open when the page loads.
  var isTableOpen = false
}

/// The numbers behind a chart: rows with the same fields.
struct ChartData: Sendable {
  let fields: [String]
  private(set) var rows: [[JSONValue]] = []

  init(_ fields: String...) { self.fields = fields }

  mutating func add(_ values: JSONValue...) {
    precondition(
      values.count == fields.count,
      "each field must have one value, but there are \(values.count) values for \(fields.count) fields")
    rows.append(values)
  }

  /// The rows as CSV, for spreadsheets.
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
