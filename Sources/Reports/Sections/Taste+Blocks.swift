internal import Columns
internal import Text

extension Taste {
  /// The maximum number of rows of a chart.
  private static let mostRows = 40

  /// Returns the chart and the table of the model. With `isIntroduced`, an explanation of the figures
  /// precedes the chart. Only the first model of each kind has this explanation.
  func blocks(isIntroduced: Bool) -> [Block] {
    var blocks: [Block] = []
    if !group.isEmpty { blocks.append(.heading("The group \(group)")) }
    if isIntroduced { blocks.append(.paragraph(introduction)) }
    if rows.isEmpty {
      return blocks + [
        .note(
          "This page shows no coefficients of this model. It hides geohash cells, coefficients that are not finite, and columns with fewer than \(.count(Disclosure.leastPeople)) users or occurrences."
        )
      ]
    }
    blocks.append(.figure(figure))
    if hidden > 0 {
      blocks.append(
        .paragraph(
          "This table omits \(hidden, "column"), for example places and words that occur fewer than \(.count(Disclosure.leastPeople)) times."
        ))
    }
    return blocks
  }

  private var introduction: Words {
    switch kind {
    case .population:
      """
      The mean is the average coefficient of all users\(group.isEmpty ? "" as Words : " in this group"); the spread is how much \
      users differ from it. The error is the standard error of the mean: a mean within two errors of 0 cannot be distinguished \
      from 0. A coefficient is the change in the predicted value if a number increases by one, or if the word \
      applies.
      """
    case .shared:
      "All users share one regression. The error is the standard error of the coefficient."
    case .perPerson(let users):
      """
      Each of \(users, "user") has a separate regression. The table shows the median of each coefficient over \
      users, and its 10th and 90th percentiles. The range between them reflects both the differences between users and the \
      noise of regressions with few interactions.
      """
    }
  }

  private var slug: String {
    (name.isEmpty ? "" : "-" + name.fileName) + (group.isEmpty ? "" : "-group-" + group.fileName)
  }

  private var table: Table {
    switch kind {
    case .perPerson:
      var table = Table(
        "Coefficients of users’ own models",
        [.text("Column"), .number("Users"), .number("Median"), .number("10 % to 90 %")])
      for row in rows {
        table.add(
          .init(data: row.column), .init(.count(row.users ?? 0)), .init(.difference(row.coefficient)),
          spread(row))
      }
      return table
    case .shared:
      var table = Table(
        "Coefficients of the one model for all users",
        [.text("Column"), .number("Coefficient"), .number("Error")])
      for row in rows {
        table.add(
          .init(data: row.column), .init(.difference(row.coefficient)), .init(row.error.map(Figure.metric)))
      }
      return table
    case .population:
      var table = Table(
        "Mean tastes of all users, strongest first",
        [.text("Column"), .number("Mean"), .number("Error"), .number("Spread of users")])
      for row in rows {
        let isSignificant = row.error.map { abs(row.coefficient) > 2 * $0 } ?? false
        let deviation = row.spread.map { ($0.upperBound - $0.lowerBound) / 2 }
        table.add(
          .init(data: row.column), .init(Words(.difference(row.coefficient)).strong(isSignificant)),
          .init(row.error.map(Figure.metric)), .init(deviation.map(Figure.metric)))
      }
      return table
    }
  }

  private func spread(_ row: Coefficient) -> Table.Cell {
    row.spread.map { "\(.difference($0.lowerBound)) to \(.difference($0.upperBound))" } ?? .none
  }

  private var figure: ChartFigure {
    var data = ChartData("column", "coefficient", "low", "high", "spread_low", "spread_high")
    for row in rows.prefix(Self.mostRows) {
      func scaled(_ value: Double?) -> JSONValue { value.map { .number($0 * row.scale) } ?? .null }
      data.add(
        .string(row.column), scaled(row.coefficient), scaled(row.error.map { row.coefficient - 1.96 * $0 }),
        scaled(row.error.map { row.coefficient + 1.96 * $0 }), scaled(row.spread?.lowerBound),
        scaled(row.spread?.upperBound))
    }
    let title: Words
    let description: Words
    var axis = "per standard deviation"
    switch kind {
    case .perPerson:
      title = "Users’ own coefficients"
      description =
        "A point per column marks the median of users’ coefficients. A wide bar spans the 10th to the 90th percentile."
      axis = "coefficient"
    case .shared:
      title = "Coefficients of the one model for all users"
      description = "A point per column marks its coefficient, and a line spans its 95 % interval."
    case .population:
      title = "Tastes, and the differences between users"
      description =
        "A point per column marks its coefficient, and a line spans its 95 % interval. A wide bar spans one standard deviation of users to each side."
    }
    return ChartFigure(
      name: "taste" + slug, title: group.isEmpty ? title : title + ", of \(group)",
      description: description, data: data,
      chart: RowChart(
        rows: rows.prefix(Self.mostRows).map(\.chartRow), title: axis, lines: [(value: 0, isDashed: false)]),
      table: table)
  }
}

extension Taste.Coefficient {
  /// The coefficient with its 95 % interval and its spread, multiplied by the scale of its column.
  fileprivate var chartRow: RowChart.Row {
    RowChart.Row(
      name: column,
      marks: [
        .point(
          coefficient * scale,
          interval: error.map { ((coefficient - 1.96 * $0) * scale, (coefficient + 1.96 * $0) * scale) },
          band: spread.map { ($0.lowerBound * scale, $0.upperBound * scale) })
      ])
  }
}
