package import Geohash
package import PipelineFile
package import ServingStore
internal import System
package import Text

/// The people and things near a place in the served generation, nearest first.
package struct ServedNearby {
  private let center: Coordinate
  private let radius: Double
  private let entity: String?

  /// - Parameters:
  ///   - center: The place around which to search.
  ///   - radius: The radius in kilometers, from 0 to 20 038. A distance may equal the radius.
  ///   - entity: The entity to search; `nil` if only one entity has positions.
  package init(center: Coordinate, radiusInKilometers radius: Double, entity: String?) {
    (self.center, self.radius, self.entity) = (center, radius, entity)
  }

  /// Returns the lines to print.
  ///
  /// - Parameters:
  ///   - generation: The served generation.
  ///   - pipeline: The generation's pipeline.
  ///   - top: The maximum number of lines; `nil` for all.
  ///   - format: The output format. In JSON, each line is an object.
  /// - Returns: One line per person or thing within the radius, after a header in text and CSV. Empty if
  ///   nothing is within the radius.
  /// - Throws: `StageFailure` if the entity has no positions, or if several entities have positions and
  ///   `entity` is `nil`; `ServingStoreError`.
  package func lines(
    _ generation: any ServedGeneration, of pipeline: Pipeline, top: Int?, format: ResultFormat
  ) throws -> [String] {
    let entity = try entity(generation, pipeline)
    let found = try generation.positions(entity: entity, around: center, within: radius)
    let nearest = found.prefix(top ?? found.count)
    if nearest.isEmpty { return [] }
    switch format {
    case .json: return nearest.map(\.json)
    case .csv:
      var text = CSVText()
      text.append(header: ["id", "distance_km", "latitude", "longitude"])
      for near in nearest { near.append(to: &text) }
      return text.rows
    case .text(let width):
      let names = pipeline.publication?.attributes[entity] ?? []
      var table = TextTable(
        [.right, .left], header: ["distance", "id", names.isEmpty ? "" : "attributes"], cutsTexts: false)
      for near in nearest {
        let attributes = names.isEmpty ? nil : try generation.person(entity: entity, id: near.id)
        table.append(
          [near.distanceInKilometers.fixed(1) + " km", near.id.text],
          try attributes.map { try ServedAttributes.values($0, names, of: entity) } ?? [])
      }
      return table.lines(indent: 2, width: width)
    }
  }

  private func entity(_ generation: any ServedGeneration, _ pipeline: Pipeline) throws -> String {
    let names = generation.summary.tables.positions.map(\.name)
    if let entity {
      guard names.contains(entity) else { throw missing("of '\(entity)' ", names, generation, pipeline) }
      return entity
    }
    guard let first = names.first else { throw missing("", names, generation, pipeline) }
    guard names.count == 1 else {
      throw StageFailure(
        .usage,
        "the store has positions of several entities. Choose one with --entity: \(names.joined(separator: ", "))."
      )
    }
    return first
  }

  private func missing(
    _ what: String, _ names: [String], _ generation: any ServedGeneration, _ pipeline: Pipeline
  ) -> StageFailure {
    let held = names.isEmpty ? "" : " It has positions of: \(names.joined(separator: ", "))."
    return StageFailure(
      .missingInput,
      "generation \(generation.summary.number) of '\(pipeline.name)' has no positions \(what)to search.\(held) "
        + "Add the entity to 'publish.positions' in the pipeline file, and run the pipeline again.")
  }
}

extension ServedPosition {
  fileprivate func append(to text: inout CSVText) {
    text.append(text: id.text)
    for number in [distanceInKilometers, position.latitude, position.longitude] {
      text.append(plain: "\(number)")
    }
    text.endRow()
  }

  fileprivate var json: String {
    var text = JSONText()
    text.append(raw: "{\"id\":")
    text.append(string: id.utf8.span)
    text.append(raw: ",\"distance_km\":")
    text.append(number: distanceInKilometers)
    text.append(raw: ",\"latitude\":")
    text.append(number: position.latitude)
    text.append(raw: ",\"longitude\":")
    text.append(number: position.longitude)
    text.append(raw: "}")
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
