import ArgumentParser
import CommandLine
import Concurrency
import Publishing
internal import RunSchemas
internal import System
import PipelineFile
import Text
import Tombstones

struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Loads RUN-DIR/rankings into the serving stores as a new generation, and serves it.",
    discussion: """
      Prints the served generation of each store as JSON. Does not change a store that already serves the same rows.

      \(ExitStatus.table)
      """, version: Tool.version)

  @OptionGroup var options: StageOptions

  @Flag(
    help: """
      Publish even if a guard of the pipeline file rejects the lists, or if the store already serves the same rows. The note \
      of the generation lists the overridden guards.
      """) var force = false
  @Flag(help: "Publish lists even if they lost many users since the last generation.") var acceptDrop = false
  @Flag(help: "Change nothing. Print what would be published.") var dryRun = false

  func run() throws {
    try StageMain.guarded {
      let inherited = try StageParent.inherit()
      try ThreadCheck.require()
      let pipeline = try options.pipeline.load()
      let lock = inherited == nil ? try RunLock(ofRun: options.runDirectory, stage: .publish) : nil
      let night = try PublishedNight(
        pipeline, run: options.runDirectory, requiresEvaluation: !force)
      if !dryRun { try removeErased(pipeline, night) }
      let reports =
        try dryRun ? plan(night) : publish(night, showsProgress: !options.quiet || inherited != nil)
      let report = reports.count == 1 ? reports[0] : .array(reports)
      Console.result(json: report)
      _ = consume lock
    }
  }

  /// Removes erased people from all stores, even if the lists are unchanged or a guard
  /// rejects the run.
  private func removeErased(_ pipeline: Pipeline, _ night: PublishedNight) throws {
    let runs = RunDirectories(around: options.runDirectory)
    guard let tombstones = try pipeline.tombstones(beside: runs)?.load() else { return }
    for publication in night.publications(force: force) {
      try publication.removeErased(tombstones) { Console.print("  warning: \($0)") }
    }
  }

  private func publish(_ night: PublishedNight, showsProgress: Bool) throws -> [JSONValue] {
    let published = try StageMain.showingProgress(
      of: .publish, pipeline: night.pipelineName, run: options.runDirectory, showsProgress
    ) { progress in
      progress.begin("rows", total: night.listRows * night.storeCount)
      var loaded = LoadedRows()
      return try StoresPublication(
        night, force: force, acceptsDrop: acceptDrop, threads: options.threads.count
      ) { name, rows in
        progress.set(done: loaded.total(rows, of: name), step: name)
      }.publish()
    }
    if !options.quiet {
      for store in published {
        Console.print(Stage.line(published: store.report, seconds: store.seconds), indent: Stage.indent)
        for warning in Stage.warnings(published: store.report) { Console.print("  warning: \(warning)") }
      }
    }
    return published.map(\.report)
  }

  private func plan(_ night: PublishedNight) throws -> [JSONValue] {
    try night.publications(force: force, acceptsDrop: acceptDrop).map { publication in
      let plan = try publication.plan()
      if !options.quiet { for line in plan.lines { Console.print(line) } }
      return plan.report
    }
  }
}
