import ArgumentParser
import CommandLine
import Geohash
import PipelineFile
import Publishing
internal import ServingStore

struct NearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "near", abstract: "Prints the served people or things near a position, nearest first.",
    discussion: """
      The pipeline file must have 'publish.positions'. Positions are the centers of geohash cells, so the distances are \
      approximate. Circles can cross the antimeridian and the poles.
      """)

  @OptionGroup var place: PositionArguments
  @Option(help: "The radius in kilometers, from 0 to 20038.") var radiusKm: Double
  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Option(help: "The entity to search (default: the only entity with served positions).") var entity: String?
  @Option(help: "The maximum number of results.") var top: Int?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
    guard (0...20_038).contains(radiusKm) else {
      throw ValidationError("--radius-km must be from 0 to 20038 km, not \(radiusKm).")
    }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let near = ServedNearby(center: try place.coordinate(), radiusInKilometers: radiusKm, entity: entity)
      let lines = try pipeline.servedLines(of: store) { generation in
        try near.lines(generation, of: pipeline, top: top, format: output.format)
      }
      Console.result(lines, in: output.format)
      if lines.isEmpty { Console.print("The store has no positions within \(radiusKm) km of this position.") }
    }
  }
}
