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
      Loads and drops nothing: moves the pointer, so that readers switch to the older lists at once. The next publish \
      continues from the newest number. People who were erased since are first removed from the older generation.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @Option(
    help: ArgumentHelp(
      "The store to roll back (default: each store of the pipeline file): its address, or the beginning of one of the file's.",
      valueName: "address"))
  var store: String?
  @Option(help: "The generation to serve (default: the newest one older than what is served).") var to: Int?

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let tombstones = try pipeline.tombstones(
        beside: RunDirectories(work: chosen.work, pipeline: pipeline.name)
      ).load()
      let rollback = Rollback(pipeline, tombstones: tombstones, to: to)
      for address in try pipeline.storeAddresses(store) {
        let served = try rollback.run(in: address.open(for: .publishing)) { Console.tell($0) }
        Console.result("\(address.shown)")
        Console.result(served.line)
      }
    }
  }
}
