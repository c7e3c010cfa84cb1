import ArgumentParser
import CommandLine
import Geohash
import PipelineFile
import Publishing
internal import ServingStore

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
      let near = ServedNearby(center: try place.coordinate(), radiusInKilometers: radiusKm, entity: entity)
      let lines = try pipeline.servedLines(of: store) { generation in
        try near.lines(generation, of: pipeline, top: top, json: json)
      }
      for line in lines { Console.result(line) }
      if lines.isEmpty { Console.tell("no one within \(radiusKm) km") }
    }
  }
}
