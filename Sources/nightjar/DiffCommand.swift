import ArgumentParser
import CommandLine
import Evaluation
internal import RunSchemas
internal import System

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Prints what changed from one run to another.",
    discussion: """
      Prints the differences in the settings, the counts of the stages, and the figures of the evaluation. For each ranking, \
      prints how many users have a list in both runs, only in the first run, or only in the second run. Also prints the mean \
      rank-biased overlap of each ranking's lists. Prints no ids.
      """)

  @Argument(help: "The first run: its number or its directory.", completion: .directory)
  var before: String

  @Argument(help: "The second run: its number or its directory.", completion: .directory)
  var after: String

  @Option(
    help: """
      The pipeline to which run numbers refer (default: the only pipeline with a complete run in the work directory).
      """)
  var pipeline: String?

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = ShownCommand.usualWork

  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let difference = try RunDifference(from: directory(before), to: directory(after))
      Console.result(difference.lines(output.format), in: output.format)
    }
  }

  private func directory(_ run: String) throws -> String {
    guard Int(run) != nil else {
      return try RunDirectories(work: work, pipeline: pipeline ?? "").directory(chosen: run)
    }
    let runs = try pipeline.map { RunDirectories(work: work, pipeline: $0) } ?? RunDirectories.only(in: work)
    return try runs.directory(chosen: run)
  }
}
