import ArgumentParser
import CommandLine
import Foundation
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

  @Flag(help: "Print the checks as one JSON object.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let checks = Doctor(
        pipeline, work: chosen.work, now: try RunClock().now, evaluates: evaluate
      ).checks()
      if json {
        let document: JSONValue = [
          "pipeline": .string(pipeline.name), "status": .integer(Int(checks.status.rawValue)),
          "checks": .array(checks.map(\.json)),
        ]
        Console.result(String(decoding: document.pretty, as: UTF8.self))
      } else {
        let isColored = Console.resultsAreOnTerminal && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        for check in checks { Console.result(check.line(isColored: isColored)) }
      }
      if checks.status != .complete { throw ExitCode(checks.status.rawValue) }
    }
  }
}
