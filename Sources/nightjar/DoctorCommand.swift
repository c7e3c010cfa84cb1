import ArgumentParser
import CommandLine
import Files
import Foundation
import NightlyRuns
import PipelineFile
internal import System

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks whether a run would succeed on this machine, and explains how to fix what fails.",
    discussion: """
      Prints one line per check: programs, BLAS, exports, clock, work directory, disk, memory, lock, last runs, files with \
      secrets and serving stores. Changes nothing. Exits with 69 if a resource is unavailable, and with 78 if the \
      configuration is wrong.
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
