import ArgumentParser
import CommandLine
import Models
import PipelineFile
internal import RunSchemas

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Prints a person's model, or the terms of one prediction.",
    discussion: """
      Without --candidate, prints the coefficients in original units, and the mean of each feature. For a model with a \
      population prior, also prints standard errors and the coefficients of the population. With --candidate, prints the terms \
      of the score: the base, which is the same for all candidates, and the contribution of each feature.
      """)

  @OptionGroup var chosen: ChosenPipeline

  // Parsing is unconditional, because an id may look like an option.
  @Option(parsing: .unconditional, help: "The id of the person.") var user: String
  @Option(
    parsing: .unconditional, help: "Explain the prediction for this candidate instead of the whole model.")
  var candidate: String?
  @Option(
    help:
      "The model to explain. Required if the pipeline file has several named models and no unnamed model.",
    completion: .models)
  var model: String?
  @Option(name: .customLong("run"), help: "The number of the run (default: the last complete run).")
  var number: Int?

  @OptionGroup var output: OutputOptions

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let directory = try RunDirectories(work: chosen.work, pipeline: pipeline.name).directory(of: number)
      let explained = try ExplainedModel(pipeline, model: model, run: directory)
      let row = try explained.row(ofUser: user)
      guard let model = try explained.model(ofUser: row) else {
        Console.print(
          "this person has no interactions and therefore no model; lists by score begin with the nearest candidates"
        )
        if output.json { Console.result("null") }
        return
      }
      let table =
        try candidate.map { try explained.prediction(model, user: row, candidate: $0) }
        ?? explained.coefficients(model, row: row)
      Console.result(table.lines(output.format), in: output.format)
    }
  }
}
