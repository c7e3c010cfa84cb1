import ArgumentParser
import Ranking
import StageSupport

@main
struct RankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-rank", abstract: "Ranks for every user and writes RUN-DIR/rankings.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions
  @OptionGroup var threads: ThreadOptions

  func run() throws {
    try StageMain.run(.rank, options) { pipeline, run in
      try RankStage.run(pipeline, in: run, threads: threads.count, tool: Tool.name)
    }
  }
}
