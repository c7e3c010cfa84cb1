import ArgumentParser
import Checking
import CommandLine
internal import Ingest
import NightlyRuns
import PipelineFile
import Publishing
internal import RunSchemas
internal import System
import Text
import Tombstones

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Reads all exports and prints a report, without starting a run.",
    discussion: """
      Prints the number of rows by outcome, the first rows that broke each rule, and a summary of each column. Also prints \
      the number of candidates within the radius of each ranking, and the result of each expectation. Writes nothing and takes \
      no lock. If ingest would fail, prints the error and the report on the readable rows, and exits with the status of ingest.
      """)

  @OptionGroup var pipeline: PipelineOptions

  @Option(
    help: "The work directory. The command compares the exports with the pipeline's last complete run in it.",
    completion: .directory)
  var work = ShownCommand.usualWork

  @OptionGroup var asOf: AsOfOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let pipeline = try pipeline.load().asOf(asOf)
      try pipeline.checkStores()
      let runs = RunDirectories(work: work, pipeline: pipeline.name)
      let previous = try runs.snapshotToCompare(with: pipeline)
      let check = DataCheck(
        pipeline, asOf: nil, clock: try RunClock().now, previous: previous,
        tombstones: try pipeline.tombstones(beside: runs).load(after: previous))
      Console.result(check.report.lines(output.format), in: output.format)
      for problem in check.problems { Console.print("nightjar: " + ShownText.encoded(problem.description)) }
      guard let first = check.problems.first else { return }
      throw ExitCode((first.error.map { ExitStatus($0) } ?? .badData).rawValue)
    }
  }
}
