import ArgumentParser
import CommandLine
import Models
import PipelineFile
internal import RunSchemas

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Prints a person's model, or one prediction term by term.",
    discussion: """
      Without --candidate: the coefficients in original units, with the mean of the learning rows, and, where models \
      lean on a population, their standard errors and the population's own. With --candidate: the base and what each \
      feature adds to it; they add up to the score, and a population's models tell its standard error.
      """)

  @OptionGroup var chosen: ChosenPipeline

  // An id may look like an option.
  @Option(parsing: .unconditional, help: "The person's id.") var user: String
  @Option(parsing: .unconditional, help: "The id of a candidate to predict for.") var candidate: String?
  @Option(help: "The model, where the pipeline has several.") var model: String?
  @Option(name: .customLong("run"), help: "The number of the run (default: the last complete one).")
  var number: Int?

  @Flag(help: "Print JSON with every digit.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let directory = try RunDirectories(work: chosen.work, pipeline: pipeline.name).directory(of: number)
      let explained = try ExplainedModel(pipeline, model: model, run: directory)
      let row = try explained.row(ofUser: user)
      guard let model = explained.models[row] else {
        Console.tell("this person has not interacted with anybody yet: no model, lists are nearest first")
        if json { Console.result("null") }
        return
      }
      let table =
        try candidate.map { try explained.prediction(model, user: row, candidate: $0) }
        ?? explained.coefficients(model, row: row)
      Console.result(json ? table.json : table.text)
    }
  }
}
