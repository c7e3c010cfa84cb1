import ArgumentParser
import CommandLine
import Ranking
internal import RunSchemas
internal import System

@main
struct RankCommand: Executable {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-rank", abstract: "Ranks for every user and writes RUN-DIR/rankings.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  @Option(
    help: """
      How lists are searched; they are the same: through blocks, by a scan of everybody in reach, or whichever suits \
      how many candidates there are.
      """)
  var search = Recommender.Method.auto

  func run() throws {
    try StageMain.run(.rank, options) { pipeline, run in
      try RankStage.run(pipeline, in: run, method: search, threads: options.threads.count, tool: Tool.name)
    }
  }
}

extension Recommender.Method: ExpressibleByArgument {}
