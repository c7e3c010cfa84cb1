internal import PipelineFile
internal import Tables

extension Section {
  /// What the population likes, how sure that is, and how different people are.
  ///
  /// - Throws: `FileError` where the models cannot be read.
  static func taste(_ run: ReportedRun) throws -> Section {
    var blocks: [Block] = []
    for model in run.pipeline.models {
      guard let fit = run.models?.counts["by_name"].map({ $0[model.name ?? ""] }) ?? run.models?.counts else {
        continue
      }
      if let name = model.name { blocks.append(.heading("The model \(name)")) }
      let directory = run.directory + "/models" + (model.name.map { "/" + $0 } ?? "")
      let table = try ModelTable(directory, columns: StringColumn(directory + "/columns").strings)
      let tastes = try Taste.all(table, fit, model, RareWords(run))
      for taste in tastes { blocks += taste.blocks }
    }
    if blocks.isEmpty {
      blocks.append(.note("This pipeline has no model: its lists are ordered without one."))
    }
    return Section(id: "taste", title: "What people like", blocks: blocks)
  }
}

/// What is liked: by a population, a group of it, or by its people one by one.
struct Taste: Sendable {
  enum Kind: Sendable {
    /// A mean with its error, and how far people lie from it.
    case population
    /// One regression for all, with its errors.
    case everybody
    /// A regression per person: the middle of all of theirs.
    case perPerson(people: Int)
  }

  struct Row: Sendable {
    var column: String
    /// In original units.
    var coefficient: Double
    /// What the coefficient is multiplied with, to compare columns: the standard deviation of the column.
    var scale: Double
    var error: Double?
    /// A standard deviation, or the ends of the middle four fifths of people.
    var spread: ClosedRange<Double>?
    var people: Int?
  }

  let name: String
  let group: String
  let kind: Kind
  let rows: [Row]
  /// How many columns are not named, as few people have them.
  let hidden: Int

  /// The most rows that a chart has.
  private static let mostRows = 20

  static func all(_ table: ModelTable, _ fit: JSONValue, _ model: Pipeline.Model, _ rare: RareWords) throws
    -> [Taste]
  {
    guard let prior = table.prior else { return [perPerson(table, model, rare)] }
    let names = table.columns.strings
    let isEverybody = if case .everybody = model.method { true } else { false }
    let facts = fit["prior"]?.elements ?? []
    return prior.groups.enumerated().map { index, group in
      let errors = Dictionary(
        (facts.indices.contains(index) ? facts[index]["columns"]?.elements ?? [] : []).compactMap { column in
          column["column"]?.stringValue.map { ($0, column["standard_error"]?.numberValue) }
        }, uniquingKeysWith: { first, _ in first })
      let all = prior.columns.enumerated().map { place, shared in
        let (coefficient, deviation) = (group.coefficients[place], group.deviations[place])
        let column = names[Int(shared.column)]
        return Row(
          column: column, coefficient: coefficient, scale: shared.scale,
          error: isEverybody ? deviation : errors[column] ?? nil,
          spread: isEverybody || !deviation.isFinite ? nil : coefficient - deviation...coefficient + deviation
        )
      }
      let shown = all.filter { rare.mayBeNamed($0.column) && $0.coefficient.isFinite }
      return Taste(
        name: model.name ?? "", group: group.name, kind: isEverybody ? .everybody : .population,
        rows: shown.enumerated().sorted {
          (abs($1.element.coefficient * $1.element.scale), $0.offset) < (
            abs($0.element.coefficient * $0.element.scale), $1.offset
          )
        }.map(\.element),
        hidden: all.count - shown.count)
    }
  }

  /// The quantiles over people of each column's coefficient.
  private static func perPerson(_ table: ModelTable, _ model: Pipeline.Model, _ rare: RareWords) -> Taste {
    var values = [[Double]](repeating: [], count: table.columns.count)
    var own = ColumnModel()
    var people = 0
    for user in 0..<table.count where table.read(user, into: &own) {
      people += 1
      for column in own.columns where own.coefficients[Int(column)].isFinite {
        values[Int(column)].append(own.coefficients[Int(column)])
      }
    }
    let names = table.columns.strings
    var rows: [Row] = []
    var hidden = 0
    for (column, coefficients) in values.enumerated() where !coefficients.isEmpty {
      guard coefficients.count >= Disclosure.leastPeople, rare.mayBeNamed(names[column]) else {
        hidden += 1
        continue
      }
      let sorted = coefficients.sorted()
      func quantile(_ share: Double) -> Double { sorted[Int((share * Double(sorted.count - 1)).rounded())] }
      rows.append(
        Row(
          column: names[column], coefficient: quantile(0.5), scale: 1, error: nil,
          spread: quantile(0.1)...quantile(0.9),
          people: coefficients.count))
    }
    rows = rows.enumerated().sorted {
      ($1.element.people ?? 0, $0.offset) < ($0.element.people ?? 0, $1.offset)
    }
    .map(\.element)
    return Taste(
      name: model.name ?? "", group: "", kind: .perPerson(people: people), rows: rows, hidden: hidden)
  }

  var blocks: [Block] {
    var blocks: [Block] = []
    if !group.isEmpty { blocks.append(.heading("The group \(group)")) }
    blocks.append(.paragraph(introduction))
    if rows.isEmpty { return blocks + [.note("No column has a coefficient that could be shown.")] }
    blocks.append(.figure(figure))
    if hidden > 0 {
      blocks.append(
        .paragraph(
          "\(hidden, "column") not named: fewer than \(.count(Disclosure.leastPeople)) people have them, or they tell places."
        ))
    }
    return blocks
  }

  private var introduction: Words {
    switch kind {
    case .population:
      """
      What everybody\(group.isEmpty ? "" as Words : " of this group") likes is the mean; people differ from it by the spread. \
      The error says how sure the mean is: a mean within two errors of 0 is none that can be told. A coefficient is what one \
      unit more, or having the word, adds to the value that is predicted.
      """
    case .everybody:
      "One regression for all: people do not differ. The error says how sure a coefficient is."
    case .perPerson(let people):
      """
      Each of \(people, "person", "people") has a regression of their own, and there is nothing that they lean on. Shown is the \
      middle of their coefficients, and between which two the middle four fifths of people lie: how different people are, and how \
      noisy a regression of few interactions is.
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
        "Coefficients of people’s own models",
        [.text("Column"), .number("People"), .number("Median"), .number("10 % to 90 %")])
      for row in rows {
        table.add(
          .init(data: row.column), .init(.count(row.people ?? 0)), .init(.difference(row.coefficient)),
          spread(row))
      }
      return table
    case .everybody:
      var table = Table(
        "Coefficients of the model for all", [.text("Column"), .number("Coefficient"), .number("Error")])
      for row in rows {
        table.add(
          .init(data: row.column), .init(.difference(row.coefficient)), .init(row.error.map(Figure.metric)))
      }
      return table
    case .population:
      var table = Table(
        "What the population likes, strongest first",
        [.text("Column"), .number("Mean"), .number("Error"), .number("Spread of people")])
      for row in rows {
        let isTold = row.error.map { abs(row.coefficient) > 2 * $0 } ?? false
        let deviation = row.spread.map { ($0.upperBound - $0.lowerBound) / 2 }
        table.add(
          .init(data: row.column), .init(Words(.difference(row.coefficient)).strong(isTold)),
          .init(row.error.map(Figure.metric)), .init(deviation.map(Figure.metric)))
      }
      return table
    }
  }

  private func spread(_ row: Row) -> Table.Cell {
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
    let isPerPerson = if case .perPerson = kind { true } else { false }
    let title: Words = isPerPerson ? "People’s own coefficients" : "What is liked, and how much people differ"
    let axis = isPerPerson ? "coefficient" : "per standard deviation"
    return ChartFigure(
      name: "taste" + slug, title: group.isEmpty ? title : title + ", of \(group)",
      description: isPerPerson
        ? "For each column a point at the median of people’s coefficients, and a wide bar from the tenth to the ninetieth of a hundred people."
        : "For each column a point at its coefficient, a line for its 95 % interval, and a wide bar one standard deviation of people to each side.",
      data: data,
      marks: { _ in
        let names = Mark.names("column")
        let wide = Mark.numbers("spread_low", title: axis, format: ".2~f", includesZero: true)
        return [
          "layer": .array([
            [
              "mark": ["type": "bar", "height": 10, "cornerRadius": 2],
              "encoding": [
                "y": names, "x": wide, "x2": ["field": "spread_high"], "color": Mark.color(.soft),
              ],
            ],
            Mark.line("x", at: 0),
            [
              "mark": ["type": "rule", "strokeWidth": 2],
              "encoding": [
                "y": names, "x": Mark.field("low", "quantitative"), "x2": ["field": "high"],
                "color": Mark.color(.first),
              ],
            ],
            [
              "mark": ["type": "point", "filled": .boolean(true), "size": 45, "opacity": 1],
              "encoding": [
                "y": names, "x": Mark.field("coefficient", "quantitative"), "color": Mark.color(.first),
              ],
            ],
          ])
        ]
      }, table: table, height: { _ in .perRow(24) })
  }
}
