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
      For each run, prints the status, the start, the as-of time and the duration. Also prints the numbers of kept rows and of \
      users with lists, the quality of an evaluated run, and the stores that serve the run. If the newest night failed \
      before it created a run, prints this failure first. If a store cannot be read, prints a warning.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let stores = pipeline.publication == nil ? [] : try pipeline.storeAddresses(nil)
      let runs = try RunList(pipeline, work: chosen.work, stores: stores)
      Console.result(runs.lines(output.format), in: output.format)
      for store in runs.unknown {
        Console.print("warning: cannot determine which run a store serves: \(store)")
      }
    }
  }
}
