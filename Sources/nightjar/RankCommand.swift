import ArgumentParser
import CommandLine
import Ranking
internal import RunSchemas
internal import System

struct RankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rank", abstract: "Ranks candidates for each user and writes RUN-DIR/rankings.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  @Option(
    help: """
      The search method: block (a search through blocks of candidates), scan (a check of every candidate), or auto (the \
      faster method for the number of candidates). All methods produce the same lists.
      """)
  var search = Recommender.Method.auto

  func run() throws {
    try StageMain.run(.rank, options) { pipeline, run, progress in
      try RankStage.run(
        pipeline, in: run, method: search, threads: options.threads.count, progress: progress,
        tool: Tool.name)
    }
  }
}

extension Recommender.Method: ExpressibleByArgument {}
