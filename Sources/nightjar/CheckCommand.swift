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
    commandName: "check", abstract: "Reads all exports, writes nothing, and prints what they hold.",
    discussion: """
      Reads as a run does and prints rows by outcome, the first rows of each broken rule, what each column holds, \
      candidates in reach, and whether the exports are as the pipeline file expects. Needs no lock. If a \
      run would fail, prints the error to standard error, exits with the status of such a run, and still prints the \
      rows that it could read.
      """)

  @OptionGroup var pipeline: PipelineOptions

  @Option(help: "Where the runs of all pipelines lie, to compare with the last complete one.")
  var work = "var"

  @OptionGroup var asOf: AsOfOptions

  @Flag(help: "Print the figures as one JSON object.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try pipeline.load().asOf(asOf)
      try pipeline.checkStores()
      let runs = RunDirectories(work: work, pipeline: pipeline.name)
      let check = DataCheck(
        pipeline, asOf: nil, clock: try RunClock().now, previous: try runs.snapshotToCompare(with: pipeline),
        tombstones: try pipeline.tombstones(beside: runs).load())
      if json {
        Console.result(String(decoding: check.report.json.dropLast(), as: UTF8.self))
      } else {
        for line in check.report.lines { Console.result(line) }
      }
      for problem in check.problems { Console.tell("nightjar: " + ShownText.encoded(problem.description)) }
      guard let first = check.problems.first else { return }
      throw ExitCode((first.error.map { ExitStatus($0) } ?? .badData).rawValue)
    }
  }
}
