internal import Text

/// A table of named rows of numbers, printed as text or JSON.
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

  /// The table as tab-separated columns with nine decimals, padded with spaces so that they align.
  package var text: String {
    // Names can contain category values, which can be any text.
    let names = rows.map { ShownText.encoded($0.name) }
    let width = (names.map(\.terminalColumns) + [columns[0].count]).max() ?? 0
    let header = ([columns[0].padded(to: width)] + columns.dropFirst().map { $0.leftPadded(to: 16) })
    let lines = zip(names, rows).map { name, row in
      ([name.padded(to: width)] + row.values.map { ($0?.fixed(9) ?? "").leftPadded(to: 16) })
        .joined(separator: "\t")
    }
    let notes = facts.map { fact in
      "# \(fact.name)\t" + (Int(exactly: fact.value).map(String.init) ?? fact.value.description)
    }
    return (notes + [header.joined(separator: "\t")] + lines).joined(separator: "\n")
  }

  /// `{"terms":[{"term":…,"contribution":…}],"distance_km":…}` with full precision.
  package var json: String {
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
