import ArgumentParser
import CommandLine
import NightlyRuns
import PipelineFile
import Publishing
internal import ServingStore
internal import System

struct RunsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs", abstract: "Lists the kept runs of a pipeline, newest first.",
    discussion: """
      Prints for each run its status, as-of time and duration, the numbers of kept rows and of users with lists, the \
      quality if the run has an evaluation, and the stores that serve it. If a store cannot be read, prints a warning.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let stores = pipeline.publication == nil ? [] : try pipeline.storeAddresses(nil)
      let runs = try RunList(pipeline, work: chosen.work, stores: stores)
      for line in runs.lines(output.format) { Console.result(line) }
      for store in runs.unknown {
        Console.print("warning: cannot find out which run a store serves: \(store)")
      }
    }
  }
}
