import ArgumentParser
import CommandLine
import Models
internal import RunSchemas
internal import System

struct FitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fit", abstract: "Fits the models and writes RUN-DIR/models.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  func run() throws {
    try StageMain.run(.fit, options) { pipeline, run, progress in
      try FitStage.run(
        pipeline, in: run, threads: options.threads.count, progress: progress, tool: Tool.name)
    }
  }
}
