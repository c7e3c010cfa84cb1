import ArgumentParser
import CommandLine
import ErasedRuns
import Erasure
import PipelineFile
internal import RunSchemas
import ServingStore
internal import System

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
  @Flag(help: "Change nothing; tell what would be removed.") var dryRun = false
  @Flag(help: "Remove the tombstone, and nothing else: the next night's exports bring the person back.")
  var lift = false

  func validate() throws {
    if user.utf8.isEmpty { throw ValidationError("--user is empty, and no id is.") }
    if lift, dryRun { throw ValidationError("--lift and --dry-run do not go together.") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let entity = try kind(in: pipeline)
      let runs = RunDirectories(work: chosen.work, pipeline: pipeline.name)
      let lock = try RunLock(of: runs.root, holder: "nightjar erase")
      let directory = pipeline.tombstones(beside: runs)
      let person = [(id: Array(user.utf8), entity: entity)]
      if lift {
        try directory.lift(person)
        Console.result("the tombstone is lifted: the next night brings the person back, if the exports do")
      } else {
        let before = try directory.load()
        if !dryRun {
          let isNew = try directory.add(person) > 0
          Console.result("tombstone: \(isNew ? "left" : "there already"), in \(directory.path)")
        }
        var ids = ErasedIDs()
        ids.insert(Array(user.utf8), entity: entity)
        var work = ErasureWork(
          pipeline: pipeline, runs: runs, ids: ids, before: before, tombstones: try directory.load(),
          isDryRun: dryRun)
        work.eraseRuns()
        try work.eraseStores()
        if work.total == 0, work.failure == nil { Console.result("found nowhere") }
        if let failure = work.failure { throw failure }
      }
      _ = consume lock
    }
  }

  /// The kind of entity that the id is of. Never a guess: two kinds may use one id for different things.
  private func kind(in pipeline: Pipeline) throws -> String {
    let names = pipeline.entities.map(\.name)
    if let entity {
      guard names.contains(where: { $0.utf8.elementsEqual(entity.utf8) }) else {
        throw StageFailure(
          .usage,
          "there is no entity '\(entity)' in \(pipeline.file): it has \(names.joined(separator: ", ")).")
      }
      return entity
    }
    let users = names.filter { name in
      names.count == 1 || pipeline.interactions.contains { $0.user.entity == name }
        || pipeline.rankings.contains { $0.users == name }
    }
    guard let only = users.first, users.count == 1 else {
      throw StageFailure(
        .usage,
        "whose id is it? Name a kind of entity with --entity: \((users.isEmpty ? names : users).joined(separator: ", "))."
      )
    }
    return only
  }
}
