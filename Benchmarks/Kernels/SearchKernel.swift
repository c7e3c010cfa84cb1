import ArgumentParser
import CommandLine
import PipelineFile
import Ranking
import RunSchemas
import Search
import System

/// Searches the lists of one ranking with the search of `nightjar rank`.
struct SearchKernel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Searches the lists of all users and keeps them in memory.",
    discussion: """
      Use this command to compare the search with other searches in memory. It prints one line of JSON: the \
      seconds to read the earlier stages and to build the trees, and the seconds of each search, including \
      reasons. The command does not write the lists, so their text takes no time.
      """)

  @OptionGroup var pipeline: PipelineOptions
  @Option(help: "The run directory, which contains snapshot, index and models.") var runDir: String
  @Option(help: "The ranking (default: the first ranking of the pipeline file).") var list: String?
  @Option(help: "The number of threads.") var threads = 1
  @Option(name: .customLong("repeat"), help: "The number of repetitions.") var repetitions = 3

  func validate() throws {
    guard threads > 0 else { throw ValidationError("--threads must be at least 1, not \(threads).") }
    guard repetitions > 0 else { throw ValidationError("--repeat must be at least 1, not \(repetitions).") }
  }

  func run() throws {
    let pipeline = try pipeline.load()
    guard let ranking = pipeline.rankings.first(where: { list == nil || $0.name == list }) else {
      throw ValidationError(
        list.map { "The pipeline file has no ranking '\($0)'. Name one of its rankings with --list." }
          ?? "The pipeline file has no rankings. Name another pipeline file.")
    }
    let clock = ContinuousClock()
    let start = clock.now
    let snapshot = try Snapshot(
      runDir + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
    let ranker = try ListRanker(ranking, pipeline, snapshot, run: runDir, method: .auto, threads: threads)
    let ready = start.duration(to: clock.now).inSeconds
    var seconds: [Double] = []
    var (users, listed, effort) = (0, 0, SearchEffort())
    for _ in 0..<repetitions {
      let start = clock.now
      let lists = ranker.search(threads: threads)
      seconds.append(start.duration(to: clock.now).inSeconds)
      (users, listed, effort) = (lists.userCount, lists.listedCount, lists.effort)
    }
    let looked =
      "\"nodes\":\(effort.nodes),\"bounded\":\(effort.bounded),\"scored\":\(effort.scored),"
      + "\"exact_bounds\":\(effort.exactBounds)"
    print(
      "{\"users\":\(users),\"listed\":\(listed),\"threads\":\(threads),\(looked),\"ready\":\(ready),\"all\":\(seconds),"
        + "\"seconds\":\(seconds.sorted()[seconds.count / 2])}")
  }
}
