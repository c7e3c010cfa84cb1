// The rows of an export that a source reads: `where: { accountType: owner }`.

extension Pipeline {
  /// A condition on a row: a field must have one of several texts.
  package struct RowCondition: Hashable, Sendable {
    package var field: String
    /// The accepted texts, compared as bytes with the field's text. A number or flag is converted to text
    /// first.
    package var values: [String]
  }

  /// All sources with their names, in the order of `sourceNames`.
  package var sources: [(name: String, source: Source)] {
    entities.map { ($0.name, $0.source) } + checkIns.map { ($0.name, $0.source) }
      + interactions.map { ($0.name, $0.source) } + requests.map { ($0.name, $0.source) }
  }
}

extension Pipeline.Source {
  /// Returns whether both sources read the same files with the same format and options.
  package func isSameExport(as other: Self) -> Bool {
    paths == other.paths && format == other.format && options == other.options
  }
}

extension Setting {
  /// Reads `{ FIELD: TEXT }` or `{ FIELD: [TEXT, ...] }`, in the order of the file.
  func rowConditions() throws(PipelineFileError) -> [Pipeline.RowCondition] {
    var conditions: [Pipeline.RowCondition] = []
    for (field, value, _) in try pairs() {
      var values: [String] = []
      for element in value.isSequence ? try value.elements() : [value] {
        let text = try element.text()
        guard !values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
          throw element.mistake("'\(text)' occurs twice in \(value.label)", advice: "Remove one of them.")
        }
        values.append(text)
      }
      guard !values.isEmpty else {
        throw value.mistake(
          "'\(value.path)' names no value, so no row would match",
          advice: "Name at least one value, or remove the key.")
      }
      conditions.append(Pipeline.RowCondition(field: field, values: values))
    }
    guard !conditions.isEmpty else {
      throw mistake("\(label) names no field", advice: "Write { FIELD: VALUE }, or remove 'where'.")
    }
    return conditions
  }
}
