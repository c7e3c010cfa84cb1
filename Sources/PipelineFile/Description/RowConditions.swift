// Which rows of an export a source takes: `where: { accountType: owner }`.

extension Pipeline {
  /// What a row must have to be taken by a source: one of some texts in a field.
  package struct RowCondition: Hashable, Sendable {
    package var field: String
    /// Compared as bytes with the field's text; a number or flag is compared as it is written out.
    package var values: [String]
  }

  /// All sources with their names, in the order of `sourceNames`.
  package var sources: [(name: String, source: Source)] {
    entities.map { ($0.name, $0.source) } + checkIns.map { ($0.name, $0.source) }
      + interactions.map { ($0.name, $0.source) } + requests.map { ($0.name, $0.source) }
  }
}

extension Pipeline.Source {
  /// Whether both read the same files in the same way, each its own rows of them.
  package func isSameExport(as other: Self) -> Bool {
    paths == other.paths && format == other.format && options == other.options
  }
}

extension Setting {
  /// `{ FIELD: TEXT }` or `{ FIELD: [TEXT, ...] }`: in the order of the file.
  func rowConditions() throws(PipelineFileError) -> [Pipeline.RowCondition] {
    var conditions: [Pipeline.RowCondition] = []
    for (field, value, _) in try pairs() {
      var values: [String] = []
      for element in value.isSequence ? try value.elements() : [value] {
        let text = try element.text()
        guard !values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
          throw element.mistake("'\(text)' occurs twice")
        }
        values.append(text)
      }
      guard !values.isEmpty else {
        throw value.mistake("'\(value.path)' names no value, so that no row would be taken")
      }
      conditions.append(Pipeline.RowCondition(field: field, values: values))
    }
    guard !conditions.isEmpty else {
      throw mistake("\(label) names no field", advice: "Write { FIELD: VALUE }, or remove it.")
    }
    return conditions
  }
}
