import PipelineFile
import ServingStore
import Tables

/// The attributes that the pipeline file publishes with each entity, for the app to show beside a list.
struct PublishedAttributes {
  private let snapshot: Snapshot?
  private let attributes: [(entity: String, names: [String])]

  init(_ publication: Pipeline.Publication, _ pipeline: Pipeline, run: String) throws {
    attributes = publication.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let schemas = attributes.compactMap { pipeline.entity($0.entity)?.schema }
    snapshot = schemas.isEmpty ? nil : try Snapshot(run + "/snapshot", entities: schemas, interactions: [])
  }

  /// Adds one JSON object per entity: `{"business_field":"Technology","role":"investor"}`, `null` for missing. Tags are an
  /// array, empty for missing; a date is its day, or RFC 3339 where it has a time of day.
  func load(_ loader: any GenerationLoader) throws {
    for (entity, names) in attributes {
      guard let table = snapshot?.entities[entity] else { continue }
      try loader.beginPeople(entity)
      for row in 0..<table.count {
        try loader.addPerson(attributes: json(table, names, row: row).bytes.span, id: table.ids.bytes(row))
      }
    }
  }

  private func json(_ table: EntityTable, _ names: [String], row: Int) -> JSONText {
    var text = JSONText()
    for (index, name) in names.enumerated() {
      text.append(raw: index == 0 ? "{" : ",")
      text.append(string: Array(name.utf8).span)
      text.append(raw: ":")
      if let column = table.categories[name] {
        let code = column.codes[row]
        if code == CategoryColumn.missing {
          text.append(raw: "null")
        } else {
          text.append(string: column.vocabulary.bytes(Int(code)))
        }
      } else if let column = table.numbers[name] {
        text.append(number: column[row])
      } else if let column = table.flags[name] {
        text.append(raw: column[row] == 1 ? "true" : "false")
      } else if let column = table.texts[name] {
        text.append(string: column.bytes(row))
      } else if let column = table.tags[name] {
        text.append(raw: "[")
        for (place, index) in column.range(row).enumerated() {
          if place > 0 { text.append(raw: ",") }
          text.append(string: column.vocabulary.bytes(Int(column.codes[index])))
        }
        text.append(raw: "]")
      } else if let column = table.dates[name] {
        if column[row] == .min {
          text.append(raw: "null")
        } else {
          text.append(string: Array(Instant(milliseconds: column[row]).dateDescription.utf8).span)
        }
      }
    }
    text.append(raw: names.isEmpty ? "{}" : "}")
    return text
  }
}
