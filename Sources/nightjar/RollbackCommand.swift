import ArgumentParser
import CommandLine
internal import PipelineFile
import Publishing
import RunSchemas
internal import ServingStore
import Tombstones

struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Serves an older generation again, in every store of the pipeline.",
    discussion: """
      Nothing is loaded or dropped: the pointer moves, in a moment, and readers see the older lists whole. The next \
      publish goes on from the newest number. Whoever was erased meanwhile is removed from an older generation first.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Option(help: "The generation to serve (default: the newest one older than what is served).") var to: Int?

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let tombstones = try pipeline.tombstones(
        beside: RunDirectories(work: chosen.work, pipeline: pipeline.name)
      ).load()
      let rollback = Rollback(pipeline, tombstones: tombstones, to: to)
      for address in try pipeline.storeAddresses(chosenStore.store) {
        let served = try rollback.run(in: address.open(for: .publishing)) { Console.tell($0) }
        Console.result("\(address.shown)")
        Console.result(served.line)
      }
    }
  }
}
