package import ServingStore
package import Text

extension GenerationSummary {
  /// The summary as a line: `* 12  run 12  as of 2026-11-20T23:58:12Z  partners 2 000, matches 311`.
  package var line: String {
    let rows = (tables.lists + tables.catalogs + tables.matches + tables.people).map {
      "\(ShownText.encoded($0.name)) \($0.rows.grouped)"
    }
    let overridden =
      note.overridden.isEmpty ? "" : "  (overridden: \(note.overridden.joined(separator: ", ")))"
    return
      "\(isServed ? "*" : " ") \(String(number).leftPadded(to: 4))  run \(String(run).leftPadded(to: 4))  as of "
      + "\(Instant(milliseconds: asOf))  \(rows.joined(separator: ", "))\(overridden)"
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
