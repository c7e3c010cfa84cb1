import ArgumentParser
import CommandLine
internal import Ingest
internal import PipelineFile
import Publishing
import RunSchemas
internal import ServingStore
internal import Text
import Tombstones

struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Serves an older generation in every store of the pipeline.",
    discussion: """
      First removes erased people from the older generation. Then switches to this generation, and readers immediately see \
      its lists. Deletes no generation. The next published generation gets the number after the newest generation.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @Option(
    help: ArgumentHelp(
      "Only this serving store: an address, or the beginning of an address in the pipeline file (default: all stores).",
      valueName: "address"))
  var store: String?
  @Option(
    help: "The number of the generation to serve (default: the newest generation before the served one).")
  var to: Int?
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let runs = RunDirectories(work: chosen.work, pipeline: pipeline.name)
      let tombstones = try pipeline.tombstones(beside: runs).load(
        after: runs.snapshotToCompare(with: pipeline))
      let rollback = Rollback(pipeline, tombstones: tombstones, to: to)
      let addresses = try pipeline.storeAddresses(store)
      var reports: [JSONValue] = []
      // If a store fails, the array still contains the stores that already serve the older generation.
      defer { if json { Console.result(json: .array(reports)) } }
      for address in addresses {
        let served = try rollback.run(in: address.open(for: .publishing)) { Console.print($0) }
        if json {
          reports.append(.object(served.json.members.merging(["store": .string(address.shown)]) { $1 }))
        } else {
          Console.result("\(address.shown)")
          Console.result([served].lines(.text(width: Console.resultWidth)))
        }
      }
    }
  }
}
