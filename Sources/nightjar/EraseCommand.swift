import ArgumentParser
import CommandLine
import Erasure
internal import PipelineFile
import RunSchemas

struct EraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract:
      "Removes a person from all kept runs, and from all generations of all stores.",
    discussion: """
      Adds a tombstone, which is a keyed hash of the id. The key stays on this machine. 'ingest' leaves out people with a \
      tombstone, even if the exports still contain them. 'publish' and 'rollback' remove these people from the stores. Prints \
      what was removed, but never the id. Run the command again if a store was unreachable, or if the command was interrupted.
      """)

  @OptionGroup var chosen: ChosenPipeline

  // Parsing is unconditional, because an id may look like an option.
  @Option(parsing: .unconditional, help: "The id of the person. Ids match byte for byte.") var user: String
  @Option(
    help: """
      The entity to which the id belongs (default: the only entity that receives lists or is the user of an interaction).
      """) var entity: String?
  @Flag(help: "Change nothing. Print what would be removed.") var dryRun = false
  @Flag(help: "Remove only the tombstone. The next run adds the person again if the exports contain them.")
  var lift = false

  func validate() throws {
    if user.utf8.isEmpty { throw ValidationError("--user must not be empty.") }
    if lift, dryRun {
      throw ValidationError("--lift and --dry-run cannot be used together. Remove one of them.")
    }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let runs = RunDirectories(work: chosen.work, pipeline: pipeline.name)
      let erasure = try PersonErasure(of: Array(user.utf8), entity: entity, from: pipeline, runs: runs)
      let lock = try RunLock(of: runs.root, holder: "nightjar erase")
      if lift {
        try erasure.lift()
        Console.result(["tombstone removed: the next run adds the person again if the exports contain them"])
      } else {
        try erasure.erase(isDryRun: dryRun, tool: Tool.name) { remark in
          switch remark {
          case .result(let line): Console.result([line])
          case .warning(let text): Console.print("nightjar: \(text)")
          }
        }
      }
      _ = consume lock
    }
  }
}
