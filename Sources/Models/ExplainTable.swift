package import Text

/// A table whose rows have a name and numbers, with facts about the whole table.
package struct ExplainTable {
  let columns: [String]
  var facts: [(name: String, value: Double)] = []
  private var rows: [(name: String, values: [Double?])] = []

  init(columns: [String]) {
    self.columns = columns
  }

  mutating func add(_ name: String, _ values: [Double?]) {
    rows.append((name, values))
  }

  /// Returns the lines of the table in `format`. JSON and CSV contain all digits, and text contains six
  /// decimals. CSV omits the facts.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .json: [json]
    case .csv: csv.rows
    case .text(let width): text(width)
    }
  }

  /// Returns the facts, then one line per row. The numbers of a row have six decimals.
  private func text(_ width: Int?) -> [String] {
    let longest = facts.map(\.name.count).max() ?? 0
    let notes = facts.map { fact in
      let value = Int(exactly: fact.value).map(\.grouped) ?? fact.value.fixed(6)
      return "\(fact.name.padded(to: longest))  \(value)"
    }
    var table = FigureTable(columns: Array(columns.dropFirst()), names: columns[0])
    // Names can contain category values, which can be any text.
    for row in rows { table.add(ShownText.encoded(row.name), row.values.map { $0?.fixed(6) ?? "" }) }
    return notes + (notes.isEmpty ? [] : [""]) + table.lines(indent: 0, width: width)
  }

  private var csv: CSVText {
    var csv = CSVText()
    csv.append(header: columns)
    for row in rows {
      csv.append(text: row.name)
      for value in row.values { csv.append(plain: value?.description ?? "") }
      csv.endRow()
    }
    return csv
  }

  /// The table as JSON with full precision: `{"terms":[{"term":…,"contribution":…}],"distance_km":…}`.
  private var json: String {
    let terms = rows.map { row in
      var members: [String: JSONValue] = [columns[0]: .string(row.name)]
      for (column, value) in zip(columns.dropFirst(), row.values) {
        members[column] = value.map(JSONValue.number) ?? .null
      }
      return JSONValue.object(members)
    }
    var members: [String: JSONValue] = ["terms": .array(terms)]
    for fact in facts { members[fact.name] = .number(fact.value) }
    return String(decoding: JSONValue.object(members).pretty.dropLast(), as: UTF8.self)
  }
}
