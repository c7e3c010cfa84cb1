import ArgumentParser
import CommandLine
import Index
internal import RunSchemas
internal import System

struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index", abstract: "Sorts people and things by position and writes RUN-DIR/index.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  func run() throws {
    try StageMain.run(.index, options) { pipeline, run, _ in
      try IndexStage.run(pipeline, in: run, tool: Tool.name, threads: options.threads.count)
    }
  }
}
