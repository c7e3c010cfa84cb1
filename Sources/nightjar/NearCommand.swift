import ArgumentParser
import CommandLine
import Geohash
import PipelineFile
import ServingStore
internal import System
import Text

struct NearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "near", abstract: "Prints who is near a place, nearest first, as the serving store has it.",
    discussion: """
      For what publish.positions of the pipeline file publishes. Positions are centres of cells, so distances tell no more \
      than the cells. Across the antimeridian and around the poles too.
      """)

  @OptionGroup var place: PositionArguments
  @Option(help: "How far, in kilometres: 0 to 20038, inclusive.") var radiusKm: Double
  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Option(help: "The kind of entity (default: the only one whose positions are served).") var entity: String?
  @Option(help: "At most so many.") var top: Int?
  @Flag(help: "Print one JSON object per line.") var json = false

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
    guard (0...20_038).contains(radiusKm) else {
      throw ValidationError("--radius-km must be 0 to 20038, not \(radiusKm).")
    }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let center = try place.coordinate()
      let lines = try store.read(pipeline: pipeline.name) { generation in
        let entity = try entity(generation, pipeline)
        let found = try generation.positions(entity: entity, around: center, within: radiusKm)
        return try found.prefix(top ?? found.count).map { near in
          json ? near.json : try line(near, entity, generation, pipeline)
        }
      }
      guard let lines else { throw StageFailure.nothingServed(pipeline, store) }
      for line in lines { Console.result(line) }
      if lines.isEmpty { Console.tell("nobody within \(radiusKm) km") }
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
        "positions of several kinds are served: \(names.joined(separator: ", ")). Choose with --entity.")
    }
    return first
  }

  private func missing(
    _ what: String, _ names: [String], _ generation: any ServedGeneration, _ pipeline: Pipeline
  ) -> StageFailure {
    let held = names.isEmpty ? "" : " It has those of: \(names.joined(separator: ", "))."
    return StageFailure(
      .missingInput,
      "generation \(generation.summary.number) of '\(pipeline.name)' has no positions \(what)to search.\(held) "
        + "publish.positions of the pipeline file says whose are published.")
  }

  /// `    0.8 km  d17  Collie, large`.
  private func line(
    _ near: ServedPosition, _ entity: String, _ generation: any ServedGeneration, _ pipeline: Pipeline
  ) throws -> String {
    var parts = [near.id.text]
    if let names = pipeline.publication?.attributes[entity],
      let attributes = try generation.person(entity: entity, id: near.id)
    {
      let values = try ServedAttributes.values(attributes, names)
      if !values.isEmpty { parts.append(values.joined(separator: ", ")) }
    }
    return (near.distanceInKilometers.fixed(1) + " km").leftPadded(to: 11) + "  "
      + parts.map(ShownText.encoded).joined(separator: "  ")
  }
}

extension ServedPosition {
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
