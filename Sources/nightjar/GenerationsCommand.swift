import ArgumentParser
import CommandLine
import PipelineFile
import Publishing
import ServingStore
internal import System

struct GenerationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generations", abstract: "Lists the generations in a serving store, newest first.",
    discussion:
      "An asterisk marks the served generation. To serve an older generation, run 'nightjar rollback'.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let generations = try store.generations(pipeline: pipeline.name)
      guard output.json || !generations.isEmpty else { throw StageFailure.nothingServed(pipeline, store) }
      Console.result(generations.lines(output.format), in: output.format)
    }
  }
}
