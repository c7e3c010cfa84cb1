import ArgumentParser
import CommandLine
import Ingest
internal import RunSchemas
internal import System
import Text
import Tombstones

struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest", abstract: "Reads and checks the exports, and writes RUN-DIR/snapshot.",
    discussion: ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  @OptionGroup var asOf: AsOfOptions

  @Option(help: "The start time of the run. 'nightjar run' passes this option.")
  var now: Instant?

  @Flag(help: "Accept sources even if they lost many rows since the last complete run.")
  var acceptDrop = false

  func run() throws {
    try StageMain.run(.ingest, options) { pipeline, run, progress in
      let runs = RunDirectories(around: run)
      let previous = try runs?.snapshotToCompare(with: pipeline)
      return try IngestStage.run(
        pipeline.asOf(asOf), in: run, asOf: nil, clock: now, previous: previous, acceptsDrop: acceptDrop,
        tombstones: pipeline.tombstones(beside: runs)?.load(after: previous) ?? .none,
        threads: options.threads.count, progress: progress, tool: Tool.name)
    }
  }
}
