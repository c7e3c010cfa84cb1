import ArgumentParser
import CommandLine
import Files
import Foundation
import NightlyRuns
import PipelineFile
internal import System

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks whether a night would work here, and says what to do where not.",
    discussion: """
      Programs, BLAS, exports, clock, work directory, disk, memory, lock, last runs, files with secrets, stores: a line each. Changes nothing. \
      Status 0 where a night would work, 69 where something is out of reach, 78 where something is set up wrongly.
      """)

  @OptionGroup var chosen: ChosenPipeline

  func run() throws {
    try StageMain.guarded {
      let pipeline: Pipeline
      do {
        pipeline = try chosen.load()
      } catch let error as FileError {
        // The doctor reports a missing file as a misconfiguration.
        throw StageFailure(.badPipelineFile, "\(error)")
      }
      let checks = Doctor(pipeline, work: chosen.work, now: try RunClock().now).checks()
      let isColored = Console.resultsAreOnTerminal && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
      for check in checks { Console.result(check.line(isColored: isColored)) }
      if checks.status != .complete { throw ExitCode(checks.status.rawValue) }
    }
  }
}
