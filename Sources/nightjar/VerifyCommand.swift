import ArgumentParser
import CommandLine
import Files
import PipelineFile
import Publishing
internal import RunSchemas
import ServingStore
internal import System
import Text

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compares the served rows of a store with the files of their run.",
    discussion:
      "If rows differ, prints the first differences by file and line, without ids, and exits with status 65.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Option(help: "The run directory (default: the run of the served generation).", completion: .directory)
  var runDir: String?
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
        throw StageFailure.nothingServed(pipeline, store)
      }
      let run =
        try runDir ?? RunDirectories(work: chosen.work, pipeline: pipeline.name).directory(of: served.run)
      // Another command may have removed the generation since it was read above.
      guard let found = try RankingsVerification(pipeline, run: run).compare(with: store) else {
        throw StageFailure.nothingServed(pipeline, store)
      }
      for difference in found.differences { Console.print("  \(difference)") }
      if json {
        Console.result(
          json: [
            "store": .string(store.address.shown), "generation": .integer(served.number),
            "run": .integer(served.run), "compared": .integer(found.rows),
            "different": .integer(found.differing),
          ])
      }
      let summary =
        "generation \(served.number) in \(store.address.shown): \(found.rows.counted("row")) compared, "
      guard found.differing > 0 else {
        if !json { Console.result([summary + "all equal"]) }
        return
      }
      let command = ShownCommand.text(
        "publish", pipeline.file, set: pipeline.overrides, "--run-dir", ShownPath.short(run), "--force")
      throw StageFailure(
        .badData,
        summary + "\(found.differing.grouped) different. Publish the run again with --force: \(command)")
    }
  }
}
