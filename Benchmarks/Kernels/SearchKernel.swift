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
      For measurements beside searches in memory. Standard output gets one line of JSON: the seconds to read the \
      stages before and to grow the trees, and those of each search, reasons included. What is not in either is the \
      text of the lists.
      """)

  @OptionGroup var pipeline: PipelineOptions
  @Option(help: "The run directory: holds snapshot, index and models.") var runDir: String
  @Option(help: "The ranking; without one, the pipeline file's first.") var list: String?
  @Option(help: "Threads over users.") var threads = 1
  @Option(name: .customLong("repeat"), help: "How often to search; the median counts.") var repetitions = 3

  func validate() throws {
    guard threads > 0 else { throw ValidationError("--threads must be at least 1.") }
    guard repetitions > 0 else { throw ValidationError("--repeat must be at least 1.") }
  }

  func run() throws {
    let pipeline = try pipeline.load()
    guard let ranking = pipeline.rankings.first(where: { list == nil || $0.name == list }) else {
      throw ValidationError("The pipeline file has no ranking \(list.map { "'\($0)'" } ?? "at all").")
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
