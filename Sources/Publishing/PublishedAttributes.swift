internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import ServingStore
internal import Text

/// The published attributes of people and things, which the app can show next to a list.
struct PublishedAttributes {
  private let snapshot: Snapshot?
  private let attributes: [(entity: String, names: [String])]

  init(_ publication: Pipeline.Publication, _ pipeline: Pipeline, run: String) throws {
    attributes = publication.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let schemas = attributes.compactMap { pipeline.entity($0.entity)?.schema }
    snapshot = schemas.isEmpty ? nil : try Snapshot(run + "/snapshot", entities: schemas, interactions: [])
  }

  /// Adds one JSON object per row of each entity, such as
  /// `{"business_field":"Technology","role":"investor"}`. Values are in the format of `AttributeColumn`.
  func load(_ loader: GenerationLoader) throws {
    for (entity, names) in attributes {
      guard let table = snapshot?.entities[entity] else { continue }
      let columns = names.compactMap { name in table.attribute(name).map { (Array(name.utf8), $0) } }
      try loader.begin(.people, entity)
      for row in 0..<table.count {
        let attributes = Self.json(columns, row: row).bytes
        try loader.add(.document(id: table.ids.bytes(row), json: attributes.span))
      }
    }
  }

  private static func json(_ columns: [(name: [UInt8], values: AttributeColumn)], row: Int) -> JSONText {
    var text = JSONText()
    text.append(raw: "{")
    for (index, column) in columns.enumerated() {
      if index > 0 { text.append(raw: ",") }
      text.append(string: column.name.span)
      text.append(raw: ":")
      column.values.append(row, to: &text)
    }
    text.append(raw: "}")
    return text
  }
}
