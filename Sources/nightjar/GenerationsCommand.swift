import ArgumentParser
import CommandLine
import PipelineFile
import Publishing
import ServingStore
internal import System
import Text

struct GenerationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generations", abstract: "Lists the generations in a serving store, newest first.",
    discussion: "An asterisk marks the served generation. To serve an older one, run 'nightjar rollback'.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let generations = try store.generations(pipeline: pipeline.name)
      if json {
        let text = JSONValue.array(generations.map(\.json)).pretty
        Console.result(String(decoding: text, as: UTF8.self))
        return
      }
      guard !generations.isEmpty else { throw StageFailure.nothingServed(pipeline, store) }
      for generation in generations { Console.result(generation.line) }
    }
  }
}
