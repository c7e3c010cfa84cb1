package import ServingStore
package import Text

extension [GenerationSummary] {
  /// Returns the generations as lines of a table.
  ///
  /// - Parameter format: The output format. JSON output is a single array.
  /// - Returns: The lines, with a header unless the format is JSON. In text, an asterisk marks the served
  ///   generation.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .json: return [String(decoding: JSONValue.array(map(\.json)).pretty, as: UTF8.self)]
    case .csv:
      var text = CSVText()
      text.append(header: ["generation", "served", "run", "as_of", "rows", "overridden"])
      for generation in self {
        text.append(integer: generation.number)
        text.append(plain: generation.isServed ? "true" : "false")
        text.append(integer: generation.run)
        text.append(plain: "\(Instant(milliseconds: generation.asOf))")
        text.append(text: generation.rows.joined(separator: ", "))
        text.append(text: generation.note.overridden.joined(separator: ", "))
        text.endRow()
      }
      return text.rows
    case .text(let width):
      var table = TextTable(
        [.left, .right, .right, .left], header: ["", "generation", "run", "as of", "rows"], cutsTexts: false)
      for generation in self {
        let overridden = generation.note.overridden
        table.append(
          [
            generation.isServed ? "*" : "", String(generation.number), String(generation.run),
            "\(Instant(milliseconds: generation.asOf))",
          ],
          generation.rows
            + (overridden.isEmpty ? [] : ["overridden guards: \(overridden.joined(separator: ", "))"]))
      }
      return table.lines(indent: 0, width: width)
    }
  }
}

extension GenerationSummary {
  /// The name and number of rows of each list, catalog, table of matches and table of people, such as
  /// `partners 2 000`.
  fileprivate var rows: [String] {
    (tables.lists + tables.catalogs + tables.matches + tables.people).map { "\($0.name) \($0.rows.grouped)" }
  }

  /// The summary as JSON, with the number of rows of every table.
  package var json: JSONValue {
    func counts(_ counts: [NamedCount]) -> JSONValue {
      .object(Dictionary(uniqueKeysWithValues: counts.map { ($0.name, .integer($0.rows)) }))
    }
    var members: [String: JSONValue] = [
      "generation": .integer(number), "run": .integer(run),
      "as_of": .string(Instant(milliseconds: asOf).description), "served": .boolean(isServed),
      "overridden": .array(note.overridden.map { .string($0) }),
    ]
    for kind in TableKind.allCases { members[kind.table] = counts(tables[kind]) }
    return .object(members)
  }
}
