import ArgumentParser
import CommandLine
import Erasure
internal import PipelineFile
import RunSchemas

struct EraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract:
      "Removes a person, as user and as candidate, from every kept run and every generation of every store.",
    discussion: """
      Leaves a tombstone, a code of the id under a key that stays here, which ingest and rollback obey from then on: \
      the person stays away though the exports have them still. Prints what was removed where, never the id. What \
      could not be reached, or was interrupted, is finished by running it again.
      """)

  @OptionGroup var chosen: ChosenPipeline

  // An id may look like an option.
  @Option(parsing: .unconditional, help: "The person's id; ids are compared byte for byte.") var user: String
  @Option(
    help: """
      The kind of entity that the id is of (default: the only kind that receives lists or does anything to others).
      """) var entity: String?
  @Flag(help: "Change nothing; print what would be removed.") var dryRun = false
  @Flag(help: "Remove the tombstone, and nothing else: the next night's exports bring the person back.")
  var lift = false

  func validate() throws {
    if user.utf8.isEmpty { throw ValidationError("--user is empty, and no id is.") }
    if lift, dryRun { throw ValidationError("--lift and --dry-run do not go together.") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let runs = RunDirectories(work: chosen.work, pipeline: pipeline.name)
      let erasure = try PersonErasure(of: Array(user.utf8), entity: entity, from: pipeline, runs: runs)
      let lock = try RunLock(of: runs.root, holder: "nightjar erase")
      if lift {
        try erasure.lift()
        Console.result("the tombstone is lifted: the next night brings the person back, if the exports do")
      } else {
        try erasure.erase(isDryRun: dryRun, tool: Tool.name) { remark in
          switch remark {
          case .result(let line): Console.result(line)
          case .warning(let text): Console.tell("nightjar: \(text)")
          }
        }
      }
      _ = consume lock
    }
  }
}
