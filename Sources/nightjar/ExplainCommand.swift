import ArgumentParser
import CommandLine
import Models
import PipelineFile
internal import RunSchemas

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Prints a person's model, or the terms of one prediction.",
    discussion: """
      Without --candidate, prints the coefficients in original units and the means of the learning rows. Models with a \
      population prior also have standard errors and the coefficients of the population. With --candidate, prints the base \
      and the contribution of each feature, which add up to the score.
      """)

  @OptionGroup var chosen: ChosenPipeline

  // Parsing is unconditional, because an id may look like an option.
  @Option(parsing: .unconditional, help: "The id of the person.") var user: String
  @Option(
    parsing: .unconditional, help: "Explain the prediction for this candidate instead of the whole model.")
  var candidate: String?
  @Option(
    help: "The model to explain. Required if the pipeline file has several named models and no unnamed one.",
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
          "this person has no interactions, so there is no model; the lists are sorted by distance")
        if output.json { Console.result("null") }
        return
      }
      let table =
        try candidate.map { try explained.prediction(model, user: row, candidate: $0) }
        ?? explained.coefficients(model, row: row)
      for line in table.lines(output.format) { Console.result(line) }
    }
  }
}
