import ArgumentParser
import CommandLine
import NightlyRuns
import PipelineFile
internal import System
import Text

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks whether a run would succeed on this machine, and explains how to fix each problem.",
    discussion: """
      Prints one line per check: pipeline file, work directory, lock, program, disk, secrets, clock, exports, BLAS, stores, \
      memory and last runs. Changes nothing. Exits with status 0, or with the status of the first failed check.
      """)

  @OptionGroup var chosen: ChosenPipeline

  @Flag(help: "Also check the requirements of a run with --evaluate.") var evaluate = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let checks = Doctor(
        pipeline, work: chosen.work, now: try RunClock().now, evaluates: evaluate
      ).checks()
      switch output.format {
      case .json:
        let document: JSONValue = [
          "pipeline": .string(pipeline.name), "status": .integer(Int(checks.status.rawValue)),
          "checks": .array(checks.map(\.json)),
        ]
        Console.result(json: document)
      case .csv: Console.result(checks.csv.rows, in: .csv)
      case .text(let width):
        for check in checks {
          check.lines(width: width, isColored: Console.colorsResults).forEach { Console.result($0) }
        }
      }
      if checks.status != .complete { throw ExitCode(checks.status.rawValue) }
    }
  }
}
