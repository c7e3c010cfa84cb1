import ArgumentParser
import Ranking
import StageSupport

@main
struct RankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-rank", abstract: "Ranks for every user and writes RUN-DIR/rankings.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  func run() throws {
    try StageMain.run(.rank, options) { pipeline, run in
      try RankStage.run(pipeline, in: run, threads: options.threads.count, tool: Tool.name)
    }
  }
}
